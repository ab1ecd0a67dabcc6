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

ReplayInput replay_of(const std::string& journal, std::vector<std::string> files, std::uint64_t room) {
  return {room,
          [journal](std::span<std::byte> into) -> Result<std::uint64_t> {
            std::memcpy(into.data(), journal.data(), journal.size());
            return std::uint64_t{journal.size()};
          },
          std::move(files)};
}

TEST(SharedArena, HoldsJournalAndFilesOfAReplayWhereTheAgentLooks) {
  const std::vector<agent::Choice> schedule{{agent::ChoiceKind::thread, 0, 2, 1}};
  const ReplayInput replay = replay_of("journal", {"/lib/a.so", "", "/b"}, 20);  // less comes than there is room for
  ASSERT_OK(arena, SharedArena::create(config_with_stream(4096), schedule, &replay));
  agent::Arena& shared = arena.shared();
  EXPECT_EQ(shared.config.journal_bytes, 7u);
  EXPECT_EQ(std::string(reinterpret_cast<char*>(shared.journal()), 7), "journal");
  EXPECT_EQ(shared.config.files_bytes, 14u);
  EXPECT_EQ(std::string(shared.files(), 14), std::string("/lib/a.so\0\0/b\0", 14));
  EXPECT_EQ(static_cast<const void*>(arena.journal().data()), shared.journal());
  EXPECT_EQ(arena.journal().size(), 7u);
}

TEST(SharedArena, AJournalThatCannotBeReadIsAnError) {
  ReplayInput replay = replay_of("", {}, 8);
  replay.read_journal = [](std::span<std::byte>) -> Result<std::uint64_t> {
    return Error{Errc::bad_input, "damaged", {}};
  };
  EXPECT_ERROR(SharedArena::create(config_with_stream(4096), {}, &replay), Errc::bad_input, "damaged");
  replay.journal_bytes = ~std::uint64_t{0};
  EXPECT_ERROR(SharedArena::create(config_with_stream(4096), {}, &replay), Errc::bad_input, "too long");
}

TEST(SharedArena, PlacesInTheJournalAreChecked) {
  const ReplayInput replay = replay_of("journal", {}, 7);
  ASSERT_OK(arena, SharedArena::create(config_with_stream(4096), {}, &replay));
  agent::Status& shared = arena.shared().status;
  shared.state = agent::State::diverged;
  shared.journal_offset = 7;
  shared.divergence.offset = 5;
  shared.divergence.actual_bytes = 2;
  shared.divergence.actual[1] = 9;
  ASSERT_OK(status, arena.status());
  EXPECT_EQ(status.journal_offset, 7u);
  ASSERT_OK(divergence, arena.divergence());
  EXPECT_EQ(divergence.offset, 5u);
  EXPECT_EQ(divergence.actual, (std::vector<std::byte>{std::byte{0}, std::byte{9}}));

  shared.divergence.actual_bytes = agent::kDivergentBytes + 1;
  EXPECT_ERROR(arena.divergence(), Errc::bad_input, "record");
  shared.divergence.actual_bytes = 0;
  shared.divergence.offset = 8;
  EXPECT_ERROR(arena.divergence(), Errc::bad_input, "divergence");
  shared.journal_offset = 8;
  EXPECT_ERROR(arena.status(), Errc::bad_input, "journal");
}

TEST(SharedArena, ARequestIsCopiedCheckedAndAnswered) {
  ASSERT_OK(arena, SharedArena::create(config_with_stream(4096), {}));
  agent::Request& shared = arena.shared().request;
  ASSERT_OK(none, arena.request());
  EXPECT_FALSE(none.has_value());
  shared.kind = agent::RequestKind::keep_file;
  shared.args[0] = -1;
  shared.args[1] = 1;
  std::strcpy(shared.text, "/lib/x.so");
  shared.state = 1;
  ASSERT_OK(asked, arena.request());
  ASSERT_TRUE(asked.has_value());
  EXPECT_EQ(asked->fd, -1);
  EXPECT_TRUE(asked->is_module);
  EXPECT_EQ(asked->path, "/lib/x.so");
  arena.answer(-1, std::string(5000, 'w'));
  EXPECT_EQ(shared.state, 2u);
  EXPECT_EQ(shared.answer, -1);
  EXPECT_EQ(std::strlen(shared.text), sizeof shared.text - 1);

  shared.state = 1;
  shared.args[0] = std::int64_t{1} << 40;
  EXPECT_ERROR(arena.request(), Errc::bad_input, "descriptor");
  shared.kind = static_cast<agent::RequestKind>(99);
  EXPECT_ERROR(arena.request(), Errc::bad_input, "request");
}

}  // namespace
}  // namespace xbdbg
