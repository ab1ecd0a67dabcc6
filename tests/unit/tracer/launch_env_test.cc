#include "tracer/launch_env.h"

#include <gtest/gtest.h>

namespace xbdbg {
namespace {

constexpr char kTunables[] = "glibc.pthread.rseq=0:glibc.malloc.arena_max=1";

TEST(LaunchEnv, AddsTheAgentsVariablesBehindTheUsers) {
  EXPECT_EQ(target_environment({"A=1", "B=2"}, {.arena = 1000, .agent = 1001}),
            (Environment{"A=1", "B=2", std::string("GLIBC_TUNABLES=") + kTunables, "XBDBG_ARENA_FD=1000",
                         "LD_PRELOAD=/proc/self/fd/1001"}));
}

TEST(LaunchEnv, KeepsTheUsersPreloadAndTunablesAndPassesTheOriginals) {
  EXPECT_EQ(target_environment({"LD_PRELOAD=/u.so /v.so", "GLIBC_TUNABLES=glibc.malloc.check=3", "A=1"},
                               {.arena = 9, .agent = 10}),
            (Environment{"LD_PRELOAD=/proc/self/fd/10:/u.so /v.so",
                         std::string("GLIBC_TUNABLES=glibc.malloc.check=3:") + kTunables, "A=1", "XBDBG_ARENA_FD=9",
                         "XBDBG_USER_PRELOAD=/u.so /v.so", "XBDBG_USER_TUNABLES=glibc.malloc.check=3"}));
}

TEST(LaunchEnv, AnEmptyUserValueIsNotTheSameAsNone) {
  EXPECT_EQ(target_environment({"LD_PRELOAD="}, {.arena = 9, .agent = 10}),
            (Environment{"LD_PRELOAD=/proc/self/fd/10", std::string("GLIBC_TUNABLES=") + kTunables,
                         "XBDBG_ARENA_FD=9", "XBDBG_USER_PRELOAD="}));
}

TEST(LaunchEnv, WithoutAgentNothingIsPreloaded) {
  EXPECT_FALSE(find_variable(target_environment({}, {.arena = 9}), "LD_PRELOAD"));
}

TEST(LaunchEnv, TheDescriptorsCanBeReadBack) {
  const TargetFds fds{.arena = 1000, .agent = 1001};
  EXPECT_EQ(fds_of(target_environment({}, fds)), fds);
  EXPECT_EQ(fds_of(target_environment({"LD_PRELOAD=/u.so"}, fds)), fds);
  EXPECT_EQ(fds_of(target_environment({}, {.arena = 9})), (TargetFds{.arena = 9, .agent = -1}));
  EXPECT_EQ(fds_of({"XBDBG_ARENA_FD=99999999999", "LD_PRELOAD=/proc/self/fd/x"}), TargetFds{});
}

TEST(LaunchEnv, FindsVariablesByTheirWholeName) {
  const Environment env{"PATHS=1", "NOTHING", "PATH=/bin", "PATH=/second"};
  EXPECT_EQ(find_variable(env, "PATH"), "/bin");
  EXPECT_FALSE(find_variable(env, "PAT"));
  EXPECT_FALSE(find_variable(env, "NOTHING"));
}

}  // namespace
}  // namespace xbdbg
