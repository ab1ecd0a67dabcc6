#include "tracer/doctor.h"

#include <cpuid.h>
#include <gnu/libc-version.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "tracer/base/str.h"
#include "tracer/base/unique_fd.h"
#include "tracer/doctor_probe.h"
#include "tracer/launch_check.h"

namespace xbdbg {

namespace {

constexpr std::uint64_t kFewThreads = 1024;
constexpr char kContainer[] = "in a container: docker run --cap-add=SYS_PTRACE --security-opt seccomp=unconfined";

// What is there, tried in a child.
struct FeatureRow {
  const char* name;
  Severity severity;
  Result<> (*in_parent)();  // one of the two
  int (*in_child)();
  const char* good;
  const char* remedy;
};

constexpr FeatureRow kFeatures[] = {
    {"ptrace", Severity::required, probe::seize_child, nullptr, "a child can be attached to",
     "sudo sysctl kernel.yama.ptrace_scope=1; in a container: --cap-add=SYS_PTRACE --security-opt "
     "seccomp=unconfined"},
    {"process_vm_readv", Severity::required, probe::read_child_memory, nullptr, "a child's memory can be read",
     "sudo sysctl kernel.yama.ptrace_scope=1; in a container: --cap-add=SYS_PTRACE --security-opt "
     "seccomp=unconfined"},
    {"personality", Severity::required, nullptr, probe::no_address_randomisation,
     "address randomisation can be turned off", kContainer},
    {"syscall user dispatch", Severity::required, probe::dispatch_syscall, nullptr,
     "system calls can be intercepted in process", "needs Linux 5.11 or later on x86-64 (CONFIG_GENERIC_ENTRY)"},
    {"memfd_create", Severity::required, nullptr, probe::sealed_memfd, "sealed shared memory can be made",
     "needs Linux 3.17 or later"},
    {"child subreaper", Severity::required, nullptr, probe::child_subreaper, "orphans of the target can be caught",
     "needs Linux 3.4 or later"},
    {"pidfd", Severity::required, nullptr, probe::pidfd, "processes can be held by descriptor",
     "needs Linux 5.3 or later"},
    {"FSGSBASE", Severity::optional, nullptr, probe::read_fs_base, "thread switches need no system call",
     "thread switches are slower without it; needs Linux 5.9 and a processor since 2012 (not disabled by "
     "nofsgsbase)"},
    {"trapping rdtsc", Severity::optional, nullptr, probe::trapping_time_stamp_counter,
     "the time stamp counter can be made deterministic", "programs that use rdtsc see real time without it"},
    {"trapping cpuid", Severity::optional, nullptr, probe::trapping_cpuid, "rdrand and rdseed can be hidden",
     "programs that use rdrand are not deterministic without it; the processor or hypervisor lacks CPUID faulting"},
};

DoctorCheck check_feature(const FeatureRow& row) {
  const Result<> tried = row.in_child != nullptr ? probe::in_child(row.in_child) : row.in_parent();
  if (tried) return {row.name, true, row.severity, row.good, {}};
  return {row.name, false, row.severity, tried.error().what, row.remedy};
}

DoctorCheck check_processor() {
  DoctorCheck check{"processor", false, Severity::required, "no CPUID", "xbdbg runs on x86-64"};
  unsigned highest = 0;
  char vendor[12];
  unsigned b = 0, c = 0, d = 0;
  if (__get_cpuid(0, &highest, &b, &c, &d) == 0) return check;
  std::memcpy(vendor, &b, 4);
  std::memcpy(vendor + 4, &d, 4);
  std::memcpy(vendor + 8, &c, 4);
  return {"processor", true, Severity::required, "x86-64, " + escaped(std::string_view(vendor, 12)), {}};
}

DoctorCheck check_kernel() {
  utsname name{};
  (void)::uname(&name);
  const bool ok = version_at_least(name.release, 5, 11);
  return {"kernel", ok, Severity::required, "Linux " + std::string(name.release),
          ok ? "" : "needs Linux 5.11 or later"};
}

DoctorCheck check_yama() {
  const auto scope = read_whole_file("/proc/sys/kernel/yama/ptrace_scope", 64);
  if (!scope) return {"Yama", true, Severity::optional, "not there", {}};
  const std::string value(trim(*scope));
  // Scope 1 lets a process attach to its descendants, which is all we do; 2 asks for CAP_SYS_PTRACE, which the
  // check of ptrace itself finds out.
  const bool ok = value == "0" || value == "1" || ::geteuid() == 0;
  return {"Yama", ok, Severity::optional, "kernel.yama.ptrace_scope is " + value,
          ok ? "" : "sudo sysctl kernel.yama.ptrace_scope=1"};
}

DoctorCheck check_glibc() {
  const std::string version = ::gnu_get_libc_version();
  const bool ok = version_at_least(version, 2, 34);
  return {"glibc", ok, Severity::required, version, ok ? "" : "needs glibc 2.34 or later"};
}

DoctorCheck check_threads() {
  rlimit limit{};
  (void)::getrlimit(RLIMIT_NPROC, &limit);
  std::uint64_t threads = limit.rlim_cur;
  if (const auto text = read_whole_file("/proc/sys/kernel/threads-max", 64)) {
    if (const auto system_wide = parse_u64(trim(*text))) threads = std::min<std::uint64_t>(threads, *system_wide);
  }
  const bool ok = threads >= kFewThreads;
  return {"threads", ok, Severity::optional, "up to " + std::to_string(threads) + " at a time",
          ok ? "" : "programs with many threads will fail; try: ulimit -u 4096"};
}

DoctorCheck check_agent(const std::string& path) {
  const bool ok = !path.empty() && ::access(path.c_str(), R_OK) == 0;
  return {"agent library", ok, Severity::required, path.empty() ? "not found" : path + (ok ? "" : ": not readable"),
          ok ? "" : "it is part of xbdbg; build or install it again"};
}

DoctorCheck check_gdb(std::optional<std::string_view> path_variable) {
  const auto gdb = check_program({"gdb"}, path_variable);
  return {"gdb", bool(gdb), Severity::optional, gdb ? gdb->path : gdb.error().what,
          gdb ? "" : "needed only for `xbdbg gdb`; try: apt install gdb"};
}

}  // namespace

bool version_at_least(std::string_view version, unsigned major, unsigned minor) {
  unsigned found_major = 0;
  unsigned found_minor = 0;
  const char* end = version.data() + version.size();
  const auto first = std::from_chars(version.data(), end, found_major);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '.') return false;
  const auto second = std::from_chars(first.ptr + 1, end, found_minor);
  if (second.ec != std::errc{}) return false;
  return found_major > major || (found_major == major && found_minor >= minor);
}

std::vector<DoctorCheck> run_doctor(const DoctorOptions& options) {
  std::vector<DoctorCheck> checks{check_processor(), check_kernel(), check_glibc(), check_agent(options.agent_path)};
  for (const FeatureRow& row : kFeatures) checks.push_back(check_feature(row));
  checks.push_back(check_yama());
  checks.push_back(check_threads());
  checks.push_back(check_gdb(options.path_variable));
  return checks;
}

bool all_required_ok(const std::vector<DoctorCheck>& checks) {
  return std::all_of(checks.begin(), checks.end(),
                     [](const DoctorCheck& check) { return check.ok || check.severity == Severity::optional; });
}

}  // namespace xbdbg
