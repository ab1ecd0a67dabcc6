#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "ui-tui/cli/commands.h"
#include "ui-tui/cli/record_session.h"
#include "ui-tui/cli/run_options.h"

namespace xbdbg {
namespace {

class RecordCommand : public CommandBody {
 public:
  void declare(CLI::App& app) override {
    declare_schedule_options(app, options_);
    app.add_option("-o,--output", output_, "the directory to write; it must not exist yet")
        ->type_name("DIR")
        ->group("Output");
    declare_message_options(app, options_.verbose, options_.log);
  }

  Ending run(const Context& context, const std::vector<std::string>& words) override {
    return reported(context, try_run(context, words));
  }

 private:
  Result<Ending> try_run(const Context& context, const std::vector<std::string>& words) {
    if (words.empty()) {
      return Error{Errc::bad_input, "record: no program given", "give it behind --: xbdbg record -- ./prog"};
    }
    options_.command = "record";
    XB_TRY(RunPlan plan, plan_run(options_));
    if (options_.verbose) context.console.note(fmt::format("record {}: {}", words.front(), describe_plan(plan)));
    RecordSession session(context, std::move(plan), output_, words);
    auto ending = session.run();
    if (options_.verbose && !session.directory().empty()) {
      context.console.note(fmt::format("{} events in {}", session.events(), session.directory()));
    }
    return ending;
  }

  RunOptions options_{};
  std::string output_{};
};

}  // namespace

std::unique_ptr<CommandBody> make_record() { return std::make_unique<RecordCommand>(); }

}  // namespace xbdbg
