#include "tests/bench/measure.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "tracer/base/unique_fd.h"

namespace xbdbg::bench {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

void pin_to_first_core() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    CPU_ZERO(&allowed);
    CPU_SET(cpu, &allowed);
    (void)::sched_setaffinity(0, sizeof allowed, &allowed);
    return;
  }
}

[[noreturn]] void become(const Command& command, int out) {
  (void)::dup2(out, STDOUT_FILENO);
  if (command.one_core) pin_to_first_core();
  std::vector<char*> words;
  for (const std::string& word : command.argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execv(words[0], words.data());
  ::_exit(127);
}

std::string read_to_end(int fd) {
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t n = 0; (n = ::read(fd, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return text;
}

Result<Cost> run_once(const Command& command, std::string& out) {
  XB_TRY(Pipe pipe, make_pipe());
  const auto start = std::chrono::steady_clock::now();
  const pid_t pid = ::fork();
  if (pid < 0) return os_error("fork");
  if (pid == 0) become(command, pipe.write_end.get());
  pipe.write_end.reset();
  out = read_to_end(pipe.read_end.get());
  int status = 0;
  rusage used{};
  if (::wait4(pid, &status, 0, &used) != pid) return os_error("wait4");
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return Error{Errc::target_gone, command.argv.front() + " failed (wait status " + std::to_string(status) + ")",
                 "is everything built? scripts/bench.sh does it"};
  }
  return Cost{wall.count(), seconds(used.ru_utime) + seconds(used.ru_stime)};
}

}  // namespace

Result<std::vector<Measured>> measure(const std::vector<Command>& commands, int repetitions) {
  std::vector<Measured> all(commands.size());
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t i = 0; i < commands.size(); ++i) {
      XB_TRY(const Cost cost, run_once(commands[i], all[i].out));
      Cost& least = all[i].least;
      least.wall_s = repetition == 0 ? cost.wall_s : std::min(least.wall_s, cost.wall_s);
      least.cpu_s = repetition == 0 ? cost.cpu_s : std::min(least.cpu_s, cost.cpu_s);
    }
  }
  return all;
}

}  // namespace xbdbg::bench
