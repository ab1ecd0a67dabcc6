// A target that is hard to get rid of: children and grandchildren, a daemon (double fork, own session), a process
// that forks and leaves all the time, and nobody minds SIGTERM. Should they escape nevertheless, alarm ends them.
//
//   launch_family [FD]    writes a byte to FD when all of them are there; then waits for its death
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <initializer_list>

namespace {

constexpr unsigned kLifeSeconds = 20;
constexpr int kMaxHops = 20000;

[[noreturn]] void stay() {
  alarm(kLifeSeconds);
  for (;;) pause();
}

[[noreturn]] void hop() {
  for (int i = 0; i < kMaxHops; ++i) {
    if (fork() != 0) _exit(0);
  }
  _exit(0);
}

void start(void (*child)()) {
  if (fork() == 0) {
    child();
    _exit(0);
  }
}

void parent_of_a_reaper() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  start([] { stay(); });
  stay();
}

void daemonize() {
  setsid();
  start([] { stay(); });  // the middle one leaves
}

}  // namespace

int main(int argc, char** argv) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) signal(number, SIG_IGN);
  start(parent_of_a_reaper);
  start(daemonize);
  start([] { hop(); });
  if (argc == 2 && write(std::atoi(argv[1]), "r", 1) != 1) return 1;
  stay();
}
