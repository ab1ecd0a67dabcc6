#include "tracer/arena.h"

#include <unistd.h>

#include <cstring>

#include "tests/support/expect_ok.h"

namespace xbdbg {
namespace {

agent::Config config_with_stream(std::uint64_t bytes) {
  agent::Config config{};
  config.stream_bytes = bytes;
  config.seed = 42;
  return config;
}

TEST(SharedArena, HoldsConfigAndScheduleWhereTheAgentLooks) {
  const std::vector<agent::Choice> schedule{{agent::ChoiceKind::thread, 0, 2, 1},
                                            {agent::ChoiceKind::waiter, 0, 3, 2}};
  ASSERT_OK(arena, SharedArena::create(config_with_stream(8192), schedule));
  agent::Arena& shared = arena.shared();
  EXPECT_EQ(shared.magic, agent::kArenaMagic);
  EXPECT_EQ(shared.version, agent::kProtocolVersion);
  EXPECT_EQ(shared.arena_bytes, sizeof(agent::Arena));
  EXPECT_EQ(shared.config.seed, 42u);
  ASSERT_EQ(shared.config.schedule_count, 2u);
  EXPECT_EQ(shared.schedule()[1].chosen, 2u);
  EXPECT_EQ(arena.stream_ring().size(), 8192u);
  EXPECT_EQ(static_cast<const void*>(arena.stream_ring().data()), shared.stream());
}

TEST(SharedArena, StreamSizeHasADefaultAndMustBeAPowerOfTwo) {
  ASSERT_OK(arena, SharedArena::create(config_with_stream(0), {}));
  EXPECT_EQ(arena.config().stream_bytes, kDefaultStreamBytes);
  EXPECT_ERROR(SharedArena::create(config_with_stream(5000), {}), Errc::bad_input, "5000");
  EXPECT_ERROR(SharedArena::create(config_with_stream(8), {}), Errc::bad_input, "8");
  EXPECT_ERROR(SharedArena::create(config_with_stream(kMaxStreamBytes * 2), {}), Errc::bad_input, "stream size");
}

TEST(SharedArena, CannotBeShrunkByTheTarget) {
  ASSERT_OK(arena, SharedArena::create(config_with_stream(4096), {}));
  EXPECT_EQ(::ftruncate(arena.fd(), 0), -1);
}

TEST(SharedArena, SizesAreOursEvenIfTheTargetOverwritesThem) {
  ASSERT_OK(arena, SharedArena::create(config_with_stream(4096), {}));
  arena.shared().config.stream_bytes = 1u << 30;
  EXPECT_EQ(arena.stream_ring().size(), 4096u);
}

TEST(SharedArena, StatusIsCopiedAndItsMessageBounded) {
  ASSERT_OK(arena, SharedArena::create(config_with_stream(4096), {}));
  agent::Status& shared = arena.shared().status;
  shared.state = agent::State::failed;
  shared.events = 7;
  std::memset(shared.message, 'x', sizeof shared.message);
  ASSERT_OK(status, arena.status());
  EXPECT_EQ(status.state, agent::State::failed);
  EXPECT_EQ(status.events, 7u);
  EXPECT_EQ(status.message, std::string(sizeof shared.message, 'x'));
}

TEST(SharedArena, ImpossibleStatusIsAnError) {
  ASSERT_OK(arena, SharedArena::create(config_with_stream(4096), {}));
  arena.shared().status.state = static_cast<agent::State>(77);
  EXPECT_ERROR(arena.status(), Errc::bad_input, "state");
  arena.shared().status.state = agent::State::running;
  arena.shared().status.current_slot = agent::kMaxThreads;
  EXPECT_ERROR(arena.status(), Errc::bad_input, "running thread");
}

TEST(SharedArena, ListsThreadsInUse) {
  ASSERT_OK(arena, SharedArena::create(config_with_stream(4096), {}));
  agent::Arena& shared = arena.shared();
  shared.threads_used = 3;
  shared.threads[0].state = agent::ThreadState::ready;
  shared.threads[2].state = agent::ThreadState::blocked;
  shared.threads[2].index = 5;
  std::memset(shared.threads[2].name, 'n', agent::kNameBytes);
  ASSERT_OK(threads, arena.threads());
  ASSERT_EQ(threads.size(), 2u);
  EXPECT_EQ(threads[1].index, 5u);
  EXPECT_STREQ(threads[1].name, "nnnnnnnnnnnnnnn");
}

TEST(SharedArena, ImpossibleThreadsAreAnError) {
  ASSERT_OK(arena, SharedArena::create(config_with_stream(4096), {}));
  agent::Arena& shared = arena.shared();
  shared.threads_used = agent::kMaxThreads + 1;
  EXPECT_ERROR(arena.threads(), Errc::bad_input, "number of threads");
  shared.threads_used = 1;
  shared.threads[0].state = static_cast<agent::ThreadState>(9);
  EXPECT_ERROR(arena.threads(), Errc::bad_input, "state");
  shared.threads[0].state = agent::ThreadState::ready;
  shared.threads[0].waiting_in = static_cast<agent::Operation>(255);
  EXPECT_ERROR(arena.threads(), Errc::bad_input, "operation");
  shared.threads[0].waiting_in = agent::Operation::mutex_lock;
  shared.threads[0].held_count = ~0u;
  shared.threads[0].held[agent::kMaxHeld - 1].operation = static_cast<agent::Operation>(255);
  EXPECT_ERROR(arena.threads(), Errc::bad_input, "locks");
}

}  // namespace
}  // namespace xbdbg
