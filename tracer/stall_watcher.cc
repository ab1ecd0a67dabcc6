#include "tracer/stall_watcher.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <string>
#include <utility>

#include "tracer/base/unique_fd.h"
#include "tracer/memory_map.h"

namespace xbdbg {
namespace {

constexpr std::chrono::milliseconds kInterval{20};
constexpr unsigned kMostDoublings = 8;                  // of the time between two looks in one stall
constexpr int kShareOfTime = 20;                        // a look may take this part of the time since the last event,
constexpr std::chrono::milliseconds kShortestLook{20};  // but at least this
constexpr std::size_t kMaxKnownLoops = 64;

std::string proc_file(Pid pid, const char* name) { return "/proc/" + std::to_string(pid.raw()) + "/" + name; }

// The n-th word behind the name in /proc/PID/stat, from 0.
std::string_view stat_word(std::string_view stat, std::size_t n) {
  stat.remove_prefix(std::min(stat.rfind(')') + 2, stat.size()));
  for (; n > 0; --n) stat.remove_prefix(std::min(stat.find(' '), stat.size() - 1) + 1);
  return stat.substr(0, stat.find(' '));
}

}  // namespace

Result<StallWatcher> StallWatcher::create(Pid pid, SharedArena& arena, const Logger* log, StallLimits limits) {
  XB_TRY(Disassembler disassembler, Disassembler::create());
  return StallWatcher(pid, arena, log, limits, std::move(disassembler));
}

StallWatcher::StallWatcher(Pid pid, SharedArena& arena, const Logger* log, StallLimits limits,
                           Disassembler disassembler)
    : pid_(pid), arena_(&arena), log_(log), limits_(limits), probe_(std::move(disassembler)), since_(Clock::now()) {}

std::chrono::milliseconds StallWatcher::interval() const {
  return known_.empty() ? kInterval : std::min(kInterval, limits_.known_stall);
}

std::optional<StallWatcher::Activity> StallWatcher::activity() const {
  constexpr std::size_t kMaxBytes = 4096, kState = 0, kUserTime = 11, kMillisecondsPerSecond = 1000;
  const auto text = read_whole_file(proc_file(pid_, "stat"), kMaxBytes);
  if (!text || text->rfind(')') == std::string::npos) return std::nullopt;
  const std::string_view state = stat_word(*text, kState), ticks = stat_word(*text, kUserTime);
  std::uint64_t count = 0;
  if (state.empty() || std::from_chars(ticks.data(), ticks.data() + ticks.size(), count).ec != std::errc()) {
    return std::nullopt;
  }
  const auto per_second = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_CLK_TCK)));
  return Activity{state.front(), std::chrono::milliseconds(count * kMillisecondsPerSecond / per_second)};
}

void StallWatcher::begin_anew(std::uint64_t events) {
  events_ = events;
  since_ = Clock::now();
  processor_time_.reset();
  looked_at_known_ = false;
  looks_ = 0;
}

Result<std::optional<ForcedTurn>> StallWatcher::tick() {
  const std::optional<ForcedTurn> nothing;
  const auto status = arena_->status();
  if (!status || status->state != agent::State::running || status->events != events_) {
    begin_anew(status ? status->events : 0);
    return nothing;
  }
  const auto stalled = Clock::now() - since_;
  const bool known_due = !known_.empty() && !looked_at_known_ && stalled >= limits_.known_stall;
  const bool due = stalled >= limits_.stall * (1u << std::min(looks_, kMostDoublings));
  if (!known_due && !due && stalled < limits_.stall) return nothing;
  const auto now = activity();
  if (!now || now->state != 'R') return nothing;
  if (!processor_time_) processor_time_ = now->processor_time;
  const bool computes = now->processor_time > *processor_time_;
  if (now->processor_time - *processor_time_ >= limits_.forced && others_want_a_turn()) return force();
  if (known_due) {
    looked_at_known_ = true;
    XB_CHECK(look(true));
  } else if (due && computes) {
    XB_CHECK(look(false));
    ++looks_;
  }
  return nothing;
}

bool StallWatcher::is_known(Addr pc) const {
  return std::any_of(known_.begin(), known_.end(), [&](const Range& r) { return r.low <= pc && pc <= r.high; });
}

// The time it takes is bounded by a share of the time that has passed: a long computation is hardly slowed down.
Result<> StallWatcher::look(bool only_at_known_loops) {
  auto stop = BriefStop::of(pid_, log_);
  if (!stop && stop.error().code == Errc::target_gone) return Ok{};
  if (!stop) return std::move(stop).error();
  if (!*stop || (*stop)->in_system_call()) return Ok{};
  if (only_at_known_loops && !is_known(Addr((*stop)->regs().rip))) return Ok{};
  auto loop = probe_.probe(**stop, std::max<Clock::duration>(kShortestLook, (Clock::now() - since_) / kShareOfTime));
  if (!loop && loop.error().code == Errc::target_gone) return Ok{};
  if (!loop) return std::move(loop).error();
  const auto status = arena_->status();
  if (*loop && (*loop)->watched.size() <= agent::kMaxWatchedWords && status && status->events == events_) {
    hand_over(**loop);
  }
  return Ok{};
}

// The target stands still, in the resting state.
void StallWatcher::hand_over(const SpinLoop& loop) {
  if (!is_known(loop.low) && known_.size() < kMaxKnownLoops) known_.push_back({loop.low, loop.high});
  agent::SpinWatch& watch = arena_->shared().status.preemption.watch;
  watch.count = 0;
  for (const WatchedValue& value : loop.watched) {
    watch.words[watch.count++] = {value.address.raw(), value.value, value.size, 0};
  }
  watch.shared_memory = reads_shared_memory(loop) ? 1 : 0;
  request(agent::PreemptRequest::spin);
}

bool StallWatcher::reads_shared_memory(const SpinLoop& loop) const {
  constexpr std::size_t kMaxBytes = 64u << 20;
  const auto text = read_whole_file(proc_file(pid_, "maps"), kMaxBytes);
  if (!text) return false;
  const auto mappings = parse_memory_map(*text);
  if (!mappings) return false;
  return std::any_of(loop.watched.begin(), loop.watched.end(), [&](const WatchedValue& value) {
    const MemoryMapping* mapping = find_mapping(*mappings, value.address.raw());
    return mapping != nullptr && mapping->shared;
  });
}

// The signal waits until the target is let go.
void StallWatcher::request(agent::PreemptRequest kind) {
  auto& word = arena_->shared().status.preemption.request;
  word.store(kind, std::memory_order_release);
  if (::syscall(SYS_tgkill, pid_.raw(), pid_.raw(), SIGSYS) != 0) word.store(agent::PreemptRequest::none);
}

bool StallWatcher::others_want_a_turn() const {
  if (arena_->shared().status.timers_armed.load(std::memory_order_relaxed) != 0) return true;
  const auto threads = arena_->threads();
  if (!threads) return false;
  const auto wants = [](const agent::ThreadView& thread) {
    if (thread.state == agent::ThreadState::ready) return true;
    if (thread.state != agent::ThreadState::blocked) return false;
    // A thread that waits for another is not helped by a turn; one that waits for the world or for a moment is.
    return thread.deadline_ns != ~std::uint64_t{0} || thread.waiting_in == agent::Operation::io_wait ||
           thread.waiting_in == agent::Operation::child_wait || thread.waiting_in == agent::Operation::signal_wait;
  };
  return std::count_if(threads->begin(), threads->end(), wants) > 1;  // the running thread is one of them
}

Result<std::optional<ForcedTurn>> StallWatcher::force() {
  const std::optional<ForcedTurn> nothing;
  processor_time_.reset();  // the next one only after as much time again
  auto stop = BriefStop::of(pid_, log_);
  if (!stop && stop.error().code != Errc::target_gone) return std::move(stop).error();
  if (!stop || !*stop || (*stop)->in_system_call()) return nothing;
  const auto status = arena_->status();
  if (!status || status->events != events_) return nothing;
  request(agent::PreemptRequest::forced);
  return std::optional(
      ForcedTurn{ThreadIndex(arena_->shared().threads[status->current_slot].index), Addr((*stop)->regs().rip)});
}

}  // namespace xbdbg
