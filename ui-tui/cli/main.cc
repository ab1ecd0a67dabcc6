// The composition root: looks at the world once, runs a command, and ends as it says.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "ui-tui/cli/commands.h"
#include "ui-tui/cli/console.h"

namespace {

xbdbg::Surroundings look_around() {
  xbdbg::Surroundings found;
  std::error_code ignored;
  found.executable = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  found.working_directory = std::filesystem::current_path(ignored).string();
  for (char** variable = environ; *variable != nullptr; ++variable) found.variables.emplace_back(*variable);
  return found;
}

// A shell shall see the program's death ("Segmentation fault"), but no core dump of xbdbg. Core dumps that are piped
// to a program are made whatever the limit is: those are prevented by not being dumpable (core(5)).
void die_by(int signal) {
  const rlimit none = {0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
  (void)::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  (void)::signal(signal, SIG_DFL);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, signal);
  (void)::sigprocmask(SIG_UNBLOCK, &set, nullptr);
  (void)::kill(::getpid(), signal);
}

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

int main(int argc, char** argv) {
  const auto style = [](int fd) { return xbdbg::style_for(fd, !variable("NO_COLOR").empty(), variable("TERM")); };
  const xbdbg::Console console(STDERR_FILENO, style(STDERR_FILENO));
  try {
    const xbdbg::Surroundings surroundings = look_around();
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    const xbdbg::Ending ending = xbdbg::run_command_line({surroundings, console, style(STDOUT_FILENO)}, words);
    if (ending.signal == 0) return ending.status;
    die_by(ending.signal);
    return 128 + ending.signal;  // a signal that does not kill us: what a shell would call it
  } catch (const std::exception& e) {
    console.error(
        {xbdbg::Errc::os, std::string("internal error: ") + e.what(), "this is a bug in xbdbg, please report it"});
    return xbdbg::kExitError;
  }
}
