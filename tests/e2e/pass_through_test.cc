// `xbdbg run` is as good as no xbdbg: output, status, death, input, signals.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/e2e/run_command.h"
#include "tests/support/temp_dir.h"

namespace xbdbg::test {
namespace {

Outcome run(std::vector<std::string> words, const CommandOptions& options = {}) {
  words.insert(words.begin(), {"run", "--", program("ending")});
  return xbdbg(words, options);
}

TEST(PassThrough, EveryExitStatus) {
  for (int status = 0; status < 256; ++status) {
    ASSERT_EQ(run({"exit", std::to_string(status)}), (Outcome{.status = status})) << status;
  }
}

TEST(PassThrough, DeathBySignal) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGKILL, SIGTERM, SIGINT, SIGFPE, SIGUSR1}) {
    EXPECT_EQ(run({"signal", std::to_string(signal)}), (Outcome{.signal = signal})) << signal;
  }
  EXPECT_EQ(run({"crash"}), (Outcome{.signal = SIGSEGV}));
  EXPECT_EQ(run({"abort"}), (Outcome{.signal = SIGABRT}));
}

TEST(PassThrough, InputAndOutput) {
  std::string input;
  for (int i = 0; i < 100'000; ++i) input += "line " + std::to_string(i) + "\n";
  EXPECT_EQ(run({"cat"}, {.input = input}), (Outcome{.status = 0, .out = input}));
  EXPECT_EQ(run({"both"}), (Outcome{.status = 0, .out = "to stdout\n", .err = "to stderr\n"}));
}

TEST(PassThrough, ArgumentsThatLookLikeOptions) {
  const std::string path = program("ending");
  const std::string expected = "[" + path + "]\n[arguments]\n[--seed]\n[]\n[--]\n[--help]\n";
  EXPECT_EQ(run({"arguments", "--seed", "", "--", "--help"}), (Outcome{.status = 0, .out = expected}));
  EXPECT_EQ(xbdbg({"run", path, "arguments", "--seed", "", "--", "--help"}), (Outcome{.status = 0, .out = expected}))
      << "without -- the program's name ends the options";
}

TEST(PassThrough, TheProgramIsFoundOnThePath) {
  EXPECT_EQ(xbdbg({"run", "--", "ending", "exit", "5"}, {.environment = {"PATH=" + program("")}}),
            (Outcome{.status = 5}));
}

TEST(PassThrough, TheEnvironmentIsTheUsers) {
  const CommandOptions options{.environment = {"GREETING=hello", "GLIBC_TUNABLES=glibc.malloc.check=0"}};
  const Outcome direct = run_command({program("ending"), "environment"}, options);
  EXPECT_EQ(run({"environment"}, options), direct);
}

TEST(PassThrough, AScriptRunsInItsInterpreter) {
  const TempDir dir;
  const std::string script = dir.file("script", "#!/bin/sh\necho \"$1\"\nexit 9\n");
  ASSERT_EQ(::chmod(script.c_str(), 0755), 0);
  EXPECT_EQ(xbdbg({"run", "--", script, "word"}), (Outcome{.status = 9, .out = "word\n"}));
}

TEST(PassThrough, CtrlCGoesToTheProgram) {
  const CommandOptions options{.await = "ready\n", .then = [](int pid) { ::kill(-pid, SIGINT); }};
  EXPECT_EQ(run({"catch", std::to_string(SIGINT)}, options),
            (Outcome{.status = 42, .out = "ready\ngot signal 02\n"}));
  EXPECT_EQ(run({"catch", "0"}, options), (Outcome{.signal = SIGINT, .out = "ready\n"}));
}

TEST(PassThrough, TerminationOfXbdbgIsTerminationOfTheProgram) {
  const CommandOptions options{.await = "ready\n", .then = [](int pid) { ::kill(pid, SIGTERM); }};
  EXPECT_EQ(run({"catch", std::to_string(SIGTERM)}, options),
            (Outcome{.status = 42, .out = "ready\ngot signal 15\n"}));
  EXPECT_EQ(run({"catch", "0"}, options), (Outcome{.signal = SIGTERM, .out = "ready\n"}));
}

// As a shell does on Ctrl-Z and fg. WUNTRACED: returns when xbdbg itself has stopped.
void stop_and_continue(int pid, int signal) {
  ::kill(signal == SIGSTOP ? pid : -pid, signal);
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, WUNTRACED), pid);
  EXPECT_TRUE(WIFSTOPPED(status));
  ::kill(-pid, SIGCONT);
}

TEST(PassThrough, CtrlZStopsBothAndFgContinuesBoth) {
  const CommandOptions options{
      .input = "text\n", .await = "ready\n", .then = [](int pid) { stop_and_continue(pid, SIGTSTP); }};
  EXPECT_EQ(run({"wait"}, options), (Outcome{.status = 0, .out = "ready\ntext\ndone\n"}));
}

}  // namespace
}  // namespace xbdbg::test
