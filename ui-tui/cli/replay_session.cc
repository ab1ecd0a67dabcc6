#include "ui-tui/cli/replay_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "replay/divergence.h"
#include "tracer/base/str.h"
#include "ui-tui/cli/agent_library.h"
#include "ui-tui/cli/run_options.h"
#include "ui-tui/deadlock_report.h"
#include "ui-tui/operations.h"

namespace xbdbg {
namespace {

// A recording that was ended in the middle of a computation has no record of how far that was.
constexpr std::chrono::seconds kComputesBehindTheEnd{1};

std::optional<std::chrono::nanoseconds> processor_time(Pid pid) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(pid.raw(), &clock) != 0 || ::clock_gettime(clock, &time) != 0) return std::nullopt;
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

agent::Config config_of(const TraceInfo& info) {
  agent::Config config{};
  config.mode = agent::Mode::replay;
  config.real_time = info.real_time ? 1 : 0;
  config.policy = info.policy;
  config.seed = info.seed;
  config.follow_every_operation = info.follow_every_operation ? 1 : 0;
  return config;
}

std::string describe_end(const TargetEnd& end) {
  return end.kind == TargetEnd::Kind::killed ? "is killed by " + signal_name(end.value)
                                             : fmt::format("exits with status {}", end.value);
}

}  // namespace

ReplaySession::ReplaySession(const Context& context, ReplayPlan plan)
    : plan_(std::move(plan)),
      session_(context, plan_.log),
      stream_(session_, {.events_fd = plan_.events ? plan_.events.get() : -1}) {}

Result<Ending> ReplaySession::run() {
  const Trace& trace = plan_.trace;
  StartCheckOptions check;
  if (auto agent = find_agent_library(session_.context().surroundings)) check.own_agent = *std::move(agent);
  files_ = check_start(trace, check);
  const auto is_missing = [](const FileProblem& problem) { return problem.kind == FileProblem::Kind::missing; };
  if (std::any_of(files_.problems.begin(), files_.problems.end(), is_missing)) return problems_error(files_);
  if (trace.starts().empty()) {
    return Error{
        Errc::bad_input, fmt::format("{}: the recording ended before its program began", trace.directory()), {}};
  }
  ReplayInput input;
  input.journal_bytes = trace.journal_bytes();
  input.read_journal = [&trace](std::span<std::byte> into) { return trace.read_journal(into); };
  input.files = files_.paths;
  LaunchOptions options;
  options.agent_path = files_.agent;
  options.config = config_of(trace.info());
  if (stream_.active()) want_events(options.config);
  options.argv = trace.info().argv;
  options.as_recorded = &trace.starts().front();
  options.redirects = files_.redirects;
  options.replay = &input;
  auto ending = session_.run(options, *this);
  if (!ending && !files_.problems.empty()) ending.error().hint = problems_error(files_).what;
  return ending;
}

Result<> ReplaySession::launched(Launched& target) {
  stream_.launched(target);
  return Ok{};
}

Result<std::optional<TargetEnd>> ReplaySession::look() {
  XB_CHECK(stream_.look());
  XB_TRY(const AgentStatus status, session_.target().arena.status());
  if (!is_past_the_end(status)) return std::optional<TargetEnd>();
  return std::optional(TargetEnd{TargetEnd::Kind::journal_ended, 0, status});
}

// The program computes, does nothing that would be in the journal, and the journal has no more to compare it with.
bool ReplaySession::is_past_the_end(const AgentStatus& status) {
  const bool behind = status.state == agent::State::running &&
                      plan_.trace.ending().kind != TraceEnding::Kind::exited &&
                      status.journal_offset == session_.target().arena.journal().size();
  const auto now = behind ? processor_time(session_.target().process.pid()) : std::nullopt;
  if (!now || status.events != last_events_ || !quiet_since_) {
    last_events_ = status.events;
    quiet_since_ = now;
    return false;
  }
  return *now - *quiet_since_ >= kComputesBehindTheEnd;
}

std::optional<std::chrono::milliseconds> ReplaySession::patience() const {
  return stream_.patience().value_or(std::chrono::milliseconds(100));
}

FollowOptions ReplaySession::follow_options(const AgentStatus& status) const {
  FollowOptions options;
  const auto& starts = plan_.trace.starts();
  const std::size_t next = std::size_t{status.images} + 1;  // 0 is the program that xbdbg started
  if (next < starts.size()) options.as_recorded = &starts[next];
  options.redirects = files_.redirects;
  return options;
}

// Loops that wait are found again as they were when recording. What was forced then is at a place that cannot be
// found, and what was not must not be forced now.
StallLimits ReplaySession::stall_limits() const {
  StallLimits limits;
  limits.forced = std::chrono::hours(24 * 365);
  return limits;
}

Result<Ending> ReplaySession::conclude(const TargetEnd& end) {
  switch (end.kind) {
    case TargetEnd::Kind::exited:
    case TargetEnd::Kind::killed:
      return ended_by_itself(end);
    case TargetEnd::Kind::deadlock:
    case TargetEnd::Kind::no_progress:
    case TargetEnd::Kind::journal_ended:
      return end_as_recorded(end);
    case TargetEnd::Kind::diverged:
      return diverged(end, end.status.message);
    case TargetEnd::Kind::failed:
      break;
  }
  return session_.as_the_program(end, std::nullopt);
}

Result<Ending> ReplaySession::ended_by_itself(const TargetEnd& end) {
  const TraceEnding& recorded = plan_.trace.ending();
  const bool killed = end.kind == TargetEnd::Kind::killed;
  const bool same = end.value == recorded.value &&
                    recorded.kind == (killed ? TraceEnding::Kind::killed : TraceEnding::Kind::exited);
  const bool all_of_it = end.status.journal_offset == session_.target().arena.journal().size();
  const Ending ending = killed ? Ending{.signal = end.value} : Ending{.status = end.value};
  if (same && all_of_it) return ending;
  if (killed && is_request_to_end(end.value)) return ending;  // somebody does not want to wait for the end
  if (!plan_.trace.complete() && all_of_it) return ending;    // it got further than the recording
  const std::string rest = same ? "" : fmt::format("; it was recorded that it {}", describe_ending(recorded));
  return diverged(end, fmt::format("the program {} here{}", describe_end(end), rest));
}

Result<Ending> ReplaySession::end_as_recorded(const TargetEnd& end) {
  const TraceEnding& recorded = plan_.trace.ending();
  switch (recorded.kind) {
    case TraceEnding::Kind::deadlock:
    case TraceEnding::Kind::no_progress:
      return session_.report_deadlock();
    case TraceEnding::Kind::killed:
      if (end.kind != TargetEnd::Kind::journal_ended) break;
      return Ending{.signal = recorded.value};
    case TraceEnding::Kind::failed:
      return Error{Errc::unsupported, "the recording ends here: " + recorded.message, {}};
    case TraceEnding::Kind::unfinished:
      session_.context().console.note(
          fmt::format("the recording was cut off here, after {} events", end.status.events));
      return Ending{};
    case TraceEnding::Kind::exited:
      break;
  }
  return diverged(end, end.kind == TargetEnd::Kind::journal_ended
                           ? fmt::format("the program goes on; it was recorded that it {}", describe_ending(recorded))
                           : "no thread can run any more");
}

Result<Ending> ReplaySession::diverged(const TargetEnd& end, std::string message) {
  DivergenceInput input{.journal = session_.target().arena.journal(), .offset = end.status.journal_offset};
  AgentDivergence found;
  if (end.kind == TargetEnd::Kind::diverged) {
    XB_TRY(found, session_.target().arena.divergence());
    input.offset = found.offset;
    input.actual = found.actual;
  }
  input.message = std::move(message);
  input.problems = &files_.problems;
  DivergenceReport report = describe_divergence(input);
  (void)session_.symbols().refresh(session_.target().process.pid());
  report.expected = with_site(std::move(report.expected));
  report.actual = with_site(std::move(report.actual));
  for (std::string& line : report.before) line = with_site(std::move(line));
  session_.context().console.text("xbdbg: " + report.text());
  return Ending{.status = kExitError};
}

// "... at 0x555555555279" says where in the source that is.
std::string ReplaySession::with_site(std::string line) {
  constexpr std::string_view kAt = "at 0x";
  const std::size_t at = line.rfind(kAt);
  if (at == std::string::npos) return line;
  const std::size_t digits = at + kAt.size();
  const std::size_t end = std::min(line.find_first_not_of("0123456789abcdef", digits), line.size());
  const auto address = parse_u64(std::string_view(line).substr(digits, end - digits), "address", 16);
  if (!address) return line;
  const SourceSite site = session_.symbols().site(Addr(*address));
  if (!site.function.empty() || !site.file.empty()) line.insert(end, fmt::format(" {}", format_site(site)));
  return line;
}

Result<> ReplaySession::finish(const Result<TargetEnd>&) { return stream_.finish(); }

}  // namespace xbdbg
