#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "ui-tui/cli/commands.h"
#include "ui-tui/cli/replay_session.h"
#include "ui-tui/cli/run_options.h"
#include "ui-tui/cli/trace_argument.h"

namespace xbdbg {
namespace {

class ReplayCommand : public CommandBody {
 public:
  void declare(CLI::App& app) override {
    app.add_flag("--allow-incomplete", incomplete_, "replay a recording that was cut off, as far as it goes");
    app.add_option("--events", events_,
                   "write one JSON object per event (thread, operation, object, result, place) to FILE")
        ->type_name("FILE")
        ->group("Output");
    declare_message_options(app, verbose_, log_);
  }

  Ending run(const Context& context, const std::vector<std::string>& words) override {
    return reported(context, try_run(context, words));
  }

 private:
  Result<Ending> try_run(const Context& context, const std::vector<std::string>& words) {
    XB_TRY(const std::string word, one_trace(words, "replay"));
    XB_TRY(const std::string directory, find_trace(context, word));
    XB_TRY(Trace trace, Trace::open(directory, {.allow_incomplete = incomplete_}));
    if (verbose_) {
      context.console.note(fmt::format("replay {}: {}", directory, describe_ending(trace.ending())));
      if (!trace.damage().empty()) context.console.note(trace.damage());
    }
    ReplayPlan plan{.trace = std::move(trace)};
    if (!events_.empty()) {
      XB_TRY(plan.events, open_events(events_));
    }
    XB_TRY(plan.log, parse_log_option(log_));
    ReplaySession session(context, std::move(plan));
    auto ending = session.run();
    if (verbose_) context.console.note(fmt::format("{} events", session.events()));
    return ending;
  }

  bool incomplete_ = false;
  std::string events_{};
  bool verbose_ = false;
  std::string log_{};
};

}  // namespace

std::unique_ptr<CommandBody> make_replay() { return std::make_unique<ReplayCommand>(); }

}  // namespace xbdbg
