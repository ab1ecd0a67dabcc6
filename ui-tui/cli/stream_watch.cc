#include "ui-tui/cli/stream_watch.h"

#include <fmt/format.h>

#include <algorithm>

namespace xbdbg {

void StreamWatch::launched(Launched& target) {
  if (!active()) return;
  log_.emplace(
      session_.symbols(), session_.names(),
      EventLog::Output{.events_fd = wanted_.events_fd, .schedule = wanted_.schedule, .target = target.process.pid()});
  reader_.emplace(target.arena, *log_);
}

void StreamWatch::meet_agent() {
  const auto status = session_.target().arena.status();
  if (!status || status->state == agent::State::launching) return;
  met_agent_ = true;
  XB_LOG(session_.logger(), info, "run", "the agent has taken over");
}

Result<> StreamWatch::look() {
  if (!reader_) return Ok{};
  if (!met_agent_) meet_agent();
  const std::uint64_t before = log_->records();
  XB_CHECK(reader_->drain());
  constexpr std::chrono::milliseconds kShortest{1}, kLongest{10};
  const bool found = log_->records() != before;
  if (found) XB_LOG(session_.logger(), trace, "stream", fmt::format("{} records", log_->records() - before));
  if (!found) XB_CHECK(log_->flush());  // for those who watch the file
  idle_ = found ? std::chrono::milliseconds(0) : std::clamp(idle_ * 2, kShortest, met_agent_ ? kLongest : kShortest);
  return Ok{};
}

std::optional<std::chrono::milliseconds> StreamWatch::patience() const {
  return reader_ ? std::optional(idle_) : std::nullopt;
}

Result<> StreamWatch::finish() {
  if (!reader_) return Ok{};
  XB_CHECK(reader_->drain());
  XB_CHECK(reader_->finish());
  return log_->flush();
}

}  // namespace xbdbg
