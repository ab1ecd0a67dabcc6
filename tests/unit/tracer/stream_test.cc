#include "tracer/stream.h"

#include <cstring>
#include <string>

#include "tests/support/expect_ok.h"

namespace xbdbg {
namespace {

using Bytes = std::vector<std::byte>;

struct Seen : StreamSink {
  void on_event(const agent::EventRecord& event, std::span<const std::byte> stack) override {
    events.push_back(event.index);
    stacks.emplace_back(reinterpret_cast<const char*>(stack.data()), stack.size());
  }
  void on_choice(const agent::ChoiceRecord& choice) override { choices.push_back(choice.choice.chosen); }
  void on_modules_changed() override { module_changes.push_back(events.size()); }

  std::vector<std::uint64_t> events{};
  std::vector<std::string> stacks{};
  std::vector<std::uint32_t> choices{};
  std::vector<std::size_t> module_changes{};  // how many events came before each
};

template <class Record>
void append(Bytes& bytes, const Record& record, std::string_view behind = {}) {
  const auto* from = reinterpret_cast<const std::byte*>(&record);
  bytes.insert(bytes.end(), from, from + sizeof record);
  for (const char c : behind) bytes.push_back(static_cast<std::byte>(c));
  while (bytes.size() % 8 != 0) bytes.push_back(std::byte{0});
}

agent::EventRecord event_record(std::uint64_t index, std::uint32_t stack_bytes = 0) {
  agent::EventRecord event{};
  event.header = {static_cast<std::uint32_t>(sizeof event + (stack_bytes + 7) / 8 * 8), agent::RecordType::event, {}};
  event.index = index;
  event.operation = agent::Operation::mutex_lock;
  event.stack_bytes = stack_bytes;
  return event;
}

agent::ChoiceRecord choice_record(std::uint32_t chosen) {
  return {{sizeof(agent::ChoiceRecord), agent::RecordType::choice, {}}, 0, {agent::ChoiceKind::thread, 0, 2, chosen}};
}

Bytes sample_stream() {
  Bytes bytes;
  append(bytes, event_record(0));
  append(bytes, choice_record(3));
  append(bytes, event_record(1, 5), "stack");
  return bytes;
}

void expect_sample(const Seen& seen) {
  EXPECT_EQ(seen.events, (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(seen.choices, (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(seen.stacks, (std::vector<std::string>{"", "stack"}));
}

Result<> decode(const Bytes& bytes, std::uint32_t max_stack_bytes = 64) {
  Seen seen;
  StreamDecoder decoder(max_stack_bytes, seen);
  XB_CHECK(decoder.feed(bytes));
  return decoder.finish();
}

TEST(StreamDecoder, DeliversEventsChoicesAndStacks) {
  Seen seen;
  StreamDecoder decoder(64, seen);
  EXPECT_OK(decoder.feed(sample_stream()));
  EXPECT_OK(decoder.finish());
  expect_sample(seen);
}

TEST(StreamDecoder, AnySplitOfTheBytesGivesTheSame) {
  const Bytes bytes = sample_stream();
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    Seen seen;
    StreamDecoder decoder(64, seen);
    EXPECT_OK(decoder.feed(std::span(bytes).first(cut)));
    EXPECT_OK(decoder.feed(std::span(bytes).subspan(cut)));
    expect_sample(seen);
  }
}

TEST(StreamDecoder, TellsOfChangedModulesBetweenTheEventsAroundThem) {
  Bytes bytes;
  append(bytes, event_record(0));
  append(bytes, agent::RecordHeader{sizeof(agent::RecordHeader), agent::RecordType::modules, {}});
  append(bytes, event_record(1));
  Seen seen;
  StreamDecoder decoder(64, seen);
  EXPECT_OK(decoder.feed(bytes));
  EXPECT_EQ(seen.module_changes, (std::vector<std::size_t>{1}));
  EXPECT_EQ(seen.events.size(), 2u);

  bytes.clear();
  append(bytes, agent::RecordHeader{16, agent::RecordType::modules, {}}, "too long");
  EXPECT_ERROR(decode(bytes), Errc::bad_input, "change of modules");
}

TEST(StreamDecoder, EndWithinARecordIsAnError) {
  Bytes bytes = sample_stream();
  bytes.pop_back();
  EXPECT_ERROR(decode(bytes), Errc::bad_input, "ends within");
}

TEST(StreamDecoder, WrongSizesAreErrors) {
  for (const std::uint32_t size : {0u, 1u, 7u, 12u, 8u, 16u, 0x7fffffffu, 0xfffffff8u}) {
    Bytes bytes;
    agent::EventRecord event = event_record(0);
    event.header.size = size;
    append(bytes, event);
    EXPECT_ERROR(decode(bytes), Errc::bad_input, "malformed") << size;
  }
}

TEST(StreamDecoder, MoreStackThanAskedForIsAnError) {
  Bytes bytes;
  append(bytes, event_record(0, 72), std::string(72, 's'));
  EXPECT_OK(decode(bytes, 72));
  EXPECT_ERROR(decode(bytes, 64), Errc::bad_input, "record of");
}

TEST(StreamDecoder, StackSizeThatDisagreesWithTheRecordIsAnError) {
  Bytes bytes;
  agent::EventRecord event = event_record(0, 16);
  event.stack_bytes = 40;
  append(bytes, event, std::string(16, 's'));
  EXPECT_ERROR(decode(bytes), Errc::bad_input, "bytes of stack");
}

TEST(StreamDecoder, UnknownTypesAndOperationsAreErrors) {
  Bytes bytes;
  agent::EventRecord event = event_record(0);
  event.header.type = static_cast<agent::RecordType>(9);
  append(bytes, event);
  EXPECT_ERROR(decode(bytes), Errc::bad_input, "unknown type 9");

  bytes.clear();
  event = event_record(0);
  event.operation = static_cast<agent::Operation>(255);
  append(bytes, event);
  EXPECT_ERROR(decode(bytes), Errc::bad_input, "unknown operation");
}

TEST(StreamDecoder, ChoicesMustHaveAlternatives) {
  Bytes bytes;
  agent::ChoiceRecord choice = choice_record(0);
  choice.choice.alternatives = 1;
  append(bytes, choice);
  EXPECT_ERROR(decode(bytes), Errc::bad_input, "choice");
}

TEST(StreamDecoder, AnEventOutOfOrderIsAnErrorAndTheEnd) {
  Bytes bytes;
  append(bytes, event_record(0));
  append(bytes, event_record(2));
  Seen seen;
  StreamDecoder decoder(64, seen);
  EXPECT_ERROR(decoder.feed(bytes), Errc::bad_input, "event 2 where event 1");
  EXPECT_ERROR(decoder.feed(sample_stream()), Errc::bad_input, "given up");
  EXPECT_EQ(seen.events.size(), 1u);
}

class RingTest : public testing::Test {
 protected:
  static SharedArena make_arena() {
    agent::Config config{};
    config.stream_bytes = 4096;
    config.stack_bytes = 64;
    auto arena = SharedArena::create(config, {});
    XB_ASSERT(arena);
    return *std::move(arena);
  }
  void write(const Bytes& bytes) {  // as the agent does
    std::uint64_t head = arena_.shared().head;
    for (const std::byte b : bytes) arena_.shared().stream()[head++ % 4096] = static_cast<std::uint8_t>(b);
    arena_.shared().head = head;
  }

  SharedArena arena_ = make_arena();
  Seen seen_{};
};

TEST_F(RingTest, RecordsThatWrapAroundTheEndArrive) {
  StreamReader reader(arena_, seen_);
  std::uint64_t index = 0;
  for (int round = 0; round < 200; ++round) {
    Bytes bytes;
    append(bytes, event_record(index++, 24), std::string(24, 's'));
    append(bytes, choice_record(1));
    write(bytes);
    ASSERT_OK(done, reader.drain());
    (void)done;
    EXPECT_EQ(arena_.shared().tail, arena_.shared().head);
  }
  EXPECT_GT(arena_.shared().head, 3 * 4096u);
  EXPECT_GE(arena_.shared().tail_futex, 200u);
  EXPECT_EQ(seen_.events.size(), 200u);
  EXPECT_EQ(seen_.choices.size(), 200u);
  EXPECT_OK(reader.finish());
}

TEST_F(RingTest, AHeadOutsideTheRingIsAnError) {
  StreamReader reader(arena_, seen_);
  for (const std::uint64_t head : {std::uint64_t{4097}, ~std::uint64_t{0}}) {
    arena_.shared().head = head;
    EXPECT_ERROR(reader.drain(), Errc::bad_input, "head");
  }
}

TEST_F(RingTest, TheTailThatTheTargetOverwroteIsNotBelieved) {
  StreamReader reader(arena_, seen_);
  arena_.shared().tail = 0x123456;
  write(sample_stream());
  EXPECT_OK(reader.drain());
  expect_sample(seen_);
}

}  // namespace
}  // namespace xbdbg
