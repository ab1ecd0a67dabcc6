#include "tracer/launch_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>

#include "tracer/base/str.h"
#include "tracer/base/unique_fd.h"
#include "tracer/symbols/elf_summary.h"

namespace xbdbg {

namespace {

constexpr int kMaxInterpreters = 5;       // the kernel's own bound on `#!` chains
constexpr std::size_t kFirstBytes = 256;  // BINPRM_BUF_SIZE: all that the kernel looks at
constexpr std::uint16_t kMachineAmd64 = 62;
constexpr std::string_view kDefaultPath = "/bin:/usr/bin";  // glibc's, when $PATH is not set

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

Result<> check_executable(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    const Errc code = errno == ENOENT || errno == ENOTDIR ? Errc::not_found : Errc::os;
    return Error{code, "cannot run " + quoted(path) + ": " + std::strerror(errno), "check the path of the program"};
  }
  if (S_ISDIR(info.st_mode)) return Error{Errc::refused, "cannot run " + quoted(path) + ": it is a directory", {}};
  if (!S_ISREG(info.st_mode)) {
    return Error{Errc::refused, "cannot run " + quoted(path) + ": it is not a regular file", {}};
  }
  if (::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) != 0) {
    return Error{Errc::refused, "cannot run " + quoted(path) + ": it is not executable", "try: chmod +x " + path};
  }
  return Ok{};
}

// As execvp: the first file that can be executed; one that may not be executed is remembered for the message.
Result<std::string> find_in_path(const std::string& name, std::string_view path_variable) {
  std::optional<Error> not_permitted;
  for (std::size_t start = 0; start <= path_variable.size();) {
    const std::size_t end = std::min(path_variable.find(':', start), path_variable.size());
    const std::string_view folder = path_variable.substr(start, end - start);
    const std::string candidate = folder.empty() ? "./" + name : std::string(folder) + "/" + name;
    auto checked = check_executable(candidate);
    if (checked) return candidate;
    if (checked.error().code == Errc::refused && !not_permitted) not_permitted = checked.error();
    start = end + 1;
  }
  if (not_permitted) return *not_permitted;
  return Error{Errc::not_found, "cannot run " + quoted(name) + ": not found in $PATH",
               "give the path of the program, as in ./" + name};
}

Result<std::string> locate(const std::string& name, std::optional<std::string_view> path_variable) {
  if (name.empty()) return Error{Errc::not_found, "cannot run \"\": the name of the program is empty", {}};
  if (name.find('/') == std::string::npos) return find_in_path(name, path_variable.value_or(kDefaultPath));
  XB_CHECK(check_executable(name));
  return name;
}

Result<> check_privileges(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return os_error("stat " + path);
  const bool setgid = (info.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP);
  if ((info.st_mode & S_ISUID) != 0 || setgid) {
    return Error{Errc::refused, "cannot run " + quoted(path) + ": it is setuid or setgid",
                 "such programs ignore preloaded libraries; run a copy without the bit"};
  }
  if (::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0) {
    return Error{Errc::refused, "cannot run " + quoted(path) + ": it has file capabilities",
                 "such programs ignore preloaded libraries; run a copy (cp drops the capabilities)"};
  }
  return Ok{};
}

Error unsupported(const std::string& path, const std::string& why, std::string hint) {
  return Error{Errc::unsupported, "cannot run " + quoted(path) + ": " + why, std::move(hint)};
}

Result<> check_elf(const std::string& path) {
  auto summary = read_elf_summary(path);
  if (!summary) {
    if (summary.error().code != Errc::bad_input) return std::move(summary).error();
    return unsupported(path, "not an ELF program", "xbdbg runs dynamically linked x86-64 programs and #! scripts");
  }
  if (summary->elf_class == ElfClass::elf32) {
    return unsupported(path, "it is a 32-bit program", "build it for x86-64 (without -m32)");
  }
  if (summary->machine != kMachineAmd64 || !summary->little_endian) {
    return unsupported(
        path, std::string("it is built for another architecture (") + elf_machine_name(summary->machine) + ")",
        "xbdbg runs x86-64 programs");
  }
  if (summary->type != ElfType::executable && summary->type != ElfType::dynamic) {
    return unsupported(path, "it is ELF, but not a program", "link it into an executable first");
  }
  if (!summary->has_interp) {
    if (summary->is_shared_library) return unsupported(path, "it is a shared library, not a program", {});
    return unsupported(path, "it is statically linked", "link it dynamically (without -static or -static-pie)");
  }
  if (base_name(summary->interp).rfind("ld-linux-x86-64.so", 0) != 0) {
    return unsupported(path, "its loader is " + summary->interp + ", not glibc's", "xbdbg runs glibc programs");
  }
  if (::access(summary->interp.c_str(), X_OK) != 0) {
    return Error{
        Errc::not_found, "cannot run " + quoted(path) + ": its loader " + summary->interp + " is missing", {}};
  }
  return check_privileges(path);
}

Result<std::string> read_first_bytes(const std::string& path) {
  XB_TRY(UniqueFd fd, open_file(path, O_RDONLY));
  std::array<char, kFirstBytes> bytes{};
  const ssize_t n = ::pread(fd.get(), bytes.data(), bytes.size(), 0);
  if (n < 0) return os_error("read " + path);
  return std::string(bytes.data(), static_cast<std::size_t>(n));
}

// NOTE [env is looked through]
// `#!/usr/bin/env python3` would run env under the agent and then execve python3 without it, since child programs run
// undisturbed. So env's one simple use is done here: the program it would find becomes the interpreter.
bool is_plain_env(const Interpreter& interpreter) {
  return base_name(interpreter.path) == "env" && !interpreter.argument.empty() && interpreter.argument[0] != '-' &&
         interpreter.argument.find('=') == std::string::npos;
}

// Puts the interpreter in front, as the kernel does: argv[0] of the script is replaced by its path.
Result<> go_through(const Interpreter& interpreter, std::optional<std::string_view> path_variable,
                    ProgramToRun& program) {
  std::vector<std::string> argv;
  std::string next = interpreter.path;
  if (is_plain_env(interpreter)) {
    XB_TRY(next, locate(interpreter.argument, path_variable));
    argv = {interpreter.argument};
  } else {
    argv = {interpreter.path};
    if (!interpreter.argument.empty()) argv.push_back(interpreter.argument);
  }
  argv.push_back(program.path);
  argv.insert(argv.end(), program.argv.begin() + 1, program.argv.end());
  program.argv = std::move(argv);
  program.path = std::move(next);
  return Ok{};
}

}  // namespace

std::optional<Interpreter> parse_interpreter_line(std::string_view first_bytes) {
  constexpr std::string_view kBlank = " \t";
  if (first_bytes.substr(0, 2) != "#!") return std::nullopt;
  std::string_view line = first_bytes.substr(2, first_bytes.find('\n') - 2);
  const std::size_t start = line.find_first_not_of(kBlank);
  if (start == std::string_view::npos) return std::nullopt;
  line = line.substr(start, line.find_last_not_of(kBlank) - start + 1);
  const std::size_t end = line.find_first_of(kBlank);
  Interpreter interpreter{std::string(line.substr(0, end)), {}};
  if (end != std::string_view::npos) interpreter.argument = line.substr(line.find_first_not_of(kBlank, end));
  return interpreter;
}

Result<ProgramToRun> check_program(const std::vector<std::string>& argv,
                                   std::optional<std::string_view> path_variable) {
  if (argv.empty()) return Error{Errc::bad_input, "no program given", {}};
  XB_TRY(const std::string located, locate(argv[0], path_variable));
  ProgramToRun last{located, argv, {}};  // the interpreter that was reached, and how it would be called
  bool through_env = false;
  int depth = 0;
  for (;; ++depth) {
    XB_TRY(const std::string first_bytes, read_first_bytes(last.path));
    const std::optional<Interpreter> interpreter = parse_interpreter_line(first_bytes);
    if (!interpreter) break;
    if (depth == kMaxInterpreters) {
      return Error{Errc::refused, "cannot run " + quoted(argv[0]) + ": its chain of #! interpreters is too long", {}};
    }
    const std::string script = last.path;
    through_env = through_env || is_plain_env(*interpreter);
    XB_CHECK(go_through(*interpreter, path_variable, last));
    if (auto checked = check_executable(last.path); !checked) {
      return std::move(checked).error().context("the interpreter of " + quoted(script));
    }
  }
  if (auto checked = check_elf(last.path); !checked) {
    if (depth == 0) return std::move(checked).error();
    return std::move(checked).error().context("the interpreter of " + quoted(argv[0]));
  }
  last.elf_path = last.path;
  if (through_env) return last;
  return ProgramToRun{located, argv, last.elf_path};  // the kernel follows the chain, and names the process rightly
}

}  // namespace xbdbg
