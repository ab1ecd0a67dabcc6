// ui-tui/cli/commands.h — the commands of xbdbg: one row each, with the help that `--help`, `xbdbg help` and
// docs/COMMANDS.md are printed from.
//
// A command's options are declared on a CLI::App (CLI11) by its CommandBody, which then runs. Parsing ends at the
// first word that is no option (or at `--`): what follows is the program's command line, and is not looked at.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/base/result.h"
#include "ui-tui/cli/console.h"

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

namespace xbdbg {

// What main knows of the world; nobody below reads the environment.
struct Surroundings {
  std::string executable{};              // where xbdbg itself is
  std::string working_directory{};       // empty: unknown
  std::vector<std::string> variables{};  // the environment, "NAME=value"
};

struct Context {
  const Surroundings& surroundings;
  const Console& console;  // stderr
  Style stdout_style{};
};

// How xbdbg is to end: with a status, or, when the program it ran did, by a signal.
struct Ending {
  int status = kExitOk;
  int signal = 0;
};

class CommandBody {
 public:
  virtual ~CommandBody() = default;
  virtual void declare(CLI::App& options) = 0;
  // `words`: what follows the options.
  virtual Ending run(const Context& context, const std::vector<std::string>& words) = 0;
};

enum class TakesWords : std::uint8_t { no, yes };

struct Command {
  std::string_view name;
  std::string_view usage;        // behind "xbdbg run "
  std::string_view summary;      // one line of `xbdbg --help`
  std::string_view description;  // paragraphs of `xbdbg run --help`
  std::string_view examples;     // lines
  TakesWords words;
  std::unique_ptr<CommandBody> (*make)();
};

std::span<const Command> commands();
const Command* find_command(std::string_view name);

std::unique_ptr<CommandBody> make_run();
std::unique_ptr<CommandBody> make_record();
std::unique_ptr<CommandBody> make_replay();
std::unique_ptr<CommandBody> make_ls();
std::unique_ptr<CommandBody> make_dump();
std::unique_ptr<CommandBody> make_pack();
std::unique_ptr<CommandBody> make_rm();
std::unique_ptr<CommandBody> make_doctor();
std::unique_ptr<CommandBody> make_help();

// For bodies: an error is printed, and ends with kExitError.
Ending reported(const Context& context, const Result<Ending>& ending);

// Dispatches `words` (without argv[0]).
Ending run_command_line(const Context& context, const std::vector<std::string>& words);

}  // namespace xbdbg
