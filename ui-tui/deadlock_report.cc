#include "ui-tui/deadlock_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

namespace xbdbg {
namespace {

using agent::HeldLock;
using agent::Operation;
using agent::ThreadState;
using agent::ThreadView;

std::span<const HeldLock> listed(const ThreadView& thread) {
  return {thread.held, std::min(thread.held_count, agent::kMaxHeld)};
}

bool holds(const ThreadView& thread, std::uint64_t object) {
  const auto locks = listed(thread);
  return std::any_of(locks.begin(), locks.end(), [&](const HeldLock& lock) { return lock.object == object; });
}

bool waits_for_a_lock(const ThreadView& thread) {
  const ObjectKind kind = operation_info(thread.waiting_in).object;
  return kind == ObjectKind::mutex || kind == ObjectKind::rwlock || kind == ObjectKind::spinlock;
}

std::string_view lock_verb(Operation operation) {
  switch (operation_info(operation).object) {
    case ObjectKind::rwlock:
      return operation == Operation::rwlock_rdlock || operation == Operation::rwlock_tryrdlock ||
                     operation == Operation::rwlock_timedrdlock
                 ? "locked for reading"
                 : "locked for writing";
    case ObjectKind::semaphore:
      return "taken";
    case ObjectKind::none:
    case ObjectKind::thread:
    case ObjectKind::mutex:
    case ObjectKind::spinlock:
    case ObjectKind::condition:
    case ObjectKind::barrier:
    case ObjectKind::once:
    case ObjectKind::futex:
    case ObjectKind::descriptor:
      return "locked";
  }
  return "locked";
}

// "held by T2 and T3", "held by T1 itself", "held by T4, which has ended"
std::string holders_text(const ThreadView& waiter, std::span<const ThreadView> threads) {
  std::vector<std::string> holders;
  for (const ThreadView& thread : threads) {
    if (!holds(thread, waiter.waiting_for)) continue;
    std::string label = thread_label(thread);
    if (thread.index == waiter.index) label += " itself";
    if (thread.state == ThreadState::ended) label += ", which has ended";
    holders.push_back(std::move(label));
  }
  return holders.empty() ? "" : fmt::format("held by {}", fmt::join(holders, " and "));
}

// Why the wait cannot end.
std::string reason(const ThreadView& thread, std::span<const ThreadView> threads) {
  if (waits_for_a_lock(thread)) return holders_text(thread, threads);
  switch (operation_info(thread.waiting_in).object) {
    case ObjectKind::condition:
      return "that no thread is left to signal";
    case ObjectKind::semaphore:
      return "that no thread is left to post";
    case ObjectKind::barrier:
      return "that no other thread is left to reach";
    case ObjectKind::futex:
      return "that no thread is left to wake";
    case ObjectKind::thread:
      return thread.waiting_for == thread.index ? "(itself)" : "";
    case ObjectKind::none:
    case ObjectKind::mutex:
    case ObjectKind::rwlock:
    case ObjectKind::spinlock:
    case ObjectKind::once:
    case ObjectKind::descriptor:
      return "";
  }
  return "";
}

std::string object_text(ObjectKind kind, std::uint64_t object, TargetNames& names) {
  if (kind == ObjectKind::none) return "";
  return fmt::format("{} `{}`", to_string(kind), names.object(kind, Addr(object)));
}

const ThreadView* find_thread(std::span<const ThreadView> threads, std::uint64_t index) {
  const auto at = std::find_if(threads.begin(), threads.end(), [&](const auto& t) { return t.index == index; });
  return at == threads.end() ? nullptr : &*at;
}

std::string waited_object(const ThreadView& thread, std::span<const ThreadView> threads, TargetNames& names) {
  if (thread.waiting_in == Operation::spin_detected && thread.waiting_for != 0) {
    return fmt::format("`{}`", names.object(ObjectKind::none, Addr(thread.waiting_for)));
  }
  const ObjectKind kind = operation_info(thread.waiting_in).object;
  if (kind == ObjectKind::thread) {
    const ThreadView* other = find_thread(threads, thread.waiting_for);
    return other != nullptr ? thread_label(*other) : fmt::format("T{}", thread.waiting_for);
  }
  if (kind == ObjectKind::descriptor) return fmt::format("file descriptor {}", thread.waiting_for);
  return object_text(kind, thread.waiting_for, names);
}

WaitLine describe_thread(const ThreadView& thread, std::span<const ThreadView> threads, TargetNames& names) {
  WaitLine line;
  line.thread = thread_label(thread);
  line.call = operation_info(thread.waiting_in).call;
  line.spins = thread.waiting_in == Operation::spin_detected;
  line.object = waited_object(thread, threads, names);
  line.why = reason(thread, threads);
  line.backtrace = names.backtrace(thread);
  for (const HeldLock& lock : listed(thread)) {
    line.holds.push_back({.object = object_text(operation_info(lock.operation).object, lock.object, names),
                          .verb = std::string(lock_verb(lock.operation)),
                          .at = names.site(Addr(lock.pc))});
  }
  line.held_but_not_listed = thread.held_count - static_cast<std::uint32_t>(line.holds.size());
  return line;
}

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

// For each thread the position of the thread it waits for (of several readers of a lock: the first).
std::vector<std::size_t> awaited_threads(std::span<const ThreadView> threads) {
  std::map<std::uint64_t, std::size_t> holder, by_index;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    by_index.emplace(threads[i].index, i);
    for (const HeldLock& lock : listed(threads[i])) holder.emplace(lock.object, i);
  }
  std::vector<std::size_t> awaited(threads.size(), kNobody);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const ThreadView& thread = threads[i];
    const bool joins = thread.waiting_in == Operation::thread_join;
    if (thread.state != ThreadState::blocked || (!joins && !waits_for_a_lock(thread))) continue;
    const auto& map = joins ? by_index : holder;
    if (const auto at = map.find(thread.waiting_for); at != map.end()) awaited[i] = at->second;
  }
  return awaited;
}

// Each thread waits for at most one: from every thread not yet visited, walk until the walk ends, meets an older
// walk, or meets itself.
std::vector<std::string> find_circle(std::span<const ThreadView> threads) {
  const std::vector<std::size_t> awaited = awaited_threads(threads);
  std::vector<std::size_t> walk_of(threads.size(), kNobody);
  for (std::size_t start = 0; start < threads.size(); ++start) {
    std::size_t at = start;
    while (at != kNobody && walk_of[at] == kNobody) {
      walk_of[at] = start;
      at = awaited[at];
    }
    if (at == kNobody || walk_of[at] != start) continue;
    std::vector<std::string> circle = {fmt::format("T{}", threads[at].index)};
    for (std::size_t next = awaited[at];; next = awaited[next]) {
      circle.push_back(fmt::format("T{}", threads[next].index));
      if (next == at) return circle;
    }
  }
  return {};
}

std::string wait_text(const WaitLine& line) {
  if (line.spins)
    return line.object.empty() ? " spins for ever" : fmt::format(" spins until {} changes", line.object);
  std::string text = fmt::format(" waits in {}", line.call);
  if (!line.object.empty()) text += " for " + line.object;
  if (!line.why.empty()) text += " " + line.why;
  return text;
}

}  // namespace

std::string thread_label(const ThreadView& thread) {
  const std::string_view name(thread.name, ::strnlen(thread.name, sizeof thread.name));
  return name.empty() ? fmt::format("T{}", thread.index) : fmt::format("T{} ({})", thread.index, name);
}

std::string format_site(const SourceSite& site) {
  std::string function = site.function.empty() ? "??" : site.function;
  if (site.file.empty()) return function;
  if (site.line == 0) return fmt::format("{} ({})", function, site.file);
  return fmt::format("{} ({}:{})", function, site.file, site.line);
}

DeadlockReport describe_deadlock(std::span<const ThreadView> threads, TargetNames& names) {
  std::vector<ThreadView> sorted(threads.begin(), threads.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
  DeadlockReport report;
  for (const ThreadView& thread : sorted) {
    if (thread.state == ThreadState::blocked) report.threads.push_back(describe_thread(thread, sorted, names));
  }
  report.circle = find_circle(sorted);
  return report;
}

std::string format_deadlock(const DeadlockReport& report, const Style& style) {
  const bool spins = std::any_of(report.threads.begin(), report.threads.end(), [](const auto& t) { return t.spins; });
  std::string out = spins ? fmt::format("xbdbg: {}: no thread is left to end the loop that another spins in\n",
                                        style.alarm("no progress"))
                          : fmt::format("xbdbg: {}: no thread can run\n", style.alarm("deadlock"));
  for (const WaitLine& line : report.threads) {
    out += "  " + style.bold(line.thread) + wait_text(line) + "\n";
    std::string_view indent = "      at ";
    for (const SourceSite& frame : line.backtrace) {
      out += fmt::format("{}{}\n", indent, format_site(frame));
      indent = "         ";
    }
    for (const HeldLine& held : line.holds) {
      out += fmt::format("      holds {}, {} at {}\n", held.object, held.verb, format_site(held.at));
    }
    if (line.held_but_not_listed != 0) out += fmt::format("      holds {} more locks\n", line.held_but_not_listed);
  }
  if (!report.circle.empty()) out += fmt::format("  circle: {}\n", fmt::join(report.circle, " -> "));
  return out;
}

}  // namespace xbdbg
