#include "ui-tui/cli/run_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <utility>

#include "ui-tui/cli/agent_library.h"

namespace xbdbg {
namespace {

// Signals with which a user or a system ends programs: dying of one before the agent has taken over means nothing.
bool is_request_to_end(int signal) {
  constexpr std::array kRequests = {SIGINT, SIGTERM, SIGKILL, SIGHUP, SIGQUIT, SIGPIPE};
  return std::find(kRequests.begin(), kRequests.end(), signal) != kRequests.end();
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : fmt::format("signal {}", signal);
}

}  // namespace

RunSession::RunSession(const Context& context, RunPlan plan, std::vector<std::string> argv)
    : context_(context), plan_(std::move(plan)), argv_(std::move(argv)) {}

Result<Ending> RunSession::run() {
  XB_TRY(target_, launch_target());
  XB_TRY(PassThrough pass_through, PassThrough::begin());
  pass_through_.emplace(std::move(pass_through));
  return watch();
}

Result<Launched> RunSession::launch_target() {
  LaunchOptions options;
  options.argv = argv_;
  options.env = context_.surroundings.variables;
  options.config = plan_.config;
  XB_TRY(options.agent_path, find_agent_library(context_.surroundings));
  if (plan_.follow) {
    options.schedule.resize(plan_.follow->choices());
    expand_choices(*plan_.follow, options.schedule);
  }
  return launch(options);
}

Result<Ending> RunSession::watch() {
  while (true) {
    XB_TRY(const TargetEvent event, pass_through_->wait_event(target_->process, std::nullopt));
    if (std::holds_alternative<TargetExited>(event) || std::holds_alternative<TargetSignaled>(event)) {
      return target_ended(event);
    }
    if (std::holds_alternative<TargetStopped>(event)) {
      XB_TRY(const std::optional<Ending> ending, target_stopped());
      if (ending) return *ending;
    }
  }
}

Result<std::optional<Ending>> RunSession::target_stopped() {
  XB_TRY(const AgentStatus status, target_->arena.status());
  if (status.state == agent::State::failed) return agent_failed(status);
  if (status.state == agent::State::deadlock) {
    XB_TRY(Ending ending, deadlocked());
    return std::optional(ending);
  }
  XB_CHECK(pass_through_->stop_with(target_->process));
  return std::optional<Ending>();
}

Result<Ending> RunSession::target_ended(const TargetEvent& event) {
  XB_TRY(const AgentStatus status, target_->arena.status());
  if (status.state == agent::State::failed) return agent_failed(status);
  const auto* killed = std::get_if<TargetSignaled>(&event);
  if (status.state == agent::State::launching && (killed == nullptr || !is_request_to_end(killed->signal))) {
    return never_took_over(event);
  }
  if (killed != nullptr) return Ending{.signal = killed->signal};
  return Ending{.status = std::get<TargetExited>(event).code};
}

Result<Ending> RunSession::deadlocked() {
  context_.console.note("deadlock: no thread can run");
  return Ending{.status = kExitFound};
}

Error RunSession::agent_failed(const AgentStatus& status) const {
  Error error{Errc::unsupported, status.message.empty() ? "the agent failed without a message" : status.message};
  if (plan_.follow && status.failed_step < plan_.follow->choices()) {
    const ScheduleRun* run = plan_.follow->find(status.failed_step);
    error.what = fmt::format("schedule mismatch at step {} (line {}: {}): {}", status.failed_step, run->line,
                             print_run(*run), status.message);
    error.hint = "the program, its input or its environment differ from those the schedule was made with";
  }
  return error;
}

Error RunSession::never_took_over(const TargetEvent& event) const {
  const auto* killed = std::get_if<TargetSignaled>(&event);
  const std::string how = killed != nullptr
                              ? "was killed by " + signal_name(killed->signal)
                              : fmt::format("exited with status {}", std::get<TargetExited>(event).code);
  return Error{
      Errc::unsupported, fmt::format("{} {} before the agent took control of it", argv_.front(), how),
      "does it start without xbdbg, and does it use the system's C library? `xbdbg doctor` checks the machine"};
}

}  // namespace xbdbg
