#include <unistd.h>

#include <CLI/CLI.hpp>

#include "tracer/base/unique_fd.h"
#include "tracer/doctor.h"
#include "tracer/launch_env.h"
#include "ui-tui/cli/agent_library.h"
#include "ui-tui/cli/commands.h"
#include "ui-tui/doctor_report.h"

namespace xbdbg {
namespace {

class DoctorCommand : public CommandBody {
 public:
  void declare(CLI::App& app) override { app.add_flag("--json", json_, "one JSON object instead of lines"); }

  Ending run(const Context& context, const std::vector<std::string>&) override {
    DoctorOptions options;
    // Where it is, or where it was looked for: the doctor says what is wrong with it.
    const auto agent = find_agent_library(context.surroundings);
    options.agent_path = agent ? *agent : expected_agent_library(context.surroundings);
    options.path_variable = find_variable(context.surroundings.variables, "PATH");
    const std::vector<DoctorCheck> checks = run_doctor(options);
    const std::string text = json_ ? doctor_json(checks) : format_doctor(checks, context.stdout_style);
    if (auto written = write_all(STDOUT_FILENO, text); !written) {
      context.console.error(written.error());
      return {kExitError};
    }
    return {all_required_ok(checks) ? kExitOk : kExitError};
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<CommandBody> make_doctor() { return std::make_unique<DoctorCommand>(); }

}  // namespace xbdbg
