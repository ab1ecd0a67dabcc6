#include "tests/unit/symbols/stopped_program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tracer/base/unique_fd.h"
#include "tracer/memory_map.h"

namespace xbdbg::test {

bool ProcessMemory::read(Addr address, std::span<std::byte> out) {
  iovec local{out.data(), out.size()};
  iovec remote{reinterpret_cast<void*>(address.raw()), out.size()};
  return ::process_vm_readv(pid_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(out.size());
}

StoppedProgram::StoppedProgram(const std::string& path, const std::string& mode, int signal) {
  Result<Pipe> pipe = make_pipe();
  if (!pipe) {
    failure_ = pipe.error().what;
    return;
  }
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(pipe->write_end.get(), STDOUT_FILENO);
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::execl(path.c_str(), path.c_str(), mode.c_str(), nullptr);
    ::_exit(127);
  }
  pipe->write_end.reset();
  memory_ = ProcessMemory(pid_);
  int status = 0;
  if (::waitpid(pid_, &status, 0) != pid_ || !WIFSTOPPED(status)) {
    failure_ = "the program did not start under ptrace";
    return;
  }
  ::ptrace(PTRACE_SETOPTIONS, pid_, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE);
  tid_ = pid_;
  int deliver = 0;
  for (;;) {
    ::ptrace(PTRACE_CONT, tid_, nullptr, deliver);
    tid_ = ::waitpid(-1, &status, __WALL);
    if (tid_ < 0 || (tid_ == pid_ && !WIFSTOPPED(status))) {
      failure_ = "the program ended before it stopped, status " + std::to_string(status);
      return;
    }
    if (!WIFSTOPPED(status)) continue;
    if (WSTOPSIG(status) == signal && status >> 16 == 0) {
      // A new thread starts with a SIGSTOP of ptrace's, at its very first instruction: not the one asked for.
      siginfo_t info{};
      ::ptrace(PTRACE_GETSIGINFO, tid_, nullptr, &info);
      if (info.si_code <= 0 && info.si_pid == pid_) break;
      if (signal == SIGSEGV) break;
    }
    const bool is_event = WSTOPSIG(status) == SIGTRAP || WSTOPSIG(status) == SIGSTOP;
    deliver = is_event ? 0 : WSTOPSIG(status);
  }
  read_output(pipe->read_end.get());
}

StoppedProgram::~StoppedProgram() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  for (pid_t tid = 0; tid >= 0;) {  // the leader is reported after the other threads are reaped
    tid = ::waitpid(-1, &status, __WALL);
    if (tid == pid_ && !WIFSTOPPED(status)) break;
  }
}

// What the program printed before it stopped is in the pipe; it prints less than a pipe holds.
void StoppedProgram::read_output(int fd) {
  char buffer[65536];
  std::string text;
  // The program is stopped, so a non-blocking read gets everything.
  if (::fcntl(fd, F_SETFL, O_NONBLOCK) == 0) {
    for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof(buffer))) > 0;)
      text.append(buffer, static_cast<std::size_t>(n));
  }
  const char* at = text.c_str();
  while (*at == '0') {
    char* end = nullptr;
    printed_.push_back(std::strtoull(at, &end, 16));
    at = *end == '\n' ? end + 1 : end;
  }
}

RegisterSet StoppedProgram::registers() const {
  user_regs_struct r{};
  ::ptrace(PTRACE_GETREGS, tid_, nullptr, &r);
  RegisterSet set;
  set.set(Reg::rax, r.rax);
  set.set(Reg::rdx, r.rdx);
  set.set(Reg::rcx, r.rcx);
  set.set(Reg::rbx, r.rbx);
  set.set(Reg::rsi, r.rsi);
  set.set(Reg::rdi, r.rdi);
  set.set(Reg::rbp, r.rbp);
  set.set(Reg::rsp, r.rsp);
  set.set(Reg::r8, r.r8);
  set.set(Reg::r9, r.r9);
  set.set(Reg::r10, r.r10);
  set.set(Reg::r11, r.r11);
  set.set(Reg::r12, r.r12);
  set.set(Reg::r13, r.r13);
  set.set(Reg::r14, r.r14);
  set.set(Reg::r15, r.r15);
  set.set(Reg::rip, r.rip);
  return set;
}

ModuleMap StoppedProgram::modules(ImageCache& cache) const {
  const Result<std::string> text = read_whole_file("/proc/" + std::to_string(pid_) + "/maps", 1 << 20);
  if (!text) return {};
  const Result<std::vector<MemoryMapping>> mappings = parse_memory_map(*text);
  return mappings ? ModuleMap::build(*mappings, cache) : ModuleMap();
}

bool StoppedProgram::single_step() {
  if (::ptrace(PTRACE_SINGLESTEP, tid_, nullptr, nullptr) != 0) return false;
  int status = 0;
  return ::waitpid(tid_, &status, __WALL) == tid_ && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

}  // namespace xbdbg::test
