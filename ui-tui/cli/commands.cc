#include "ui-tui/cli/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tracer/base/unique_fd.h"
#include "ui-tui/cli/help.h"

namespace xbdbg {
namespace {

constexpr Command kCommands[] = {
    {.name = "run",
     .usage = "[options] -- PROG [ARGS]",
     .summary = "run a program once, with its threads scheduled one at a time",
     .description =
         "Runs PROG with all its threads on one kernel thread. Output, exit status and death by a signal are the\n"
         "program's own, as if it had been run directly. When no thread can run any more, a report on stderr says\n"
         "which thread waits for what, and the exit status is 1. What xbdbg itself cannot do ends with status 2.",
     .examples = "xbdbg run -- ./bank 10\n"
                 "xbdbg run --seed 7 --events events.json -- ./bank 10\n"
                 "xbdbg run --policy random --save-schedule bank.xbs -- ./bank 10\n"
                 "xbdbg run --schedule bank.xbs -- ./bank 10",
     .words = TakesWords::yes,
     .make = make_run},
    {.name = "doctor",
     .usage = "[options]",
     .summary = "check what this machine offers, and say what to do where something is missing",
     .description =
         "Checks the kernel features that xbdbg uses, one line each. The exit status is 0 when everything\n"
         "that is required is there, and 2 otherwise.",
     .examples = "xbdbg doctor\n"
                 "xbdbg doctor --json",
     .words = TakesWords::no,
     .make = make_doctor},
    {.name = "help",
     .usage = "[COMMAND]",
     .summary = "explain a command",
     .description = "Without a command: the list of them.",
     .examples = "xbdbg help run\n"
                 "xbdbg help --markdown > docs/COMMANDS.md",
     .words = TakesWords::yes,
     .make = make_help},
};

// How many letters must be changed, added or left out to get from one word to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

Error unknown_command(const std::string& word) {
  Error error{Errc::bad_input, fmt::format("unknown command `{}`", word), "the commands are listed by: xbdbg --help"};
  for (const Command& command : kCommands) {
    if (distance(word, command.name) <= 2) error.hint = fmt::format("did you mean: xbdbg {}", command.name);
  }
  if (word.find('/') != std::string::npos || ::access(word.c_str(), X_OK) == 0) {
    error.hint = fmt::format("to run this program: xbdbg run -- {}", word);
  }
  return error;
}

struct Parsed {
  bool help = false;
  std::vector<std::string> words{};
};

// Parses the options in front of the words. CLI11 reports by exceptions; they end here.
Result<Parsed> parse_options(const Command& command, CommandBody& body, std::vector<std::string> words) {
  CLI::App app;
  Parsed parsed;
  app.set_help_flag();
  app.prefix_command();
  body.declare(app);
  app.add_flag("-h,--help", parsed.help);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& e) {
    std::string what = e.what();
    std::replace(what.begin(), what.end(), '\n', ' ');
    return Error{Errc::bad_input, what};
  }
  parsed.words = app.remaining();
  if (parsed.help || parsed.words.empty()) return parsed;
  if (parsed.words.front() == "--") {
    parsed.words.erase(parsed.words.begin());
  } else if (parsed.words.front().front() == '-') {
    return Error{Errc::bad_input, fmt::format("unknown option {}", parsed.words.front())};
  }
  if (command.words == TakesWords::no && !parsed.words.empty()) {
    return Error{Errc::bad_input, fmt::format("unexpected argument `{}`", parsed.words.front())};
  }
  return parsed;
}

Ending print_to_stdout(const Context& context, const std::string& text) {
  auto written = write_all(STDOUT_FILENO, text);
  if (written) return {kExitOk};
  context.console.error(std::move(written).error());
  return {kExitError};
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  const auto* at = std::find_if(std::begin(kCommands), std::end(kCommands), [&](auto& c) { return c.name == name; });
  return at == std::end(kCommands) ? nullptr : at;
}

Ending run_command_line(const Context& context, const std::vector<std::string>& words) {
  if (words.empty()) {
    context.console.text(overview_help());
    return {kExitError};
  }
  const std::string& first = words.front();
  if (first == "--help" || first == "-h") return print_to_stdout(context, overview_help());
  if (first == "--version") return print_to_stdout(context, version_text());
  if (!first.empty() && first.front() == '-') {
    context.console.note(fmt::format("unknown option {} (see: xbdbg --help)", first));
    return {kExitError};
  }
  const Command* command = find_command(first);
  if (command == nullptr) {
    context.console.error(unknown_command(first));
    return {kExitError};
  }
  const auto body = command->make();
  const auto parsed = parse_options(*command, *body, {words.begin() + 1, words.end()});
  if (!parsed) {
    context.console.note(fmt::format("{} (see: xbdbg {} --help)", parsed.error().what, command->name));
    return {kExitError};
  }
  if (parsed->help) return print_to_stdout(context, command_help(*command));
  return body->run(context, parsed->words);
}

}  // namespace xbdbg
