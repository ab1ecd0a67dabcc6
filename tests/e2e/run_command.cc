#include "tests/e2e/run_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ostream>

#include "tracer/base/unique_fd.h"

namespace xbdbg::test {
namespace {

struct Pipes {
  Pipe in, out, err;
};

[[noreturn]] void become(const std::vector<std::string>& argv, const CommandOptions& options, const Pipes& pipes) {
  (void)::setpgid(0, 0);
  (void)::dup2(pipes.in.read_end.get(), STDIN_FILENO);
  (void)::dup2(pipes.out.write_end.get(), STDOUT_FILENO);
  (void)::dup2(pipes.err.write_end.get(), STDERR_FILENO);
  for (const std::string& variable : options.environment) {
    const std::size_t equals = variable.find('=');
    (void)::setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
  }
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(126);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  ::_exit(127);
}

// Feeds and reads the pipes until both outputs are closed or time is up.
class Conversation {
 public:
  Conversation(pid_t pid, Pipes& pipes, const CommandOptions& options, Outcome& outcome)
      : pid_(pid), pipes_(pipes), options_(options), outcome_(outcome), input_(options.input) {
    (void)::fcntl(pipes.in.write_end.get(), F_SETFL, O_NONBLOCK);
  }

  void hold() {
    const auto deadline = std::chrono::steady_clock::now() + options_.limit;
    while (pipes_.out.read_end || pipes_.err.read_end) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      std::array<pollfd, 3> fds{{{waiting_for_output() ? -1 : pipes_.in.write_end.get(), POLLOUT, 0},
                                 {pipes_.out.read_end.get(), POLLIN, 0},
                                 {pipes_.err.read_end.get(), POLLIN, 0}}};
      if (left.count() <= 0 || ::poll(fds.data(), fds.size(), static_cast<int>(left.count())) == 0) {
        outcome_.timed_out = true;
        (void)::kill(-pid_, SIGKILL);
        return;
      }
      if (fds[0].revents != 0) write_input();
      if (fds[1].revents != 0) read_output(pipes_.out.read_end, outcome_.out);
      if (fds[2].revents != 0) read_output(pipes_.err.read_end, outcome_.err);
      notice();
    }
  }

 private:
  bool waiting_for_output() const { return options_.then && !noticed_; }

  void write_input() {
    const ssize_t n = input_.empty() ? -1 : ::write(pipes_.in.write_end.get(), input_.data(), input_.size());
    if (n <= 0) {
      pipes_.in.write_end.reset();
    } else {
      input_.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  static void read_output(UniqueFd& fd, std::string& into) {
    std::array<char, 65536> buffer;
    const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
    if (n <= 0) {
      fd.reset();
    } else {
      into.append(buffer.data(), static_cast<std::size_t>(n));
    }
  }

  void notice() {
    if (noticed_ || !options_.then || outcome_.out.find(options_.await) == std::string::npos) return;
    noticed_ = true;
    options_.then(pid_);
  }

  pid_t pid_;
  Pipes& pipes_;
  const CommandOptions& options_;
  Outcome& outcome_;
  std::string_view input_;
  bool noticed_ = false;
};

}  // namespace

Outcome run_command(const std::vector<std::string>& argv, const CommandOptions& options) {
  Outcome outcome;
  Pipes pipes;
  for (Pipe* pipe : {&pipes.in, &pipes.out, &pipes.err}) {
    auto made = make_pipe();
    if (!made) return outcome;
    *pipe = std::move(*made);
  }
  (void)::signal(SIGPIPE, SIG_IGN);
  const pid_t pid = ::fork();
  if (pid == 0) {
    (void)::signal(SIGPIPE, SIG_DFL);
    become(argv, options, pipes);
  }
  (void)::setpgid(pid, pid);
  pipes.in.read_end.reset();
  pipes.out.write_end.reset();
  pipes.err.write_end.reset();
  Conversation(pid, pipes, options, outcome).hold();
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  return outcome;
}

Outcome xbdbg(const std::vector<std::string>& arguments, const CommandOptions& options) {
  std::vector<std::string> argv = {XB_BINARY_DIR "/bin/xbdbg"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run_command(argv, options);
}

std::string sample(const std::string& name) { return XB_SAMPLES_DIR "/" + name; }
std::string program(const std::string& name) { return XB_BINARY_DIR "/tests/e2e/" + name; }

std::string contents(const std::string& path) {
  auto text = read_whole_file(path, 1u << 30);
  return text ? *std::move(text) : "cannot be read: " + path;
}

std::ostream& operator<<(std::ostream& stream, const Outcome& outcome) {
  stream << "status " << outcome.status << ", signal " << outcome.signal;
  if (outcome.timed_out) stream << ", killed because it did not end in time";
  return stream << "\nstdout:\n" << outcome.out << "stderr:\n" << outcome.err;
}

}  // namespace xbdbg::test
