#include "tracer/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace xbdbg {
namespace {

TEST(Doctor, ComparesVersions) {
  EXPECT_TRUE(version_at_least("5.11.0-foo", 5, 11));
  EXPECT_TRUE(version_at_least("6.1", 5, 11));
  EXPECT_TRUE(version_at_least("2.36", 2, 34));
  EXPECT_FALSE(version_at_least("5.9.16", 5, 11));
  EXPECT_FALSE(version_at_least("4.99", 5, 11));
  EXPECT_FALSE(version_at_least("", 5, 11));
  EXPECT_FALSE(version_at_least("6", 5, 11));
  EXPECT_FALSE(version_at_least("six.1", 5, 11));
}

TEST(Doctor, OnlyRequiredChecksDecide) {
  EXPECT_TRUE(all_required_ok({{"a", true, Severity::required, "", ""}, {"b", false, Severity::optional, "", ""}}));
  EXPECT_FALSE(all_required_ok({{"a", false, Severity::required, "", ""}}));
}

TEST(Doctor, EveryCheckHasADetailAndEveryFailureARemedy) {
  const auto checks = run_doctor({.agent_path = "/does/not/exist.so", .path_variable = "/does/not/exist"});
  std::set<std::string> names;
  for (const DoctorCheck& check : checks) {
    EXPECT_TRUE(names.insert(check.name).second) << check.name << " twice";
    EXPECT_NE(check.detail, "") << check.name;
    EXPECT_EQ(check.ok, check.remedy.empty()) << check.name;
  }
  const auto failed = [&](const char* name) {
    return std::any_of(checks.begin(), checks.end(),
                       [&](const DoctorCheck& check) { return check.name == name && !check.ok; });
  };
  EXPECT_TRUE(failed("agent library"));
  EXPECT_TRUE(failed("gdb"));
  EXPECT_FALSE(all_required_ok(checks));
}

}  // namespace
}  // namespace xbdbg
