// tests/e2e/run_command.h — run a command as a shell would, and see all that came of it.
//
// The command gets its own process group, so that signals can be sent to it as a terminal does. One that does not end
// in time is killed, and its outcome says so: a test that hangs is a test that fails.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace xbdbg::test {

struct Outcome {
  int status = -1;  // exit status, when it exited
  int signal = 0;   // or what killed it
  bool timed_out = false;
  std::string out{};
  std::string err{};

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

std::ostream& operator<<(std::ostream& stream, const Outcome& outcome);

struct CommandOptions {
  std::string input{};
  std::vector<std::string> environment{};  // "NAME=value", besides what the test has
  std::string folder{};                    // to run in; empty: the test's
  std::chrono::seconds limit{60};
  // Called once, when the command has written this text to stdout; input is given only after that.
  std::string await{};
  std::function<void(int pid)> then{};
};

Outcome run_command(const std::vector<std::string>& argv, const CommandOptions& options = {});

// xbdbg of this build with these arguments.
Outcome xbdbg(const std::vector<std::string>& arguments, const CommandOptions& options = {});

std::string sample(const std::string& name);   // path of a program of samples/
std::string program(const std::string& name);  // path of a program of tests/e2e/programs/
std::string contents(const std::string& path);

}  // namespace xbdbg::test
