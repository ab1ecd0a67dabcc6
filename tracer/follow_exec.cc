#include "tracer/follow_exec.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>
#include <cstring>
#include <optional>

#include "tracer/base/str.h"
#include "tracer/exec_stop.h"
#include "tracer/launch_check.h"
#include "tracer/launch_env.h"
#include "tracer/ptrace.h"
#include "tracer/start_folder.h"
#include "tracer/target_strings.h"

namespace xbdbg {

namespace {

using agent::ExecPhase;
using Outcome = FollowedExec::Outcome;

constexpr std::size_t kMaxTextBytes = 8u << 20;  // the kernel takes 6 MiB

// The program's call as the target wrote it, checked and copied.
struct ExecCall {
  bool at = false;  // execveat
  int folder_fd = AT_FDCWD;
  Addr path{}, env{};
  Addr scratch{}, scratch_end{};

  int env_index() const { return at ? 3 : 2; }
};

Result<ExecCall> read_call(const agent::ExecRequest& shared) {
  ExecCall call;
  call.at = shared.number == SYS_execveat;
  const std::uint64_t* args = shared.args;
  if (call.at) call.folder_fd = static_cast<int>(args[0]);
  call.path = Addr(args[call.at ? 1 : 0]);
  call.env = Addr(args[call.env_index()]);
  const std::uint64_t bytes = shared.scratch_bytes;
  constexpr std::uint64_t kMaxScratch = 1u << 30;
  if (bytes > kMaxScratch) return Error{Errc::bad_input, "the memory shared with the target is damaged: exec", {}};
  call.scratch = Addr(shared.scratch);
  call.scratch_end = call.scratch + bytes;
  return call;
}

// The file that would be executed, as this process sees it.
Result<std::string> path_to_execute(Pid pid, const ExecCall& call) {
  XB_TRY(const std::string path, read_target_string(pid, call.path, PATH_MAX));
  const std::string target = fmt::format("/proc/{}/", pid.raw());
  if (!path.empty() && path[0] == '/') return path;
  std::string folder = target + "cwd";
  if (call.folder_fd != AT_FDCWD) folder = fmt::format("{}fd/{}", target, call.folder_fd);
  if (path.empty()) return folder;  // AT_EMPTY_PATH: the descriptor itself
  std::array<char, PATH_MAX> real;
  const ssize_t n = ::readlink(folder.c_str(), real.data(), real.size());
  if (n < 0) return os_error("readlink " + folder);
  return std::string(real.data(), static_cast<std::size_t>(n)) + "/" + path;
}

// Numbers the program does not use, below its limit.
Result<TargetFds> free_fds(Pid pid) {
  rlimit limit{};
  if (::prlimit(pid.raw(), RLIMIT_NOFILE, nullptr, &limit) != 0) return os_error("prlimit RLIMIT_NOFILE");
  return choose_fds(limit.rlim_cur, [pid](int fd) {
    return ::access(fmt::format("/proc/{}/fd/{}", pid.raw(), fd).c_str(), F_OK) != 0 && errno == ENOENT;
  });
}

// One exec, from the stop that asks for it to the new program's first instruction.
class Following {
 public:
  Following(TargetProcess& process, SharedArena& arena, const FollowOptions& options)
      : process_(process), pid_(process.pid()), arena_(arena), exec_(arena.shared().exec), options_(options) {}

  Result<FollowedExec> run() {
    XB_TRY(Running running, Running::seize(Tid(pid_.raw()), PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC, options_.log));
    XB_CHECK(running.interrupt());
    XB_TRY(WaitOutcome outcome, std::move(running).wait());
    if (std::holds_alternative<TraceeEnded>(outcome)) return FollowedExec{};
    XB_CHECK(decide());
    XB_CHECK(process_.send_signal(SIGCONT));
    return lead(std::get<Stopped>(std::move(outcome)));
  }

 private:
  Result<> decide() {
    XB_TRY(const ExecCall call, read_call(exec_));
    if (options_.as_recorded != nullptr) return ask_for_recorded(call, *options_.as_recorded);
    const auto path = path_to_execute(pid_, call);
    const auto env = read_target_strings(pid_, call.env, kMaxTextBytes);
    if (!path || !env) {  // what the kernel cannot read either, or refuses: it shall say so
      reason_ = !path ? path.error() : env.error();
    } else if (auto program = check_program({*path}, std::nullopt); !program) {
      reason_ = std::move(program).error();
    }
    if (reason_) {
      exec_.phase.store(ExecPhase::as_is, std::memory_order_release);
      return Ok{};
    }
    XB_TRY(const TargetFds fds, free_fds(pid_));
    Addr place = call.scratch;
    XB_TRY(const Addr list, write_target_strings(pid_, place, call.scratch_end, target_environment(*env, fds)));
    exec_.args[call.env_index()] = list.raw();
    follow_with(fds);
    return Ok{};
  }

  Result<> ask_for_recorded(const ExecCall& call, const StartImage& recorded) {
    const TargetFds fds = fds_of(recorded.env);
    if (fds.arena < 0 || fds.agent < 0) {
      return Error{Errc::bad_input, "the recorded environment names no agent", "the trace is damaged"};
    }
    XB_TRY(folder_, StartFolder::create(recorded.name, redirected(options_.redirects, recorded.executable)));
    Addr place = call.scratch;
    XB_TRY(const Addr env, write_target_strings(pid_, place, call.scratch_end, recorded.env));
    XB_TRY(const Addr argv, write_target_strings(pid_, place, call.scratch_end, recorded.argv));
    XB_TRY(const Addr name, write_target_strings(pid_, place, call.scratch_end, {folder_->name()}));
    constexpr std::uint64_t kBehindTheList = 2 * sizeof(std::uint64_t);
    exec_.number = SYS_execve;
    exec_.args[0] = name.raw() + kBehindTheList;
    exec_.args[1] = argv.raw();
    exec_.args[2] = env.raw();
    exec_.personality = recorded.personality;
    exec_.stack_limit = recorded.stack_limit;
    (void)std::snprintf(exec_.folder, sizeof exec_.folder, "%s", folder_->path().c_str());
    exec_.as_recorded = 1;
    follow_with(fds);
    return Ok{};
  }

  void follow_with(const TargetFds& fds) {
    exec_.arena_fd = fds.arena;
    exec_.agent_fd = fds.agent;
    exec_.phase.store(ExecPhase::follow, std::memory_order_release);
  }

  // To the exec stop, or to the agent's second stop, which says that the call failed.
  Result<FollowedExec> lead(Stopped stopped) {
    for (bool continued = false;;) {
      if (stopped.event() == PTRACE_EVENT_EXEC) return at_exec(std::move(stopped));
      int deliver = stopped.event() == 0 ? stopped.signal() : 0;
      if (deliver == SIGSTOP) {
        if (exec_.phase.load(std::memory_order_acquire) == ExecPhase::failed) return let_go(std::move(stopped));
        deliver = 0;  // the agent's first, repeated
      }
      if (deliver == SIGCONT && !continued) {  // ours
        continued = true;
        deliver = 0;
      }
      XB_TRY(Running running, std::move(stopped).resume(deliver));
      XB_TRY(WaitOutcome outcome, std::move(running).wait());
      if (std::holds_alternative<TraceeEnded>(outcome)) return FollowedExec{};
      stopped = std::get<Stopped>(std::move(outcome));
    }
  }

  Result<FollowedExec> let_go(Stopped stopped) {
    XB_CHECK(std::move(stopped).detach(0));
    return FollowedExec{Outcome::failed, {}};
  }

  Result<FollowedExec> at_exec(Stopped stopped) {
    if (!reason_) {
      XB_TRY(PreparedProgram prepared, prepare_program(std::move(stopped), options_.as_recorded));
      XB_CHECK(std::move(prepared.stopped).detach(0));
      return FollowedExec{Outcome::followed, std::move(prepared.start)};
    }
    if (arena_.config().mode != agent::Mode::run) {
      XB_CHECK(std::move(stopped).detach(SIGKILL));
      return std::move(*reason_).context("the program became another one, which cannot be recorded");
    }
    arena_.shared().status.state.store(agent::State::ended, std::memory_order_release);
    XB_CHECK(std::move(stopped).detach(0));
    return FollowedExec{Outcome::left_alone, {}};
  }

  TargetProcess& process_;
  Pid pid_;
  SharedArena& arena_;
  agent::ExecRequest& exec_;
  const FollowOptions& options_;
  std::optional<Error> reason_{};        // why it is made as it is
  std::optional<StartFolder> folder_{};  // of a replay, until the exec has happened
};

}  // namespace

Result<FollowedExec> follow_exec(TargetProcess& process, SharedArena& arena, const FollowOptions& options) {
  auto followed = Following(process, arena, options).run();
  if (!followed && followed.error().code == Errc::target_gone) return FollowedExec{};  // its end will be reported
  return followed;
}

}  // namespace xbdbg
