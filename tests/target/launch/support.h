// tests/target/launch/support.h — what the launch tests share.
#pragma once

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/expect_ok.h"
#include "tracer/launch.h"

namespace xbdbg::test {

inline std::string test_program(const std::string& name) { return XB_BINARY_DIR "/tests/bin/launch_" + name; }

inline Environment our_environment() {
  Environment env;
  for (char** entry = ::environ; *entry != nullptr; ++entry) env.emplace_back(*entry);
  return env;
}

inline Result<Launched> launch_program(std::vector<std::string> argv) {
  return launch({.argv = std::move(argv), .env = our_environment()});
}

// Waits for the target's end; what else happens to it is passed over.
inline Result<TargetEvent> wait_for_end(TargetProcess& process) {
  for (;;) {
    XB_TRY(TargetEvent event, process.wait_event(std::nullopt));
    if (process.ended()) return event;
  }
}

inline std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace xbdbg::test
