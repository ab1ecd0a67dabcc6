#include "ui-tui/cli/run_session.h"

#include <fmt/format.h>

#include <utility>

#include "tracer/base/str.h"
#include "tracer/launch_check.h"
#include "tracer/symbols/elf_file.h"

namespace xbdbg {

RunSession::RunSession(const Context& context, RunPlan plan, std::vector<std::string> argv)
    : plan_(std::move(plan)),
      argv_(std::move(argv)),
      session_(context, plan_.log),
      stream_(session_, {.events_fd = plan_.events ? plan_.events.get() : -1,
                         .schedule = plan_.save_to.empty() ? nullptr : &schedule_}) {}

Result<Ending> RunSession::run() {
  XB_TRY(LaunchOptions options, launch_options(session_.context()));
  XB_TRY(const ProgramToRun program, check_program(argv_, find_variable(options.env, "PATH")));
  if (const auto file = ElfFile::open(program.elf_path)) build_id_ = to_hex((*file)->build_id());
  options.argv = argv_;
  options.config = plan_.config;
  options.schedule = choices_of(plan_.follow);
  return session_.run(options, *this);
}

Result<> RunSession::launched(Launched& target) {
  stream_.launched(target);
  return Ok{};
}

Result<std::optional<TargetEnd>> RunSession::look() {
  XB_CHECK(stream_.look());
  return std::optional<TargetEnd>();
}

// Who asked for no particular schedule loses nothing.
bool RunSession::repeatable() const { return stream_.active() || plan_.config.policy != agent::PolicyKind::first; }

Result<> RunSession::finish(const Result<TargetEnd>&) {
  Result<> finished = stream_.finish();
  if (plan_.save_to.empty()) return finished;
  auto saved = save_schedule();
  return finished ? std::move(saved) : std::move(finished);
}

Result<> RunSession::save_schedule() {
  schedule_.header = {.program = argv_.front(),
                      .arguments = {argv_.begin() + 1, argv_.end()},
                      .build_id = build_id_,
                      .policy = plan_.made_by,
                      .seed = plan_.config.seed,
                      .events = session_.events()};
  auto saved = write_file_atomically(plan_.save_to, print_schedule(schedule_));
  if (!saved) return std::move(saved).error().context("save the schedule");
  return Ok{};
}

}  // namespace xbdbg
