#include "tracer/agent/cpu_traps.h"

#include <cpuid.h>
#include <string.h>
#include <sys/prctl.h>

#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

namespace {

constexpr long kSetCpuid = 0x1012;  // ARCH_SET_CPUID

void allow_cpuid(bool allow) { sys(SYS_arch_prctl, kSetCpuid, allow ? 1 : 0); }

void read_time_stamp(greg_t* r, bool with_processor) {
  constexpr std::uint64_t kStepNs = 25, kTicksPerNs = 2;
  rt.clock.advance(kStepNs);
  rt.clock.catch_up();
  std::uint64_t ticks = to_ns(rt.clock.read(CLOCK_MONOTONIC)) * kTicksPerNs;
  r[REG_RAX] = static_cast<greg_t>(ticks & 0xffffffff);
  r[REG_RDX] = static_cast<greg_t>(ticks >> 32);
  if (with_processor) r[REG_RCX] = 0;
}

struct CpuidAnswer {
  unsigned a, b, c, d;
};

CpuidAnswer ask_processor(unsigned leaf, unsigned subleaf) {
  CpuidAnswer x{};
  allow_cpuid(true);
  __cpuid_count(leaf, subleaf, x.a, x.b, x.c, x.d);
  allow_cpuid(false);
  if (leaf == 1) x.c &= ~unsigned{bit_RDRND};
  if (leaf == 7 && subleaf == 0) x.b &= ~unsigned{bit_RDSEED | bit_RTM | bit_HLE};
  return x;
}

void answer_cpuid(greg_t* r) {
  CpuidAnswer x{};
  auto leaf = static_cast<unsigned>(r[REG_RAX]), subleaf = static_cast<unsigned>(r[REG_RCX]);
  std::uint64_t ab = observed([&] {
    x = ask_processor(leaf, subleaf);
    return x.a | std::uint64_t{x.b} << 32;
  });
  std::uint64_t cd = observed([&] { return x.c | std::uint64_t{x.d} << 32; });
  r[REG_RAX] = static_cast<greg_t>(ab & 0xffffffff);
  r[REG_RBX] = static_cast<greg_t>(ab >> 32);
  r[REG_RCX] = static_cast<greg_t>(cd & 0xffffffff);
  r[REG_RDX] = static_cast<greg_t>(cd >> 32);
}

}  // namespace

void trap_instructions(bool trap) {
  sys(SYS_prctl, PR_SET_TSC, trap ? PR_TSC_SIGSEGV : PR_TSC_ENABLE);
  allow_cpuid(!trap);  // fails on most virtual machines
}

bool emulate_instruction(ucontext_t* uc) {
  constexpr unsigned char kRdtsc[] = {0x0f, 0x31}, kRdtscp[] = {0x0f, 0x01, 0xf9}, kCpuid[] = {0x0f, 0xa2};
  constexpr greg_t kGeneralProtection = 13;
  greg_t* r = uc->uc_mcontext.gregs;
  if (r[REG_TRAPNO] != kGeneralProtection) return false;
  auto is = [&](const auto& bytes) { return memcmp(reinterpret_cast<void*>(r[REG_RIP]), bytes, sizeof bytes) == 0; };
  bool rdtscp = is(kRdtscp), cpuid = is(kCpuid);
  if (!rdtscp && !cpuid && !is(kRdtsc)) return false;
  bool was_in_agent = rt.in_agent;
  rt.in_agent = true;
  if (cpuid)
    answer_cpuid(r);
  else
    read_time_stamp(r, rdtscp);
  r[REG_RIP] += rdtscp ? sizeof kRdtscp : sizeof kRdtsc;
  rt.in_agent = was_in_agent;
  return true;
}

}  // namespace xbdbg::agent
