// tracer/agent/cpu_traps.h — instructions that bring chance into a program: rdtsc, rdtscp, and cpuid, which tells it
// of rdrand, rdseed and transactions.
//
// They are no system calls, but the kernel can make them fault (PR_SET_TSC; ARCH_SET_CPUID where the processor offers
// it). Then SIGSEGV arrives, and the agent answers: the time stamp counter is made of virtual time, and cpuid hides
// the instructions whose results cannot be recorded.
#pragma once

#include <ucontext.h>

namespace xbdbg::agent {

void trap_instructions(bool trap);      // the setting is inherited: off around what starts another program
bool emulate_instruction(ucontext_t*);  // false: the fault was none of these

}  // namespace xbdbg::agent
