// What xbdbg will not run is refused in one line with a remedy, before anything has run.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "tests/e2e/run_command.h"
#include "tests/support/temp_dir.h"

namespace xbdbg::test {
namespace {

namespace fs = std::filesystem;

// One line "xbdbg: ...", perhaps a line "  hint: ...", nothing else; status 2.
void expect_refused(const std::vector<std::string>& words, const std::string& part) {
  const Outcome outcome = xbdbg(words);
  EXPECT_EQ(outcome.status, 2) << outcome;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.rfind("xbdbg: ", 0), 0u) << outcome;
  EXPECT_NE(outcome.err.find(part), std::string::npos) << "no \"" << part << "\" in: " << outcome.err;
  const auto lines = std::count(outcome.err.begin(), outcome.err.end(), '\n');
  EXPECT_TRUE(lines == 1 || (lines == 2 && outcome.err.find("\n  hint: ") != std::string::npos)) << outcome.err;
}

class Refusal : public testing::Test {
 protected:
  std::string executable(const std::string& name, const std::string& content) {
    const std::string path = dir_.file(name, content);
    ::chmod(path.c_str(), 0755);
    return path;
  }
  TempDir dir_;
};

TEST_F(Refusal, NotFound) {
  expect_refused({"run", "--", "./no-such-program"}, "No such file or directory");
  expect_refused({"run", "--", "no-such-program"}, "no-such-program");
}

TEST_F(Refusal, NotExecutable) { expect_refused({"run", "--", dir_.file("data", "x")}, "data"); }

TEST_F(Refusal, AFolder) { expect_refused({"run", "--", dir_.path()}, dir_.path()); }

TEST_F(Refusal, NotElf) { expect_refused({"run", "--", executable("text", "no program\n")}, "text"); }

TEST_F(Refusal, StaticallyLinked) { expect_refused({"run", "--", program("static_program")}, "static"); }

TEST_F(Refusal, AScriptWhoseInterpreterIsRefused) {
  expect_refused({"run", "--", executable("script", "#!" + program("static_program") + "\n")}, "static");
}

TEST_F(Refusal, ThirtyTwoBit) {
  std::string elf = contents(program("ending")).substr(0, 4096);
  elf[4] = 1;  // ELFCLASS32
  expect_refused({"run", "--", executable("elf32", elf)}, "32-bit");
}

TEST_F(Refusal, AnotherArchitecture) {
  std::string elf = contents(program("ending"));
  elf[18] = static_cast<char>(183);  // e_machine: EM_AARCH64
  expect_refused({"run", "--", executable("arm", elf)}, "aarch64");
}

TEST_F(Refusal, Setuid) {
  const std::string path = dir_ / "privileged";
  fs::copy_file(program("ending"), path);
  ASSERT_EQ(::chmod(path.c_str(), 04755), 0);
  expect_refused({"run", "--", path}, "setuid");
}

TEST_F(Refusal, AnAgentThatIsNotThere) {
  const Outcome outcome = xbdbg({"run", "--", program("ending")}, {.environment = {"XBDBG_AGENT=/nowhere/agent.so"}});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "xbdbg: read the agent library /nowhere/agent.so (from $XBDBG_AGENT): No such file or directory\n"
            "  hint: unset XBDBG_AGENT to use the library that came with xbdbg\n");
}

// An agent that does not take over must never look like a run under xbdbg.
TEST_F(Refusal, AnAgentThatDoesNotLoad) {
  const std::string broken = dir_.file("agent.so", "not a library");
  const Outcome outcome = xbdbg({"run", "--", program("ending")}, {.environment = {"XBDBG_AGENT=" + broken}});
  EXPECT_EQ(outcome.status, 2) << outcome;
  EXPECT_NE(outcome.err.find("before the agent took control"), std::string::npos) << outcome;
}

TEST_F(Refusal, BadOptionsAndSchedules) {
  expect_refused({"run", "--frob", "--", program("ending")}, "unknown option --frob");
  expect_refused({"run", "--policy", "zip", "--", program("ending")}, "zip");
  const std::string bad =
      dir_.file("bad.xbs", "xbdbg-schedule 1\nprogram x\npolicy first\nseed 0\nevents 0\nchoices 1\nt x\n");
  expect_refused({"run", "--schedule", bad, "--", program("ending")}, bad + ":7: expected");
}

TEST(Doctor, SaysThatThisMachineWillDo) {
  const Outcome outcome = xbdbg({"doctor"});
  EXPECT_EQ(outcome.status, 0) << outcome;
  EXPECT_NE(outcome.out.find("this machine can run programs under xbdbg\n"), std::string::npos) << outcome;
}

TEST(Version, IsOneLine) { EXPECT_EQ(xbdbg({"--version"}).out.rfind("xbdbg 0.", 0), 0u); }

}  // namespace
}  // namespace xbdbg::test
