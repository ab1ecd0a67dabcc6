#include "tracer/launch.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tracer/auxv.h"
#include "tracer/base/str.h"
#include "tracer/launch_check.h"
#include "tracer/memory.h"
#include "tracer/ptrace.h"

namespace xbdbg {

namespace {

constexpr rlim_t kArenaFdFrom = 1000;             // high, so that the target's own numbers are what they always are,
constexpr rlim_t kArenaFdRoom = 16;               // and yet below the usual limit of 1024
constexpr std::size_t kMaxStackWords = 4u << 20;  // arguments and environment are bounded by a quarter of the stack

// "xbdbg" seeds the stack protector's canary and glibc's pointer guard; the canary's first byte is made 0 by glibc.
constexpr std::array<unsigned char, 16> kRandomBytes = {0x58, 0x42, 0x44, 0x42, 0x47, 0x9e, 0x37, 0x79,
                                                        0xb9, 0x7f, 0x4a, 0x7c, 0x15, 0xf3, 0x9c, 0xc0};

Result<> check_agent(const std::string& path) {
  if (path.empty()) return Ok{};
  if (path.find_first_of(": ") != std::string::npos) {
    return Error{Errc::unsupported, "cannot preload " + quoted(path) + ": the path contains a space or a colon",
                 "install xbdbg in a folder without them"};
  }
  if (::access(path.c_str(), R_OK) != 0) {
    return Error{Errc::not_found, "cannot preload " + quoted(path) + ": " + std::strerror(errno),
                 "the agent library is part of xbdbg; build or install it again"};
  }
  return Ok{};
}

// A number that is free here, and so, after fork, in the target.
Result<int> free_high_fd() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return os_error("getrlimit RLIMIT_NOFILE");
  const rlim_t from = limit.rlim_cur >= kArenaFdFrom + kArenaFdRoom ? kArenaFdFrom
                      : limit.rlim_cur > kArenaFdRoom               ? limit.rlim_cur - kArenaFdRoom
                                                                    : 3;
  for (rlim_t fd = from; fd < limit.rlim_cur; ++fd) {
    const int number = static_cast<int>(fd);
    if (::fcntl(number, F_GETFD) < 0 && errno == EBADF) return number;
  }
  return Error{Errc::os, "no file descriptor is free for the memory shared with the target", "try: ulimit -n 1024"};
}

std::vector<char*> as_pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

Result<AuxvPlaces> read_auxv_places(Pid pid, Addr stack_pointer) {
  for (std::size_t count = 1024; count <= kMaxStackWords; count *= 4) {
    std::vector<std::uint64_t> words(count);
    XB_TRY(const std::size_t bytes, read_memory(pid, stack_pointer, std::as_writable_bytes(std::span(words))));
    words.resize(bytes / sizeof(std::uint64_t));
    if (const auto places = find_in_auxv(words, stack_pointer)) return *places;
  }
  return Error{Errc::os, "the auxiliary vector of the new program was not found", {}};
}

Result<> make_start_deterministic(const Stopped& at_exec) {
  const Pid pid(at_exec.tid().raw());
  XB_TRY(const user_regs_struct regs, at_exec.regs());
  XB_TRY(const AuxvPlaces places, read_auxv_places(pid, Addr(regs.rsp)));
  if (places.random_bytes) XB_CHECK(write_memory(pid, *places.random_bytes, std::as_bytes(std::span(kRandomBytes))));
  const std::array<std::uint64_t, 1> ignore{AT_IGNORE};
  if (places.vdso_type) XB_CHECK(write_memory(pid, *places.vdso_type, std::as_bytes(std::span(ignore))));
  return Ok{};
}

// Runs the target from the go to the exec stop. Nothing: it ended first.
Result<std::optional<Stopped>> run_to_exec(Running running) {
  for (;;) {
    XB_TRY(WaitOutcome outcome, std::move(running).wait());
    if (std::holds_alternative<TraceeEnded>(outcome)) return std::optional<Stopped>();
    Stopped stopped = std::get<Stopped>(std::move(outcome));
    if (stopped.event() == PTRACE_EVENT_EXEC) return std::optional<Stopped>(std::move(stopped));
    const int deliver = stopped.event() == 0 ? stopped.signal() : 0;
    XB_TRY(running, std::move(stopped).resume(deliver));
  }
}

struct StartSocket {
  UniqueFd ours{};
  UniqueFd targets{};
};

Result<StartSocket> make_start_socket() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return os_error("socketpair");
  return StartSocket{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// What the target said before it gave up; nothing when exec closed the socket, or a signal ended it.
std::optional<StartFailure> read_start_failure(const UniqueFd& socket) {
  StartFailure failure;
  ssize_t n = -1;
  do {
    n = ::recv(socket.get(), &failure, sizeof failure, 0);
  } while (n < 0 && errno == EINTR);
  if (n != sizeof failure) return std::nullopt;
  return failure;
}

// Attaches, lets the target exec, prepares the new program, and lets go of it.
Result<> lead_through_exec(TargetProcess& process, const UniqueFd& socket, const char* path, const Logger* log) {
  auto seized = Running::seize(Tid(process.pid().raw()), PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC, log);
  if (!seized) {  // also when the target has failed before the go: its reason is the better message
    process.kill_all();
    if (const auto failure = read_start_failure(socket)) return describe_start_failure(*failure, path);
    return std::move(seized).error().context("cannot prepare the start of " + quoted(path));
  }
  (void)::send(socket.get(), "g", 1, MSG_NOSIGNAL);
  XB_TRY(std::optional<Stopped> at_exec, run_to_exec(*std::move(seized)));
  if (!at_exec) {
    if (const auto failure = read_start_failure(socket)) return describe_start_failure(*failure, path);
    return Ok{};
  }
  XB_CHECK(make_start_deterministic(*at_exec));
  return std::move(*at_exec).detach(0);
}

}  // namespace

Result<Launched> launch(const LaunchOptions& options) {
  XB_TRY(const ProgramToRun program, check_program(options.argv, find_variable(options.env, "PATH")));
  XB_CHECK(check_agent(options.agent_path));
  XB_TRY(SharedArena arena, SharedArena::create(options.config, options.schedule, options.replay));
  XB_TRY(const int arena_fd, free_high_fd());
  const Environment env = target_environment(options.env, options.agent_path, arena_fd);
  const std::vector<char*> env_pointers = as_pointers(env);
  const std::vector<char*> argv_pointers = as_pointers(program.argv);
  XB_TRY(StartSocket socket, make_start_socket());
  XB_TRY(TargetProcess process, TargetProcess::fork_guarded({.path = program.path.c_str(),
                                                             .argv = argv_pointers.data(),
                                                             .env = env_pointers.data(),
                                                             .arena_fd = arena.fd(),
                                                             .arena_fd_in_target = arena_fd,
                                                             .launcher_fd = socket.targets.get()}));
  socket.targets.reset();
  XB_CHECK(lead_through_exec(process, socket.ours, program.path.c_str(), options.log));
  return Launched{std::move(arena), std::move(process)};
}

}  // namespace xbdbg
