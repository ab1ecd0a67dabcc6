// tracer/agent/gate.h — how the agent enters the kernel, and how it switches threads (gate.S).
//
// All system calls of the agent go through `sys`: anything else would be dispatched back to us as SIGSYS. The result
// is the kernel's: a negative errno value on failure; errno is never touched.
#pragma once

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <cstdint>

namespace xbdbg::agent {

struct Context {
  void* sp;
  std::uint64_t fs_base;
};

extern "C" {
extern char xb_gate_begin[], xb_gate_end[];
extern bool xb_has_fsgsbase;
long xb_syscall(long number, long a1, long a2, long a3, long a4, long a5, long a6);
long xb_clone(long number, const long* args, const greg_t* registers);
void xb_start_thread();
void xb_switch(Context* from, const Context* to);
void xb_restorer();
}

template <class T>
long syscall_argument(T value) {
  return (long)value;
}

template <class... A>
long sys(long number, A... args) {
  static_assert(sizeof...(A) <= 6);
  long a[6] = {syscall_argument(args)...};
  return xb_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// The kernel's own struct for rt_sigaction: glibc's differs in layout.
struct KernelSigaction {
  std::uint64_t handler;
  std::uint64_t flags;
  std::uint64_t restorer;
  std::uint64_t mask;
};

inline constexpr std::uint64_t kSaRestorer = 0x04000000;
inline constexpr long kSigsetBytes = 8;

constexpr std::uint64_t signal_bit(int signo) { return std::uint64_t{1} << (signo - 1); }

}  // namespace xbdbg::agent
