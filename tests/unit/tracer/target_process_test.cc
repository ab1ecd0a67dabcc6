#include "tracer/target_process.h"

#include <signal.h>
#include <sys/wait.h>

#include "tests/support/expect_ok.h"

namespace xbdbg {
namespace {

void expect_event(int status, const TargetEvent& expected) {
  ASSERT_OK(event, decode_wait_status(status));
  EXPECT_EQ(event, expected) << std::hex << status;
}

TEST(WaitStatus, IsDecodedExactly) {
  expect_event(__W_EXITCODE(0, 0), TargetExited{0});
  expect_event(__W_EXITCODE(139, 0), TargetExited{139});
  expect_event(__W_EXITCODE(0, SIGSEGV), TargetSignaled{SIGSEGV, false});
  expect_event(__W_EXITCODE(0, SIGABRT) | 0x80, TargetSignaled{SIGABRT, true});
  expect_event(__W_STOPCODE(SIGTSTP), TargetStopped{SIGTSTP});
  expect_event(0xffff, TargetContinued{});
}

}  // namespace
}  // namespace xbdbg
