#include "ui-tui/cli/record_session.h"

#include <fmt/format.h>

#include <ctime>
#include <utility>

#include "replay/trace_files.h"
#include "replay/trace_store.h"
#include "tracer/launch_check.h"
#include "ui-tui/cli/help.h"
#include "ui-tui/cli/trace_argument.h"

namespace xbdbg {
namespace {

constexpr std::uint64_t kJournalStreamBytes = 16u << 20;

std::int64_t now_ns() {
  timespec now{};
  (void)::clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

TraceEnding trace_ending(const Result<TargetEnd>& end) {
  if (!end) return {.kind = TraceEnding::Kind::failed, .message = end.error().what};
  switch (end->kind) {
    case TargetEnd::Kind::exited:
      return {.kind = TraceEnding::Kind::exited, .value = end->value};
    case TargetEnd::Kind::killed:
      return {.kind = TraceEnding::Kind::killed, .value = end->value};
    case TargetEnd::Kind::deadlock:
      return {.kind = TraceEnding::Kind::deadlock};
    case TargetEnd::Kind::no_progress:
      return {.kind = TraceEnding::Kind::no_progress};
    case TargetEnd::Kind::failed:
    case TargetEnd::Kind::diverged:
    case TargetEnd::Kind::journal_ended:
      break;
  }
  return {.kind = TraceEnding::Kind::failed, .message = end->status.message};
}

}  // namespace

RecordSession::RecordSession(const Context& context, RunPlan plan, std::string output, std::vector<std::string> argv)
    : plan_(std::move(plan)), output_(std::move(output)), argv_(std::move(argv)), session_(context, plan_.log) {
  plan_.config.mode = agent::Mode::record;
  plan_.config.real_time = 1;
  plan_.config.stream_bytes = kJournalStreamBytes;
}

Result<Ending> RecordSession::run() {
  XB_TRY(LaunchOptions options, launch_options(session_.context()));
  options.argv = argv_;
  options.config = plan_.config;
  options.schedule = choices_of(plan_.follow);
  XB_TRY(writer_, create_trace(options));
  auto ending = session_.run(options, *this);
  if (writer_) {  // nothing was started: there is nothing to keep
    const std::string directory = writer_->directory();
    writer_.reset();
    (void)TraceStore("/").remove(directory);
  }
  return ending;
}

Result<TraceWriter> RecordSession::create_trace(const LaunchOptions& options) {
  XB_TRY(const ProgramToRun program, check_program(argv_, find_variable(options.env, "PATH")));
  TraceInfo info;
  info.xbdbg_version = version_number();
  info.argv = argv_;
  XB_TRY(info.program, reference_to(program.elf_path));
  XB_TRY(info.agent, reference_to(options.agent_path));
  info.environment = options.env;
  info.working_directory = session_.context().surroundings.working_directory;
  info.policy = plan_.config.policy;
  info.seed = plan_.config.seed;
  info.real_time = plan_.config.real_time != 0;
  info.follow_every_operation = plan_.config.follow_every_operation != 0;
  info.start_time_ns = now_ns();
  if (!output_.empty()) return TraceWriter::create(output_, info);
  XB_TRY(const TraceStore store, find_store(session_.context()));
  return store.create(info);
}

Result<> RecordSession::launched(Launched& target) {
  XB_TRY(recorder_, Recorder::start(target.arena, *std::exchange(writer_, std::nullopt), target.process.pid()));
  if (target.start.executable.empty()) return Ok{};  // it was killed before it began
  return recorder_->add_start(target.start);
}

Result<std::optional<TargetEnd>> RecordSession::look() {
  auto error = recorder_->error();
  if (!error) return std::optional<TargetEnd>();
  error->hint = fmt::format(
      "the program was stopped; what came before can be had with: xbdbg replay "
      "--allow-incomplete {}",
      directory());
  return std::move(*error).context("record");
}

std::optional<std::chrono::milliseconds> RecordSession::patience() const { return std::chrono::milliseconds(100); }

Result<> RecordSession::followed_exec(const FollowedExec& followed) {
  if (followed.outcome != FollowedExec::Outcome::followed) return Ok{};
  return recorder_->add_start(followed.start);
}

Result<> RecordSession::finish(const Result<TargetEnd>& end) {
  TraceEnding ending = trace_ending(end);
  ending.events = session_.events();
  ending.choices = session_.choices();
  auto finished = recorder_->finish(ending);
  if (!finished) return std::move(finished).error().context("record");
  return Ok{};
}

std::string RecordSession::directory() const { return recorder_ ? recorder_->writer().directory() : std::string(); }

}  // namespace xbdbg
