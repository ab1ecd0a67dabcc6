// tracer/doctor.h — does this system have what xbdbg needs? Each thing is tried, not guessed from version numbers.
//
// Pure data comes back; `xbdbg doctor` prints it. Whatever could harm this process is tried in a forked child.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xbdbg {

enum class Severity : std::uint8_t {
  required,  // without it no program can be run
  optional,  // without it something is slower, or one feature is missing; `detail` or `remedy` says which
};

struct DoctorCheck {
  std::string name{};
  bool ok = false;
  Severity severity = Severity::required;
  std::string detail{};  // what was found, ok or not
  std::string remedy{};  // what to do; empty when ok
};

struct DoctorOptions {
  std::string agent_path{};                         // where the agent library should be
  std::optional<std::string_view> path_variable{};  // $PATH, to look for gdb
};

std::vector<DoctorCheck> run_doctor(const DoctorOptions& options);

// All required checks are ok.
bool all_required_ok(const std::vector<DoctorCheck>& checks);

// "6.1.0-18-amd64" is at least 5.11; what is no version number is not.
bool version_at_least(std::string_view version, unsigned major, unsigned minor);

}  // namespace xbdbg
