#include "tracer/launch.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <optional>

#include "tracer/base/str.h"
#include "tracer/exec_stop.h"
#include "tracer/launch_check.h"
#include "tracer/ptrace.h"
#include "tracer/start_folder.h"

namespace xbdbg {

namespace {

Result<UniqueFd> open_agent(const std::string& path) {
  if (path.empty()) return UniqueFd();
  auto fd = open_file(path, O_RDONLY);
  if (!fd) {
    return Error{Errc::not_found, "cannot preload " + quoted(path) + ": " + std::strerror(errno),
                 "the agent library is part of xbdbg; build or install it again"};
  }
  return fd;
}

// Numbers that are free here, and so, after fork, in the target.
Result<TargetFds> free_high_fds() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return os_error("getrlimit RLIMIT_NOFILE");
  return choose_fds(limit.rlim_cur, [](int fd) { return ::fcntl(fd, F_GETFD) < 0 && errno == EBADF; });
}

std::vector<char*> as_pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// What is executed, and how.
struct ProgramStart {
  std::string path{};
  std::vector<std::string> argv{};
  Environment env{};
  TargetFds fds{};
  std::optional<StartFolder> folder{};  // of a replay
  AsRecorded recorded{};

  const AsRecorded* limits() const { return folder ? &recorded : nullptr; }
};

Result<ProgramStart> plan_recorded_start(const StartImage& recorded, const std::vector<Redirect>& redirects) {
  ProgramStart start;
  start.argv = recorded.argv;
  start.env = recorded.env;
  start.fds = fds_of(recorded.env);
  if (start.fds.arena < 0)
    return Error{Errc::bad_input, "the recorded environment names no arena", "the trace is damaged"};
  XB_TRY(start.folder, StartFolder::create(recorded.name, redirected(redirects, recorded.executable)));
  start.path = start.folder->name();
  start.recorded = {recorded.personality, recorded.stack_limit, start.folder->path().c_str()};
  return start;
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

// Attaches, lets the target exec, prepares the new program, and lets go of it. An empty StartImage: it ended first.
Result<StartImage> lead_through_exec(TargetProcess& process, const UniqueFd& socket, const ProgramStart& program,
                                     const LaunchOptions& options) {
  const char* path = program.path.c_str();
  auto seized = Running::seize(Tid(process.pid().raw()), PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC, options.log);
  if (!seized) {  // also when the target has failed before the go: its reason is the better message
    process.kill_all();
    if (const auto failure = read_start_failure(socket)) return describe_start_failure(*failure, path);
    return std::move(seized).error().context("cannot prepare the start of " + quoted(path));
  }
  (void)::send(socket.get(), "g", 1, MSG_NOSIGNAL);
  XB_TRY(std::optional<Stopped> at_exec, run_to_exec(*std::move(seized)));
  if (!at_exec) {
    if (const auto failure = read_start_failure(socket)) return describe_start_failure(*failure, path);
    return StartImage{};
  }
  XB_TRY(PreparedProgram prepared, prepare_program(*std::move(at_exec), options.as_recorded));
  XB_CHECK(std::move(prepared.stopped).detach(0));
  return std::move(prepared.start);
}

Result<ProgramStart> plan_start(const LaunchOptions& options, bool has_agent) {
  if (options.as_recorded != nullptr) return plan_recorded_start(*options.as_recorded, options.redirects);
  ProgramStart start;
  XB_TRY(ProgramToRun program, check_program(options.argv, find_variable(options.env, "PATH")));
  XB_TRY(start.fds, free_high_fds());
  if (!has_agent) start.fds.agent = -1;
  start.path = std::move(program.path);
  start.argv = std::move(program.argv);
  start.env = target_environment(options.env, start.fds);
  return start;
}

// Where the target finds the descriptors, now and after each exec.
void note_descriptors(agent::ExecRequest& exec, const TargetFds& fds, int arena_fd, int agent_fd) {
  exec.arena_fd = fds.arena;
  exec.agent_fd = fds.agent;
  const auto path_of = [](char(&path)[64], int fd) {
    (void)std::snprintf(path, sizeof path, "/proc/%d/fd/%d", ::getpid(), fd);
  };
  path_of(exec.arena_path, arena_fd);
  path_of(exec.agent_path, agent_fd);
}

}  // namespace

Result<Launched> launch(const LaunchOptions& options) {
  XB_TRY(UniqueFd agent, open_agent(options.agent_path));
  XB_TRY(const ProgramStart start, plan_start(options, static_cast<bool>(agent)));
  XB_TRY(SharedArena arena, SharedArena::create(options.config, options.schedule, options.replay));
  note_descriptors(arena.shared().exec, start.fds, arena.fd(), agent.get());
  const std::vector<char*> env_pointers = as_pointers(start.env);
  const std::vector<char*> argv_pointers = as_pointers(start.argv);
  XB_TRY(StartSocket socket, make_start_socket());
  XB_TRY(TargetProcess process, TargetProcess::fork_guarded({.path = start.path.c_str(),
                                                             .argv = argv_pointers.data(),
                                                             .env = env_pointers.data(),
                                                             .arena_fd = arena.fd(),
                                                             .arena_fd_in_target = start.fds.arena,
                                                             .agent_fd = agent.get(),
                                                             .agent_fd_in_target = start.fds.agent,
                                                             .launcher_fd = socket.targets.get(),
                                                             .as_recorded = start.limits()}));
  socket.targets.reset();
  XB_TRY(StartImage image, lead_through_exec(process, socket.ours, start, options));
  return Launched{std::move(arena), std::move(agent), std::move(process), std::move(image)};
}

}  // namespace xbdbg
