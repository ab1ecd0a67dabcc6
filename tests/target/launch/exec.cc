// A target that becomes another program: itself, with another task. Exit code 0: all was as it should be.
//
//   launch_exec TASK [ARGUMENT...]
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace {

using Arguments = std::vector<std::string>;

char self[4096];

void require(bool condition, int code) {
  if (!condition) _exit(code);
}

std::vector<char*> pointers(const Arguments& arguments) {
  std::vector<char*> list;
  for (const std::string& argument : arguments) list.push_back(const_cast<char*>(argument.c_str()));
  list.push_back(nullptr);
  return list;
}

[[noreturn]] void become(Arguments arguments, char** env = environ) {
  arguments.insert(arguments.begin(), "launch_exec");
  execve(self, pointers(arguments).data(), env);
  _exit(70);
}

void* wait_for_ever(void*) {
  for (;;) pause();
}

void* hold_a_lock(void* mutex) {
  pthread_mutex_lock(static_cast<pthread_mutex_t*>(mutex));
  return wait_for_ever(nullptr);
}

void again(const Arguments& a) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_t thread;
  for (int i = 0; i < 3; ++i)
    require(pthread_create(&thread, nullptr, i == 0 ? hold_a_lock : wait_for_ever, &mutex) == 0, 1);
  sched_yield();
  const int left = std::atoi(a.at(0).c_str());
  if (left > 0) become({"again", std::to_string(left - 1)});
  require(getpid() == gettid(), 2);
}

void from_a_thread(const Arguments&) {
  pthread_t thread;
  const auto exec = [](void*) -> void* { become({"is_main"}); };
  require(pthread_create(&thread, nullptr, exec, nullptr) == 0, 1);
  pthread_join(thread, nullptr);
  _exit(2);
}

void is_main(const Arguments&) { require(getpid() == gettid(), 1); }

void fails(const Arguments&) {
  char* const none[] = {nullptr};
  require(execve("/nowhere/at/all", none, environ) == -1 && errno == ENOENT, 1);
  require(execve("/", none, environ) == -1 && errno == EACCES, 2);
  require(execve("/etc/passwd", none, environ) == -1 && (errno == EACCES || errno == ENOEXEC), 3);
  require(execve(self, none, reinterpret_cast<char**>(8)) == -1 && errno == EFAULT, 4);
  require(execve(reinterpret_cast<char*>(8), none, environ) == -1 && errno == EFAULT, 5);
  std::string long_text(200'000, 'x');
  char* const huge[] = {long_text.data(), nullptr};
  require(execve(self, huge, environ) == -1 && errno == E2BIG, 6);
  pthread_t thread;  // and life goes on
  require(pthread_create(
              &thread, nullptr, [](void*) -> void* { return nullptr; }, nullptr) == 0,
          7);
  require(pthread_join(thread, nullptr) == 0, 8);
  sigset_t pending;
  sigpending(&pending);
  require(sigismember(&pending, SIGCONT) == 0 && sigismember(&pending, SIGSTOP) == 0, 9);
}

void environments(const Arguments&) {
  static char one[] = "ONE=1";
  static char preload[] = "LD_PRELOAD=";
  static char* some[] = {one, preload, nullptr};
  become({"has_environment", "ONE=1", "LD_PRELOAD="}, some);
}

void empty_environment(const Arguments&) {
  static char* none[] = {nullptr};
  become({"has_environment"}, none);
}

void no_environment(const Arguments&) { become({"has_environment"}, nullptr); }

void has_environment(const Arguments& expected) {
  Arguments found;
  for (char** entry = environ; *entry != nullptr; ++entry) found.push_back(*entry);
  require(found == expected, 1);
}

void by_descriptor(const Arguments&) {
  const int fd = open(self, O_RDONLY | O_CLOEXEC);
  fexecve(fd, pointers({"x", "is_main"}).data(), environ);
  _exit(1);
}

void relative(const Arguments&) {
  std::string folder(self);
  require(chdir(folder.substr(0, folder.rfind('/')).c_str()) == 0, 1);
  execl("./launch_exec", "x", "is_main", nullptr);
  _exit(2);
}

void descriptors(const Arguments&) {
  require(dup2(open("/dev/null", O_RDONLY), 50) == 50, 1);
  require(dup3(50, 51, O_CLOEXEC) == 51, 2);
  require(dup2(50, 1000) == 1000 || errno == EBADF, 3);  // where the arena was
  become({"has_descriptors"});
}

void has_descriptors(const Arguments&) {
  require(fcntl(50, F_GETFD) == 0, 1);
  require(fcntl(51, F_GETFD) == -1, 2);
  require(fcntl(1000, F_GETFD) == 0 || getdtablesize() <= 1000, 3);
  for (int fd = 60; fd < 1100; ++fd) require(fd == 1000 || fcntl(fd, F_GETFD) != 0 || fd == 251, 4);
}

void few_descriptors(const Arguments&) {
  rlimit limit{64, 64};
  require(setrlimit(RLIMIT_NOFILE, &limit) == 0, 1);
  become({"is_main"});
}

void signals(const Arguments&) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGCONT);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signal(SIGUSR2, SIG_IGN);
  signal(SIGHUP, [](int) {});
  become({"has_signals"});
}

void has_signals(const Arguments&) {
  sigset_t set;
  sigprocmask(SIG_BLOCK, nullptr, &set);
  require(sigismember(&set, SIGUSR1) == 1 && sigismember(&set, SIGCONT) == 1, 1);
  require(sigismember(&set, SIGTERM) == 0, 2);
  require(signal(SIGUSR2, SIG_DFL) == SIG_IGN && signal(SIGHUP, SIG_DFL) == SIG_DFL, 3);
  sigpending(&set);
  require(sigismember(&set, SIGCONT) == 0, 4);
}

void alarm_stays(const Arguments&) {
  alarm(3);
  become({"waits"});
}

void waits(const Arguments&) { wait_for_ever(nullptr); }

void clocks(const Arguments&) {
  timespec t{100, 0};
  nanosleep(&t, nullptr);
  clock_gettime(CLOCK_MONOTONIC, &t);
  become({"has_clock", std::to_string(t.tv_sec)});
}

void has_clock(const Arguments& a) {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  require(t.tv_sec >= std::atol(a.at(0).c_str()), 1);
}

void program(const Arguments& a) {
  execv(a.at(0).c_str(), pointers(a).data());
  _exit(71);
}

struct Task {
  const char* name;
  void (*run)(const Arguments&);
};

#define TASK(name) \
  { #name, name }
const Task kTasks[] = {TASK(again),           TASK(from_a_thread),   TASK(is_main),
                       TASK(fails),           TASK(environments),    TASK(empty_environment),
                       TASK(no_environment),  TASK(has_environment), TASK(by_descriptor),
                       TASK(relative),        TASK(descriptors),     TASK(has_descriptors),
                       TASK(few_descriptors), TASK(signals),         TASK(has_signals),
                       TASK(alarm_stays),     TASK(waits),           TASK(clocks),
                       TASK(has_clock),       TASK(program)};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 90;
  for (const Task& task : kTasks) {
    if (std::string(task.name) != argv[1]) continue;
    task.run(Arguments(argv + 2, argv + argc));
    return 0;
  }
  return 91;
}
