#include "replay/recorder.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstring>

#include "replay/trace_reader.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_dir.h"
#include "tracer/agent/journal_format.h"

namespace xbdbg {
namespace {

// Plays the agent: writes to the ring and waits for room as tracer/agent/ring.cc does, asks as requests.cc does. The
// "target" whose descriptors are asked for is this process.
class FakeAgent {
 public:
  explicit FakeAgent(SharedArena& arena) : a_(arena.shared()), size_(arena.config().stream_bytes) {}

  void write(const std::string& bytes) {
    for (const char byte : bytes) {
      const std::uint64_t head = a_.head.load();
      while (head + 1 - a_.tail.load() > size_) wait_for_room();
      a_.stream()[head & (size_ - 1)] = static_cast<std::uint8_t>(byte);
      a_.head.store(head + 1);
    }
  }

  std::int64_t ask(agent::RequestKind kind, std::int64_t fd, bool is_module, const std::string& path = {}) {
    agent::Request& request = a_.request;
    request.kind = kind;
    request.args[0] = fd;
    request.args[1] = is_module ? 1 : 0;
    std::strcpy(request.text, path.c_str());
    request.state.store(1);
    ring();
    while (request.state.load() != 2) futex(request.state, FUTEX_WAIT, 1);
    request.state.store(0);
    return request.answer;
  }

  std::string why_not() const { return a_.request.text; }

 private:
  static void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
    (void)::syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
  }
  void ring() {
    a_.doorbell.fetch_add(1);
    if (a_.reader_waits.load() != 0) futex(a_.doorbell, FUTEX_WAKE, 1);
  }
  void wait_for_room() {
    const std::uint32_t seen = a_.tail_futex.load();
    if (a_.head.load() + 1 - a_.tail.load() <= size_) return;
    ring();
    futex(a_.tail_futex, FUTEX_WAIT, seen);
  }

  agent::Arena& a_;
  std::uint64_t size_;
};

class RecorderTest : public testing::Test {
 protected:
  void SetUp() override {
    agent::Config config{};
    config.mode = agent::Mode::record;
    config.stream_bytes = 4096;
    auto arena = SharedArena::create(config, {});
    ASSERT_TRUE(arena);
    arena_.emplace(*std::move(arena));
    auto writer = TraceWriter::create(path_, TraceInfo{.argv = {"prog"}});
    ASSERT_TRUE(writer) << writer.error().what;
    auto recorder = Recorder::start(*arena_, *std::move(writer), Pid(::getpid()));
    ASSERT_TRUE(recorder) << recorder.error().what;
    recorder_ = *std::move(recorder);
  }

  static std::string journal(std::uint64_t values) {
    std::string bytes;
    for (std::uint64_t i = 0; i < values; ++i) {
      const agent::JournalValue value{.type = agent::JournalType::value, .reserved = {}, .value = i};
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    return bytes;
  }

  std::string recorded() const {
    const auto trace = Trace::open(path_);
    if (!trace) return trace.error().what;
    const auto bytes = trace->read_journal();
    if (!bytes) return bytes.error().what;
    return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
  }

  test::TempDir dir_{};
  std::string path_ = dir_ / "trace";
  std::optional<SharedArena> arena_{};
  std::unique_ptr<Recorder> recorder_{};
};

TEST_F(RecorderTest, KeepsMoreThanTheRingHoldsByteForByte) {
  const std::string bytes = journal(100'000);
  std::thread agent([&] { FakeAgent(*arena_).write(bytes); });
  agent.join();
  EXPECT_OK(recorder_->finish({.kind = TraceEnding::Kind::exited, .value = 3}));
  EXPECT_EQ(recorded(), bytes);
  ASSERT_OK(trace, Trace::open(path_));
  EXPECT_EQ(trace.ending().kind, TraceEnding::Kind::exited);
  EXPECT_EQ(trace.ending().value, 3);
}

TEST_F(RecorderTest, TakesWhatADeadTargetLeftInTheRing) {
  const std::string bytes = journal(7);
  FakeAgent(*arena_).write(bytes);
  EXPECT_OK(recorder_->finish({.kind = TraceEnding::Kind::killed, .value = SIGKILL}));
  EXPECT_EQ(recorded(), bytes);
}

TEST_F(RecorderTest, WhatIsWrittenGetsToTheDiskWithoutABell) {
  const std::string bytes = journal(7);
  FakeAgent(*arena_).write(bytes);
  const auto there = [&] {
    const auto trace = Trace::open(path_ + std::string(kIncompleteSuffix), {.allow_incomplete = true});
    const auto read = trace ? trace->read_journal() : Result<std::vector<std::byte>>(trace.error());
    return read && read->size() == bytes.size();
  };
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!there() && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  EXPECT_TRUE(there());
}

TEST_F(RecorderTest, KeepsFilesByNumber) {
  const std::string data = dir_.file("data", "content");
  FakeAgent agent(*arena_);
  const UniqueFd fd(::open(data.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(agent.ask(agent::RequestKind::keep_file, fd.get(), false), 0);
  EXPECT_EQ(agent.ask(agent::RequestKind::keep_file, -1, true, "/proc/self/exe"), 1);
  EXPECT_EQ(agent.ask(agent::RequestKind::keep_file, -1, true, "/proc/self/exe"), 1);  // it is the same
  EXPECT_OK(recorder_->finish({.kind = TraceEnding::Kind::exited}));
  ASSERT_OK(trace, Trace::open(path_));
  ASSERT_EQ(trace.files().size(), 2u);
  EXPECT_EQ(trace.files()[0].original.path, data);
  ASSERT_OK(copy, read_whole_file(trace.path_of(trace.files()[0].copy), 100));
  EXPECT_EQ(copy, "content");
}

TEST_F(RecorderTest, KeepsAFileThatHasNoName) {
  const UniqueFd fd(::memfd_create("nameless", MFD_CLOEXEC));
  ASSERT_OK(written, write_all(fd.get(), "content"));
  (void)written;
  EXPECT_EQ(FakeAgent(*arena_).ask(agent::RequestKind::keep_file, fd.get(), false), 0);
  EXPECT_OK(recorder_->finish({.kind = TraceEnding::Kind::exited}));
  ASSERT_OK(trace, Trace::open(path_));
  EXPECT_EQ(trace.files()[0].original.path, "");
}

TEST_F(RecorderTest, SaysWhyAFileCannotBeKept) {
  FakeAgent agent(*arena_);
  EXPECT_EQ(agent.ask(agent::RequestKind::keep_file, 987, false), -1);
  EXPECT_NE(agent.why_not().find("No such file"), std::string::npos) << agent.why_not();
  ASSERT_OK(pipe, make_pipe());
  EXPECT_EQ(agent.ask(agent::RequestKind::keep_file, pipe.read_end.get(), false), -1);
  EXPECT_EQ(agent.why_not(), "it is not a regular file");
  EXPECT_FALSE(recorder_->error().has_value());  // that is for the agent to judge
}

TEST_F(RecorderTest, ReadsTheModulesWhenAsked) {
  EXPECT_EQ(FakeAgent(*arena_).ask(agent::RequestKind::modules, 0, false), 0);
  EXPECT_OK(recorder_->finish({.kind = TraceEnding::Kind::exited}));
  ASSERT_OK(trace, Trace::open(path_));
  const auto& files = trace.files();
  EXPECT_TRUE(std::any_of(files.begin(), files.end(), [](const KeptFile& file) {
    return file.original.path.find("recorder_unit_test") != std::string::npos && file.copy.empty();
  }));
  EXPECT_FALSE(trace.mappings().empty());
}

TEST_F(RecorderTest, ADamagedRingEndsTheRecordingWithAnError) {
  arena_->shared().head = 1'000'000;
  while (!recorder_->error()) std::this_thread::yield();
  EXPECT_NE(recorder_->error()->what.find("malformed"), std::string::npos);
  EXPECT_ERROR(recorder_->finish({}), Errc::bad_input, "malformed");
  EXPECT_FALSE(Trace::open(path_));
}

TEST_F(RecorderTest, AFullDiskEndsTheRecordingWithAnError) {
  rlimit old{};
  (void)::getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, old.rlim_max};  // of any file
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string noise(4096, '\0');
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<char>(i * i * 2654435761u >> 13);
  FakeAgent agent(*arena_);
  for (int i = 0; i < 1000 && !recorder_->error(); ++i) {
    if (arena_->shared().head - arena_->shared().tail == 0) agent.write(noise);
  }
  while (!recorder_->error()) std::this_thread::yield();
  EXPECT_NE(recorder_->error()->what.find("File too large"), std::string::npos) << recorder_->error()->what;
  EXPECT_FALSE(recorder_->finish({.kind = TraceEnding::Kind::exited}));
  (void)::setrlimit(RLIMIT_FSIZE, &old);
  (void)::signal(SIGXFSZ, handler);
}

TEST_F(RecorderTest, DroppedItLeavesAnIncompleteTrace) {
  FakeAgent(*arena_).write(journal(3));
  recorder_.reset();
  EXPECT_FALSE(Trace::open(path_));
  EXPECT_TRUE(looks_like_trace(path_ + std::string(kIncompleteSuffix)));
}

}  // namespace
}  // namespace xbdbg
