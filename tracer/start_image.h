// tracer/start_image.h — how one program of a target process began: everything its first instruction can see.
//
// Read off at the exec stop, from the new program's stack, so that it is the truth whatever the kernel made of
// scripts and relative names. A recording keeps one for the program xbdbg started and one for each that it became by
// execve; a replay starts each of them so that the same addresses hold the same bytes (launch.h, follow_exec.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/base/result.h"

namespace xbdbg {

struct AuxvEntry {
  std::uint64_t type = 0;
  std::uint64_t value = 0;
  friend bool operator==(const AuxvEntry&, const AuxvEntry&) = default;
};

struct StartImage {
  std::string executable{};         // the ELF program that runs, absolute; of a script its interpreter
  std::string name{};               // what execve was given (AT_EXECFN)
  std::vector<std::string> argv{};  // as the kernel made it
  std::vector<std::string> env{};   // with the agent's additions
  std::vector<AuxvEntry> auxv{};
  std::string working_directory{};
  std::uint64_t stack_pointer = 0;
  std::uint64_t stack_limit = 0;  // RLIMIT_STACK, soft: where mmap begins depends on it
  std::uint64_t personality = 0;
  friend bool operator==(const StartImage&, const StartImage&) = default;
};

// For a trace. What is decoded may be damaged or malicious: an error then.
std::string encode_start(const StartImage& start);
Result<StartImage> decode_start(std::string_view bytes);

// Where the file that was at `path` is now (a packed trace).
struct Redirect {
  std::string path{};
  std::string copy{};
};

// Where to look for `path`: its copy, if there is one.
const std::string& redirected(const std::vector<Redirect>& redirects, const std::string& path);

}  // namespace xbdbg
