#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "tracer/base/unique_fd.h"
#include "tracer/syscall_page.h"
#include "ui-tui/cli/commands.h"
#include "ui-tui/cli/help.h"

namespace xbdbg {
namespace {

class HelpCommand : public CommandBody {
 public:
  void declare(CLI::App& options) override {
    options.add_flag("--markdown", markdown_, "all commands, as the page docs/COMMANDS.md");
    options.add_flag("--syscalls", syscalls_, "what is known about every system call, as the page docs/SYSCALLS.md");
  }

  Ending run(const Context& context, const std::vector<std::string>& words) override {
    if (markdown_) return print(context, all_help_as_markdown());
    if (syscalls_) return print(context, all_syscalls_as_markdown());
    if (words.empty()) return print(context, overview_help());
    const Command* command = find_command(words.front());
    if (command == nullptr) {
      context.console.error({Errc::bad_input, fmt::format("no command `{}` to explain", words.front()),
                             "the commands are listed by: xbdbg --help"});
      return {kExitError};
    }
    return print(context, command_help(*command));
  }

 private:
  static Ending print(const Context& context, const std::string& text) {
    auto written = write_all(STDOUT_FILENO, text);
    if (written) return {kExitOk};
    context.console.error(std::move(written).error().context("print the help"));
    return {kExitError};
  }

  bool markdown_ = false;
  bool syscalls_ = false;
};

}  // namespace

std::unique_ptr<CommandBody> make_help() { return std::make_unique<HelpCommand>(); }

}  // namespace xbdbg
