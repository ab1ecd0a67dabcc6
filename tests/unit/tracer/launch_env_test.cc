#include "tracer/launch_env.h"

#include <gtest/gtest.h>

namespace xbdbg {
namespace {

constexpr char kTunables[] = "glibc.pthread.rseq=0:glibc.malloc.arena_max=1";

TEST(LaunchEnv, AddsTheAgentsVariablesBehindTheUsers) {
  EXPECT_EQ(target_environment({"A=1", "B=2"}, "/x/agent.so", 1000),
            (Environment{"A=1", "B=2", std::string("GLIBC_TUNABLES=") + kTunables, "XBDBG_ARENA_FD=1000",
                         "LD_PRELOAD=/x/agent.so"}));
}

TEST(LaunchEnv, KeepsTheUsersPreloadAndTunablesAndPassesTheOriginals) {
  EXPECT_EQ(
      target_environment({"LD_PRELOAD=/u.so /v.so", "GLIBC_TUNABLES=glibc.malloc.check=3", "A=1"}, "/agent.so", 9),
      (Environment{"LD_PRELOAD=/agent.so:/u.so /v.so",
                   std::string("GLIBC_TUNABLES=glibc.malloc.check=3:") + kTunables, "A=1", "XBDBG_ARENA_FD=9",
                   "XBDBG_USER_PRELOAD=/u.so /v.so", "XBDBG_USER_TUNABLES=glibc.malloc.check=3"}));
}

TEST(LaunchEnv, AnEmptyUserValueIsNotTheSameAsNone) {
  EXPECT_EQ(target_environment({"LD_PRELOAD="}, "/agent.so", 9),
            (Environment{"LD_PRELOAD=/agent.so", std::string("GLIBC_TUNABLES=") + kTunables, "XBDBG_ARENA_FD=9",
                         "XBDBG_USER_PRELOAD="}));
}

TEST(LaunchEnv, WithoutAgentNothingIsPreloaded) {
  EXPECT_FALSE(find_variable(target_environment({}, "", 9), "LD_PRELOAD"));
}

TEST(LaunchEnv, FindsVariablesByTheirWholeName) {
  const Environment env{"PATHS=1", "NOTHING", "PATH=/bin", "PATH=/second"};
  EXPECT_EQ(find_variable(env, "PATH"), "/bin");
  EXPECT_FALSE(find_variable(env, "PAT"));
  EXPECT_FALSE(find_variable(env, "NOTHING"));
}

}  // namespace
}  // namespace xbdbg
