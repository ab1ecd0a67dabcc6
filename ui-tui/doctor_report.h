// ui-tui/doctor_report.h — what the doctor found, for people and for programs. Pure.
#pragma once

#include <string>
#include <vector>

#include "tracer/doctor.h"
#include "ui-tui/style.h"

namespace xbdbg {

//   ok       ptrace           PTRACE_SEIZE works
//   missing  memfd            memfd_create: Function not implemented
//            -> use Linux 3.17 or newer
std::string format_doctor(const std::vector<DoctorCheck>& checks, const Style& style);

// {"ok":true,"checks":[{"name":"ptrace","ok":true,"required":true,"detail":"...","remedy":""}]}
std::string doctor_json(const std::vector<DoctorCheck>& checks);

}  // namespace xbdbg
