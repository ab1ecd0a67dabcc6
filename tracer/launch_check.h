// tracer/launch_check.h — which program would run, and whether xbdbg can run it; nothing is started here.
//
// The file is found as execvp finds it and a `#!` script is followed through its interpreters to the ELF program that
// will really run. What cannot be controlled (static, 32-bit, foreign, privileged, not glibc) is refused with one
// line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/base/result.h"

namespace xbdbg {

struct ProgramToRun {
  std::string path{};               // what to hand to execve
  std::vector<std::string> argv{};  // with this
  std::string elf_path{};           // the program that runs: `path`, or the last interpreter of the script
};

// `path_variable` is $PATH of the program to be, if set.
Result<ProgramToRun> check_program(const std::vector<std::string>& argv,
                                   std::optional<std::string_view> path_variable);

struct Interpreter {
  std::string path{};
  std::string argument{};  // may be empty

  friend bool operator==(const Interpreter&, const Interpreter&) = default;
};

// The `#!` line as the kernel reads it from a file's first bytes; nothing when there is none.
std::optional<Interpreter> parse_interpreter_line(std::string_view first_bytes);

}  // namespace xbdbg
