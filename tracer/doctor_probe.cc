#include "tracer/doctor_probe.h"

#include <fcntl.h>
#include <linux/prctl.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "tracer/ptrace.h"

namespace xbdbg::probe {

namespace {

constexpr unsigned long kHwcap2FsGsBase = 1u << 1;  // HWCAP2_FSGSBASE of asm/hwcap2.h
constexpr int kArchCpuid = 0x1012;                  // ARCH_CPUID of asm/prctl.h
constexpr char kDispatchOff = 0;
constexpr char kDispatchOn = 1;

int errno_unless(bool good) { return good ? 0 : (errno != 0 ? errno : EINVAL); }

pid_t wait_for(pid_t pid, int& status) {
  pid_t waited = -1;
  do {
    waited = ::waitpid(pid, &status, 0);
  } while (waited < 0 && errno == EINTR);
  return waited;
}

// Blocks all system calls of the child and makes one: where the feature works, SIGSYS ends the child.
int make_dispatched_call() {
  (void)::prctl(PR_SET_DUMPABLE, 0);  // no core file
  volatile char selector = kDispatchOff;
  if (::prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &selector) != 0) return errno;
  selector = kDispatchOn;
  (void)::syscall(SYS_getppid);
  selector = kDispatchOff;
  return ENOSYS;
}

Result<int> status_of_child(int (*attempt)()) {
  const pid_t pid = ::fork();
  if (pid < 0) return os_error("fork");
  if (pid == 0) ::_exit(attempt());
  int status = 0;
  if (wait_for(pid, status) < 0) return os_error("waitpid");
  return status;
}

Result<> describe(int status) {
  if (WIFSIGNALED(status)) {
    return Error{Errc::unsupported, std::string("ended by ") + ::strsignal(WTERMSIG(status)), {}};
  }
  if (WEXITSTATUS(status) != 0) return Error{Errc::unsupported, std::strerror(WEXITSTATUS(status)), {}};
  return Ok{};
}

}  // namespace

Result<> in_child(int (*attempt)()) {
  XB_TRY(const int status, status_of_child(attempt));
  return describe(status);
}

IdleChild::IdleChild() {
  pid_ = ::fork();
  if (pid_ != 0) return;
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) ::pause();
}

IdleChild::~IdleChild() {
  if (pid_ <= 0) return;
  (void)::kill(pid_, SIGKILL);
  int status = 0;
  (void)wait_for(pid_, status);
}

Result<> seize_child() {
  IdleChild child;
  if (child.pid() < 0) return os_error("fork");
  XB_CHECK(Running::seize(Tid(child.pid()), PTRACE_O_EXITKILL));
  return Ok{};
}

Result<> read_child_memory() {
  const int written = 0x5842;
  IdleChild child;  // has a copy of `written` at the same address
  if (child.pid() < 0) return os_error("fork");
  int read = 0;
  const iovec local{&read, sizeof read};
  const iovec remote{const_cast<int*>(&written), sizeof written};
  errno = 0;
  const ssize_t n = ::process_vm_readv(child.pid(), &local, 1, &remote, 1, 0);
  if (n != sizeof read || read != written) return os_error("process_vm_readv");
  return Ok{};
}

Result<> dispatch_syscall() {
  XB_TRY(const int status, status_of_child(make_dispatched_call));
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) return Ok{};
  return describe(status);
}

int read_fs_base() {
  if ((::getauxval(AT_HWCAP2) & kHwcap2FsGsBase) == 0) return EOPNOTSUPP;
  unsigned long base = 0;
  __asm__ volatile("rdfsbase %0" : "=r"(base));
  return base != 0 ? 0 : EINVAL;
}

int no_address_randomisation() { return errno_unless(::personality(ADDR_NO_RANDOMIZE) >= 0); }

int sealed_memfd() {
  const int fd = ::memfd_create("xbdbg-doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return errno_unless(fd >= 0 && ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
}

int child_subreaper() { return errno_unless(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0); }

int pidfd() {
  const long fd = ::syscall(SYS_pidfd_open, ::getpid(), 0);
  return errno_unless(fd >= 0 && ::syscall(SYS_pidfd_send_signal, fd, 0, nullptr, 0) == 0);
}

int trapping_time_stamp_counter() { return errno_unless(::prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0); }

int trapping_cpuid() { return errno_unless(::syscall(SYS_arch_prctl, kArchCpuid, 0) == 0); }

}  // namespace xbdbg::probe
