// A program that is started as it was recorded finds the same addresses, whatever has changed around xbdbg.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/temp_dir.h"
#include "tests/target/launch/support.h"

namespace xbdbg {
namespace {

using test::content_of;
using test::our_environment;
using test::test_program;
using test::wait_for_end;

constexpr char kAgent[] = XB_BINARY_DIR "/lib/libxbdbg-agent.so";

// Puts back at its end what a test changes in this process.
class Surroundings {
 public:
  Surroundings() : folder_(std::filesystem::current_path()) { (void)::getrlimit(RLIMIT_STACK, &stack_); }
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  ~Surroundings() {
    std::filesystem::current_path(folder_);
    (void)::setrlimit(RLIMIT_STACK, &stack_);
  }
  void limit_stack(rlim_t bytes) const {
    const rlimit limit{bytes, stack_.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_STACK, &limit), 0);
  }

 private:
  std::filesystem::path folder_;
  rlimit stack_{};
};

struct Report {
  StartImage start{};
  std::string text{};
};

Report report_of(const LaunchOptions& options, const std::string& path) {
  std::filesystem::remove(path);
  auto target = launch(options);
  EXPECT_OK(target);
  if (!target) return {};
  auto end = wait_for_end(target->process);
  EXPECT_OK(end);
  if (end) {
    EXPECT_EQ(*end, TargetEvent(TargetExited{0}));
  }
  return {target->start, content_of(path)};
}

// What is recorded, then started again from another folder, with another environment, arena and stack limit.
void expect_same_start(LaunchOptions options, const std::string& report_path, rlim_t recorded_stack) {
  Surroundings surroundings;
  surroundings.limit_stack(recorded_stack);
  options.env = our_environment();
  options.env.push_back("LD_PRELOAD=");
  options.agent_path = kAgent;
  const Report first = report_of(options, report_path);
  EXPECT_NE(first.text.find("stack 0x7ff"), std::string::npos) << first.text;

  test::TempDir elsewhere;
  std::filesystem::current_path(elsewhere.path());
  surroundings.limit_stack(9u << 20);
  LaunchOptions again;
  again.as_recorded = &first.start;
  again.agent_path = elsewhere / "a folder for the agent.so";
  std::filesystem::copy_file(kAgent, again.agent_path);
  again.config.stream_bytes = 64u << 20;
  again.schedule.resize(100'000);
  const Report second = report_of(again, report_path);
  EXPECT_EQ(second.text, first.text);
}

TEST(SameStart, HasTheSameAddresses) {
  test::TempDir dir;
  expect_same_start({.argv = {test_program("probe"), "report", dir / "report"}}, dir / "report", 8u << 20);
}

TEST(SameStart, HasTheRecordedLayoutOfALargeStack) {
  test::TempDir dir;
  expect_same_start({.argv = {test_program("probe"), "report", dir / "report"}}, dir / "report", 1u << 30);
}

TEST(SameStart, OfARelativeName) {
  test::TempDir dir;
  Surroundings surroundings;
  std::filesystem::current_path(XB_BINARY_DIR "/tests");
  expect_same_start({.argv = {"bin/launch_probe", "report", dir / "report"}}, dir / "report", 8u << 20);
}

TEST(SameStart, OfAScriptNeedsTheScriptNoMore) {
  test::TempDir dir;
  const std::string script =
      dir.file("script", "#!" + test_program("probe") + " report\n");  // the probe gets: report SCRIPT
  ASSERT_EQ(::chmod(script.c_str(), 0755), 0);
  LaunchOptions options{.argv = {script}, .env = our_environment(), .agent_path = kAgent};
  ASSERT_OK(first, launch(options));
  EXPECT_OK(wait_for_end(first.process));
  EXPECT_EQ(first.start.name, script);
  EXPECT_EQ(first.start.executable, std::filesystem::canonical(test_program("probe")));
  EXPECT_EQ(first.start.argv, (std::vector<std::string>{test_program("probe"), "report", script}));
  const std::string report = content_of(script);  // it was written over
  std::filesystem::remove(script);
  EXPECT_EQ(report_of({.agent_path = kAgent, .as_recorded = &first.start}, script).text, report);
}

TEST(SameStart, OfAnotherProgramIsAnError) {
  test::TempDir dir;
  ASSERT_OK(first, launch({.argv = {test_program("probe"), "exit", "0"}, .env = our_environment()}));
  EXPECT_OK(wait_for_end(first.process));
  StartImage changed = first.start;
  changed.executable = "/bin/true";
  EXPECT_ERROR(launch({.as_recorded = &changed}), Errc::unsupported, "does not start as it was recorded");
}

}  // namespace
}  // namespace xbdbg
