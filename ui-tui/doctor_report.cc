#include "ui-tui/doctor_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace xbdbg {
namespace {

constexpr std::string_view kMissing = "missing", kOk = "ok", kWithout = "without";

std::string verdict(const DoctorCheck& check, const Style& style) {
  const std::string_view word = check.ok ? kOk : check.severity == Severity::required ? kMissing : kWithout;
  const std::string padding(kMissing.size() - word.size(), ' ');
  return (check.ok ? style.good(word) : style.alarm(word)) + padding;
}

}  // namespace

std::string format_doctor(const std::vector<DoctorCheck>& checks, const Style& style) {
  std::size_t width = 0;
  for (const DoctorCheck& check : checks) width = std::max(width, check.name.size());
  std::string out;
  for (const DoctorCheck& check : checks) {
    out += fmt::format("{}  {:<{}}  {}\n", verdict(check, style), check.name, width, check.detail);
    if (!check.remedy.empty()) out += fmt::format("{:{}}  -> {}\n", "", kMissing.size(), check.remedy);
  }
  out += all_required_ok(checks) ? "this machine can run programs under xbdbg\n"
                                 : "this machine cannot run programs under xbdbg until what is missing is there\n";
  return out;
}

std::string doctor_json(const std::vector<DoctorCheck>& checks) {
  nlohmann::ordered_json all = {{"ok", all_required_ok(checks)}, {"checks", nlohmann::ordered_json::array()}};
  for (const DoctorCheck& check : checks) {
    all["checks"].push_back({{"name", check.name},
                             {"ok", check.ok},
                             {"required", check.severity == Severity::required},
                             {"detail", check.detail},
                             {"remedy", check.remedy}});
  }
  return all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace xbdbg
