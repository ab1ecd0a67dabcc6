#include "ui-tui/cli/run_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <utility>

#include "tracer/base/str.h"
#include "tracer/launch_check.h"
#include "tracer/symbols/elf_file.h"
#include "ui-tui/cli/agent_library.h"
#include "ui-tui/deadlock_report.h"
#include "ui-tui/operations.h"

namespace xbdbg {
namespace {

// Signals with which a user or a system ends programs: dying of one before the agent has taken over means nothing.
bool is_request_to_end(int signal) {
  constexpr std::array kRequests = {SIGINT, SIGTERM, SIGKILL, SIGHUP, SIGQUIT, SIGPIPE};
  return std::find(kRequests.begin(), kRequests.end(), signal) != kRequests.end();
}

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

}  // namespace

RunSession::RunSession(const Context& context, RunPlan plan, std::vector<std::string> argv)
    : context_(context),
      plan_(std::move(plan)),
      argv_(std::move(argv)),
      logger_(plan_.log, [&context](std::string_view line) { context.console.note(line); }),
      symbols_(context.surroundings.working_directory),
      names_([this](ObjectKind kind, Addr address) { return symbols_.global(kind, address); }) {}

Result<Ending> RunSession::run() {
  XB_TRY(PassThrough pass_through, PassThrough::begin());
  pass_through_.emplace(std::move(pass_through));
  XB_TRY(target_, launch_target());
  XB_LOG(logger_, info, "run", fmt::format("launched {} as process {}", argv_.front(), target_->process.pid().raw()));
  log_.emplace(symbols_, names_,
               EventLog::Output{.events_fd = plan_.events ? plan_.events.get() : -1,
                                .schedule = plan_.save_to.empty() ? nullptr : &schedule_,
                                .target = target_->process.pid()});
  reader_.emplace(target_->arena, *log_);
  XB_TRY(StallWatcher stalls, StallWatcher::create(target_->process.pid(), target_->arena, &logger_));
  stalls_.emplace(std::move(stalls));
  auto ending = watch();
  auto finished = finish();
  if (ending && !finished) return std::move(finished).error();
  return ending;
}

Result<Launched> RunSession::launch_target() {
  const Environment& variables = context_.surroundings.variables;
  XB_TRY(const ProgramToRun program, check_program(argv_, find_variable(variables, "PATH")));
  if (const auto file = ElfFile::open(program.elf_path)) build_id_ = to_hex((*file)->build_id());
  LaunchOptions options;
  options.argv = argv_;
  options.env = variables;
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
    if (wants_stream()) XB_CHECK(look_at_stream());
    XB_CHECK(look_for_stall());
    XB_TRY(const TargetEvent event, pass_through_->wait_event(target_->process, patience()));
    if (std::holds_alternative<TargetExited>(event) || std::holds_alternative<TargetSignaled>(event)) {
      return target_ended(event);
    }
    if (std::holds_alternative<TargetStopped>(event)) {
      XB_TRY(const std::optional<Ending> ending, target_stopped());
      if (ending) return *ending;
    }
  }
}

void RunSession::meet_agent() {
  const auto status = target_->arena.status();
  if (!status || status->state == agent::State::launching) return;
  met_agent_ = true;
  XB_LOG(logger_, info, "run", "the agent has taken over");
}

Result<> RunSession::look_at_stream() {
  if (!met_agent_) meet_agent();
  const std::uint64_t before = log_->records();
  XB_CHECK(reader_->drain());
  constexpr std::chrono::milliseconds kShortest{1}, kLongest{10};
  const bool found = log_->records() != before;
  if (found) XB_LOG(logger_, trace, "stream", fmt::format("{} records", log_->records() - before));
  if (!found) XB_CHECK(log_->flush());  // for those who watch the file
  idle_ = found ? std::chrono::milliseconds(0) : std::clamp(idle_ * 2, kShortest, met_agent_ ? kLongest : kShortest);
  return Ok{};
}

std::optional<std::chrono::milliseconds> RunSession::patience() const {
  return wants_stream() ? std::min(idle_, stalls_->interval()) : stalls_->interval();
}

Result<> RunSession::look_for_stall() {
  XB_TRY(const std::optional<ForcedTurn> forced, stalls_->tick());
  // Who asked for no particular schedule loses nothing.
  const bool repeatable = wants_stream() || plan_.config.policy != agent::PolicyKind::first;
  if (!forced || told_of_stall_ || !repeatable) return Ok{};
  told_of_stall_ = true;
  (void)symbols_.refresh(target_->process.pid());
  context_.console.note(fmt::format(
      "T{} made no step for {} s at {}; other threads get a turn (this run cannot be repeated exactly)",
      forced->thread.raw(), std::chrono::duration_cast<std::chrono::seconds>(StallLimits{}.forced).count(),
      format_site(symbols_.site(forced->pc + 1))));
  return Ok{};
}

// After the end of the target, however it came.
Result<> RunSession::finish() {
  if (const auto status = target_->arena.status()) {
    events_ = status->events;
    choices_ = status->choices;
  }
  XB_LOG(logger_, info, "run", fmt::format("ended after {} events and {} choices", events_, choices_));
  target_->process.kill_all();
  Result<> drained = wants_stream() ? reader_->drain() : Result<>(Ok{});
  if (drained) drained = reader_->finish();
  if (drained) drained = log_->flush();
  if (!plan_.save_to.empty()) {
    auto saved = save_schedule();
    if (drained) return saved;
  }
  return drained;
}

Result<> RunSession::save_schedule() {
  schedule_.header = {.program = argv_.front(),
                      .arguments = {argv_.begin() + 1, argv_.end()},
                      .build_id = build_id_,
                      .policy = plan_.made_by,
                      .seed = plan_.config.seed,
                      .events = events_};
  auto saved = write_file_atomically(plan_.save_to, print_schedule(schedule_));
  if (!saved) return std::move(saved).error().context("save the schedule");
  return Ok{};
}

Result<std::optional<Ending>> RunSession::target_stopped() {
  XB_TRY(const AgentStatus status, target_->arena.status());
  if (status.state == agent::State::failed) return agent_failed(status);
  if (status.state == agent::State::deadlock || status.state == agent::State::no_progress) {
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
  if (wants_stream()) XB_CHECK(reader_->drain());  // names follow the order of first use
  (void)symbols_.refresh(target_->process.pid());
  XB_TRY(const std::vector<agent::ThreadView> threads, target_->arena.threads());
  StoppedTarget names(target_->process.pid(), symbols_, names_);
  context_.console.text(format_deadlock(describe_deadlock(threads, names), context_.console.style()));
  return Ending{.status = kExitFound};
}

Error RunSession::agent_failed(const AgentStatus& status) const {
  Error error{Errc::unsupported, status.message.empty() ? "the agent failed without a message" : status.message, {}};
  const bool mismatch = error.what.find("schedule mismatch") == 0;
  const ScheduleRun* run = mismatch && plan_.follow ? plan_.follow->find(status.failed_step) : nullptr;
  if (run != nullptr) {
    error.hint =
        fmt::format("line {} of the schedule (\"{}\"): the program, its input or the file changed since it was saved",
                    run->line, print_run(*run));
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
