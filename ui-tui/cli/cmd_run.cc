#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "ui-tui/cli/commands.h"
#include "ui-tui/cli/run_options.h"
#include "ui-tui/cli/run_session.h"

namespace xbdbg {
namespace {

class RunCommand : public CommandBody {
 public:
  void declare(CLI::App& app) override { declare_run_options(app, options_); }

  Ending run(const Context& context, const std::vector<std::string>& words) override {
    auto ending = try_run(context, words);
    if (ending) return *ending;
    context.console.error(ending.error());
    return {kExitError};
  }

 private:
  Result<Ending> try_run(const Context& context, const std::vector<std::string>& words) {
    if (words.empty())
      return Error{Errc::bad_input, "run: no program given", "give it behind --: xbdbg run -- ./prog"};
    XB_TRY(RunPlan plan, plan_run(options_));
    if (options_.verbose) context.console.note(description(plan, words.front()));
    RunSession session(context, std::move(plan), words);
    auto ending = session.run();
    if (options_.verbose) {
      context.console.note(fmt::format("{} events, {} choices", session.events(), session.choices()));
    }
    return ending;
  }

  std::string description(const RunPlan& plan, const std::string& program) const {
    if (plan.follow) {
      return fmt::format("run {}: {} choices of schedule {}", program, plan.follow->choices(), options_.schedule);
    }
    std::string text = fmt::format("run {}: policy {}", program, policy_name(plan.made_by));
    if (plan.made_by == agent::PolicyKind::random) text += fmt::format(", seed {}", plan.config.seed);
    return text;
  }

  RunOptions options_{};
};

}  // namespace

std::unique_ptr<CommandBody> make_run() { return std::make_unique<RunCommand>(); }

}  // namespace xbdbg
