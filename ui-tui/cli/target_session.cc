#include "ui-tui/cli/target_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "ui-tui/cli/agent_library.h"
#include "ui-tui/deadlock_report.h"
#include "ui-tui/operations.h"

namespace xbdbg {
namespace {

// Names and stacks while the target stands still. Objects that are not globals and were not seen in the stream have
// no number: their address says at least whether two of them are the same.
class StoppedTarget : public TargetNames {
 public:
  StoppedTarget(Pid pid, TargetSymbols& symbols, const ObjectNames& names)
      : pid_(pid), symbols_(symbols), names_(names) {}

  std::string object(ObjectKind kind, Addr address) override {
    return names_.find(kind, address).value_or(fmt::format("{:#x}", address.raw()));
  }
  SourceSite site(Addr return_address) override { return symbols_.site(return_address); }
  std::vector<SourceSite> backtrace(const agent::ThreadView& thread) override {
    return symbols_.backtrace(pid_, thread);
  }

 private:
  Pid pid_;
  TargetSymbols& symbols_;
  const ObjectNames& names_;
};

// The states in which the agent has stopped its process for good.
std::optional<TargetEnd::Kind> end_of(agent::State state) {
  switch (state) {
    case agent::State::deadlock:
      return TargetEnd::Kind::deadlock;
    case agent::State::no_progress:
      return TargetEnd::Kind::no_progress;
    case agent::State::failed:
      return TargetEnd::Kind::failed;
    case agent::State::diverged:
      return TargetEnd::Kind::diverged;
    case agent::State::journal_ended:
      return TargetEnd::Kind::journal_ended;
    case agent::State::launching:
    case agent::State::running:
    case agent::State::ended:
    case agent::State::exec:
      break;
  }
  return std::nullopt;
}

// What the agent said before it gave up, with the line of the schedule that could not be followed.
Error agent_failure(const AgentStatus& status, const std::optional<Schedule>& followed) {
  Error error{Errc::unsupported, status.message.empty() ? "the agent failed without a message" : status.message, {}};
  const bool mismatch = error.what.find("schedule mismatch") == 0;
  const ScheduleRun* run = mismatch && followed ? followed->find(status.failed_step) : nullptr;
  if (run != nullptr) {
    error.hint =
        fmt::format("line {} of the schedule (\"{}\"): the program, its input or the file changed since it was saved",
                    run->line, print_run(*run));
  }
  return error;
}

}  // namespace

bool is_request_to_end(int signal) {
  constexpr std::array kRequests = {SIGINT, SIGTERM, SIGKILL, SIGHUP, SIGQUIT, SIGPIPE};
  return std::find(kRequests.begin(), kRequests.end(), signal) != kRequests.end();
}

Result<LaunchOptions> launch_options(const Context& context) {
  LaunchOptions options;
  options.env = context.surroundings.variables;
  XB_TRY(options.agent_path, find_agent_library(context.surroundings));
  return options;
}

TargetSession::TargetSession(const Context& context, const LogFilter& log)
    : context_(context),
      logger_(log, [&context](std::string_view line) { context.console.note(line); }),
      symbols_(context.surroundings.working_directory),
      names_([this](ObjectKind kind, Addr address) { return symbols_.global(kind, address); }) {}

Result<Ending> TargetSession::run(const LaunchOptions& options, SessionRole& role) {
  role_ = &role;
  program_ = options.argv.empty() ? "the program" : options.argv.front();
  XB_TRY(PassThrough pass_through, PassThrough::begin());
  pass_through_.emplace(std::move(pass_through));
  XB_TRY(target_, launch(options));
  const Pid pid = target_->process.pid();
  XB_LOG(logger_, info, "run", fmt::format("launched {} as process {}", program_, pid.raw()));
  XB_CHECK(role.launched(*target_));
  XB_TRY(StallWatcher stalls, StallWatcher::create(pid, target_->arena, &logger_, role.stall_limits()));
  stalls_.emplace(std::move(stalls));

  const auto end = watch();
  Result<Ending> ending = end ? role.conclude(*end) : Result<Ending>(end.error());
  if (const auto status = target_->arena.status()) {
    events_ = status->events;
    choices_ = status->choices;
  }
  XB_LOG(logger_, info, "run", fmt::format("ended after {} events and {} choices", events_, choices_));
  target_->process.kill_all();
  auto finished = role.finish(end);
  if (ending && !finished) return std::move(finished).error();
  return ending;
}

Result<TargetEnd> TargetSession::watch() {
  while (true) {
    XB_TRY(std::optional<TargetEnd> end, role_->look());
    if (end) return *std::move(end);
    XB_CHECK(look_for_stall());
    const auto patience = std::min(stalls_->interval(), role_->patience().value_or(std::chrono::milliseconds::max()));
    XB_TRY(const TargetEvent event, pass_through_->wait_event(target_->process, patience));
    if (std::holds_alternative<TargetExited>(event) || std::holds_alternative<TargetSignaled>(event)) {
      return target_ended(event);
    }
    if (!std::holds_alternative<TargetStopped>(event)) continue;
    XB_TRY(end, target_stopped());
    if (end) return *std::move(end);
  }
}

Result<> TargetSession::look_for_stall() {
  XB_TRY(const std::optional<ForcedTurn> forced, stalls_->tick());
  if (!forced || told_of_stall_ || !role_->repeatable()) return Ok{};
  told_of_stall_ = true;
  (void)symbols_.refresh(target_->process.pid());
  context_.console.note(fmt::format(
      "T{} made no step for {} s at {}; other threads get a turn (this run cannot be repeated exactly)",
      forced->thread.raw(), std::chrono::duration_cast<std::chrono::seconds>(role_->stall_limits().forced).count(),
      format_site(symbols_.site(forced->pc + 1))));
  return Ok{};
}

Result<std::optional<TargetEnd>> TargetSession::target_stopped() {
  XB_TRY(const AgentStatus status, target_->arena.status());
  if (const auto kind = end_of(status.state)) return std::optional(TargetEnd{*kind, 0, status});
  if (status.state == agent::State::exec) {
    XB_CHECK(follow(status));
  } else {
    XB_CHECK(pass_through_->stop_with(target_->process));
  }
  return std::optional<TargetEnd>();
}

Result<> TargetSession::follow(const AgentStatus& status) {
  FollowOptions options = role_->follow_options(status);
  options.log = &logger_;
  XB_TRY(const FollowedExec followed, follow_exec(target_->process, target_->arena, options));
  XB_LOG(logger_, info, "run", fmt::format("exec of {}", followed.start.executable));
  return role_->followed_exec(followed);
}

Result<TargetEnd> TargetSession::target_ended(const TargetEvent& event) {
  XB_TRY(const AgentStatus status, target_->arena.status());
  if (status.state == agent::State::failed) return TargetEnd{TargetEnd::Kind::failed, 0, status};
  const auto* killed = std::get_if<TargetSignaled>(&event);
  if (status.state == agent::State::launching && (killed == nullptr || !is_request_to_end(killed->signal))) {
    return never_took_over(event);
  }
  if (killed != nullptr) return TargetEnd{TargetEnd::Kind::killed, killed->signal, status};
  return TargetEnd{TargetEnd::Kind::exited, std::get<TargetExited>(event).code, status};
}

Result<Ending> TargetSession::as_the_program(const TargetEnd& end, const std::optional<Schedule>& followed) {
  switch (end.kind) {
    case TargetEnd::Kind::exited:
      return Ending{.status = end.value};
    case TargetEnd::Kind::killed:
      return Ending{.signal = end.value};
    case TargetEnd::Kind::deadlock:
    case TargetEnd::Kind::no_progress:
      return report_deadlock();
    case TargetEnd::Kind::failed:
    case TargetEnd::Kind::diverged:
    case TargetEnd::Kind::journal_ended:
      break;
  }
  return agent_failure(end.status, followed);
}

Result<Ending> TargetSession::report_deadlock() {
  XB_CHECK(role_->look());  // names follow the order of first use
  (void)symbols_.refresh(target_->process.pid());
  XB_TRY(const std::vector<agent::ThreadView> threads, target_->arena.threads());
  StoppedTarget names(target_->process.pid(), symbols_, names_);
  context_.console.text(format_deadlock(describe_deadlock(threads, names), context_.console.style()));
  return Ending{.status = kExitFound};
}

Error TargetSession::never_took_over(const TargetEvent& event) const {
  const auto* killed = std::get_if<TargetSignaled>(&event);
  const std::string how = killed != nullptr
                              ? "was killed by " + signal_name(killed->signal)
                              : fmt::format("exited with status {}", std::get<TargetExited>(event).code);
  return Error{
      Errc::unsupported, fmt::format("{} {} before the agent took control of it", program_, how),
      "does it start without xbdbg, and does it use the system's C library? `xbdbg doctor` checks the machine"};
}

}  // namespace xbdbg
