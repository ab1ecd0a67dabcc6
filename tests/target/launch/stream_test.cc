// The arena and the stream, with a process at the other end.
#include "tracer/stream.h"

#include <chrono>

#include "tests/target/launch/support.h"

namespace xbdbg {
namespace {

struct Counter : StreamSink {
  void on_event(const agent::EventRecord&, std::span<const std::byte>) override { ++events; }
  void on_choice(const agent::ChoiceRecord&) override {}
  int events = 0;
};

TEST(Stream, CarriesMoreThanTheRingHolds) {
  LaunchOptions options{.argv = {test::test_program("fake_agent"), "20000"}, .env = {}};
  options.config.stream_bytes = 4096;
  options.schedule = {{agent::ChoiceKind::thread, 0, 9, 7}};
  ASSERT_OK(target, launch(options));
  Counter counter;
  StreamReader reader(target.arena, counter);
  while (!target.process.ended()) {
    ASSERT_TRUE(test::is_ok(reader.drain()));
    ASSERT_OK(event, target.process.wait_event(std::chrono::milliseconds(0)));
    if (target.process.ended()) {
      EXPECT_EQ(event, TargetEvent(TargetExited{0}));
    }
  }
  EXPECT_OK(reader.drain());
  EXPECT_OK(reader.finish());
  EXPECT_EQ(counter.events, 20000);
  ASSERT_OK(status, target.arena.status());
  EXPECT_EQ(status.state, agent::State::ended);
}

TEST(Stream, WithoutAnAgentTheStateStaysLaunching) {
  ASSERT_OK(target, test::launch_program({test::test_program("probe"), "exit", "0"}));
  EXPECT_OK(test::wait_for_end(target.process));
  ASSERT_OK(status, target.arena.status());
  EXPECT_EQ(status.state, agent::State::launching);
}

}  // namespace
}  // namespace xbdbg
