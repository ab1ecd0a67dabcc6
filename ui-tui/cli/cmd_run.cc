#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "ui-tui/cli/commands.h"
#include "ui-tui/cli/run_options.h"
#include "ui-tui/cli/run_session.h"

namespace xbdbg {
namespace {

class RunCommand : public CommandBody {
 public:
  void declare(CLI::App& app) override {
    declare_schedule_options(app, options_);
    declare_output_options(app, options_);
    declare_message_options(app, options_.verbose, options_.log);
  }

  Ending run(const Context& context, const std::vector<std::string>& words) override {
    return reported(context, try_run(context, words));
  }

 private:
  Result<Ending> try_run(const Context& context, const std::vector<std::string>& words) {
    if (words.empty())
      return Error{Errc::bad_input, "run: no program given", "give it behind --: xbdbg run -- ./prog"};
    XB_TRY(RunPlan plan, plan_run(options_));
    if (options_.verbose) context.console.note(fmt::format("run {}: {}", words.front(), describe_plan(plan)));
    RunSession session(context, std::move(plan), words);
    auto ending = session.run();
    if (options_.verbose) {
      context.console.note(fmt::format("{} events, {} choices", session.events(), session.choices()));
    }
    return ending;
  }

  RunOptions options_{};
};

}  // namespace

std::unique_ptr<CommandBody> make_run() { return std::make_unique<RunCommand>(); }

}  // namespace xbdbg
