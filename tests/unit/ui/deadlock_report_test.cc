#include "ui-tui/deadlock_report.h"

#include <gtest/gtest.h>

#include <cstring>

namespace xbdbg {
namespace {

using agent::Operation;
using agent::ThreadState;
using agent::ThreadView;

// Objects are called after their addresses, places after theirs: 0xa is lock_a, 21 is bank.c:21.
class FakeNames : public TargetNames {
 public:
  std::string object(ObjectKind, Addr address) override {
    return std::string("lock_") + static_cast<char>('a' + address.raw() - 0xa);
  }
  SourceSite site(Addr pc) override {
    return {.function = "transfer", .file = "bank.c", .line = static_cast<std::uint32_t>(pc.raw())};
  }
  std::vector<SourceSite> backtrace(const ThreadView& thread) override {
    return {site(Addr(thread.waiting_pc)), {.function = "worker", .file = "bank.c", .line = 31}};
  }
};

ThreadView blocked(std::uint32_t index, Operation in, std::uint64_t object, std::uint64_t pc) {
  ThreadView view{};
  view.state = ThreadState::blocked;
  view.index = index;
  view.waiting_in = in;
  view.waiting_for = object;
  view.waiting_pc = pc;
  return view;
}

void hold(ThreadView& view, std::uint64_t object, std::uint64_t pc, Operation with = Operation::mutex_lock) {
  view.held[view.held_count++] = {.object = object, .pc = pc, .operation = with, .reserved = {}};
}

std::string report(std::vector<ThreadView> threads) {
  FakeNames names;
  return format_deadlock(describe_deadlock(threads, names), Style{});
}

TEST(DeadlockReport, NamesWaitersHoldersPlacesAndTheCircle) {
  ThreadView t1 = blocked(1, Operation::mutex_lock, 0xb, 23), t2 = blocked(2, Operation::mutex_lock, 0xa, 23);
  std::strcpy(t1.name, "worker");
  hold(t1, 0xa, 21);
  hold(t2, 0xb, 21);
  EXPECT_EQ(report({t2, t1, blocked(0, Operation::thread_join, 1, 40)}),
            "xbdbg: deadlock: no thread can run\n"
            "  T0 waits in pthread_join for T1 (worker)\n"
            "      at transfer (bank.c:40)\n"
            "         worker (bank.c:31)\n"
            "  T1 (worker) waits in pthread_mutex_lock for mutex `lock_b` held by T2\n"
            "      at transfer (bank.c:23)\n"
            "         worker (bank.c:31)\n"
            "      holds mutex `lock_a`, locked at transfer (bank.c:21)\n"
            "  T2 waits in pthread_mutex_lock for mutex `lock_a` held by T1 (worker)\n"
            "      at transfer (bank.c:23)\n"
            "         worker (bank.c:31)\n"
            "      holds mutex `lock_b`, locked at transfer (bank.c:21)\n"
            "  circle: T1 -> T2 -> T1\n");
}

WaitLine only(const ThreadView& thread, std::vector<ThreadView> others = {}) {
  FakeNames names;
  others.push_back(thread);
  for (const WaitLine& line : describe_deadlock(others, names).threads) {
    if (line.thread == thread_label(thread)) return line;
  }
  return {};
}

TEST(DeadlockReport, AThreadCanWaitForItself) {
  ThreadView t = blocked(3, Operation::mutex_lock, 0xa, 5);
  hold(t, 0xa, 4);
  EXPECT_EQ(only(t).why, "held by T3 itself");
  FakeNames names;
  EXPECT_EQ(describe_deadlock(std::vector{t}, names).circle, (std::vector<std::string>{"T3", "T3"}));
}

TEST(DeadlockReport, SaysThatTheHolderHasEnded) {
  ThreadView dead{};
  dead.state = ThreadState::ended;
  dead.index = 4;
  hold(dead, 0xa, 9);
  EXPECT_EQ(only(blocked(1, Operation::mutex_lock, 0xa, 5), {dead}).why, "held by T4, which has ended");
}

TEST(DeadlockReport, ListsAllReadersOfALock) {
  ThreadView r1 = blocked(1, Operation::rwlock_wrlock, 0xa, 5), r2 = blocked(2, Operation::rwlock_wrlock, 0xa, 5);
  hold(r1, 0xa, 3, Operation::rwlock_rdlock);
  hold(r2, 0xa, 3, Operation::rwlock_rdlock);
  EXPECT_EQ(only(r2, {r1}).why, "held by T1 and T2 itself");
  EXPECT_EQ(only(r2, {r1}).holds.at(0).verb, "locked for reading");
}

TEST(DeadlockReport, ExplainsWaitsWithoutAHolder) {
  EXPECT_EQ(only(blocked(1, Operation::cond_wait, 0xa, 5)).why, "that no thread is left to signal");
  EXPECT_EQ(only(blocked(1, Operation::sem_wait, 0xa, 5)).why, "that no thread is left to post");
  EXPECT_EQ(only(blocked(1, Operation::barrier_wait, 0xa, 5)).why, "that no other thread is left to reach");
  EXPECT_EQ(only(blocked(1, Operation::futex_wait, 0xa, 5)).object, "futex `lock_a`");
  EXPECT_EQ(only(blocked(1, Operation::thread_join, 7, 5)).object, "T7");
  EXPECT_EQ(only(blocked(1, Operation::io_wait, 5, 5)).object, "file descriptor 5");
  EXPECT_EQ(only(blocked(1, Operation::signal_wait, 0, 5)).object, "");
}

TEST(DeadlockReport, CountsLocksThatAreNotListed) {
  ThreadView t = blocked(1, Operation::mutex_lock, 0xa, 5);
  t.held_count = 1'000'000;  // the target may write anything there
  const WaitLine line = only(t);
  EXPECT_EQ(line.holds.size(), agent::kMaxHeld);
  EXPECT_EQ(line.held_but_not_listed, 1'000'000 - agent::kMaxHeld);
}

TEST(DeadlockReport, FourThousandThreadsInAChainAreDescribed) {
  std::vector<ThreadView> threads;
  for (std::uint32_t i = 0; i < agent::kMaxThreads; ++i)
    threads.push_back(blocked(i, Operation::thread_join, i + 1, 1));
  FakeNames names;
  const DeadlockReport described = describe_deadlock(threads, names);
  EXPECT_EQ(described.threads.size(), agent::kMaxThreads);
  EXPECT_TRUE(described.circle.empty());
}

TEST(DeadlockReport, PlacesWithoutDebugInformationStayReadable) {
  EXPECT_EQ(format_site({.function = "f", .file = "bank", .line = 0}), "f (bank)");
  EXPECT_EQ(format_site({}), "??");
}

}  // namespace
}  // namespace xbdbg
