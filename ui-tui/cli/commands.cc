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
    {.name = "record",
     .usage = "[options] -- PROG [ARGS]",
     .summary = "run a program and record all that it takes from outside",
     .description =
         "Runs PROG as `run` does, in real time, and keeps everything that it took from outside (results of system\n"
         "calls, clocks, signals, choices) in a trace, from which `replay` makes the same execution again. Output,\n"
         "exit status and death by a signal are the program's own; a deadlock is reported, with exit status 1.\n"
         "Traces are kept in $XDG_DATA_HOME/xbdbg (else ~/.local/share/xbdbg), as NAME-1, NAME-2, ...; the link\n"
         "`latest` leads to the last one. A recording that was cut off is called NAME-1.incomplete.",
     .examples = "xbdbg record -- ./bank 10\n"
                 "xbdbg record -o /tmp/bank-trace -- ./bank 10\n"
                 "xbdbg record --seed 7 -- ./bank 10",
     .words = TakesWords::yes,
     .make = make_record},
    {.name = "replay",
     .usage = "[options] [TRACE]",
     .summary = "have a recorded execution again",
     .description =
         "Executes the program of a trace again (the latest one, if none is named) with the recorded inputs: files,\n"
         "network, clocks and terminal are not asked. Output and exit status are those of the recording. Everything\n"
         "the program does is compared with the recording; the first difference is reported, with exit status 2.\n"
         "TRACE is a name (`bank-2`, or `bank` for the last one of that program) or a directory.",
     .examples = "xbdbg replay\n"
                 "xbdbg replay bank-2\n"
                 "xbdbg replay --events events.json /tmp/bank-trace",
     .words = TakesWords::yes,
     .make = make_replay},
    {.name = "ls",
     .usage = "[options]",
     .summary = "list the traces",
     .description =
         "One line for each trace of the store, the oldest first: name, size, when it was recorded, how the program\n"
         "ended, and its command line. The latest one, which `replay` takes, is marked with a star.",
     .examples = "xbdbg ls\n"
                 "xbdbg ls --json",
     .words = TakesWords::no,
     .make = make_ls},
    {.name = "dump",
     .usage = "[options] [TRACE]",
     .summary = "print what is in a trace, one record a line",
     .description =
         "Prints the records of a trace in their order: events with their number and thread, system calls and what\n"
         "the kernel answered, clocks, signals, choices, output. The same trace always gives the same text.",
     .examples = "xbdbg dump | grep mutex_lock\n"
                 "xbdbg dump --json bank-2",
     .words = TakesWords::yes,
     .make = make_dump},
    {.name = "pack",
     .usage = "[options] [TRACE]",
     .summary = "copy the program and its libraries into a trace",
     .description =
         "Copies the program, the libraries it loaded, the agent and their debug files into the trace, so that it\n"
         "replays on another machine of the same architecture, and after the program was built again.",
     .examples = "xbdbg pack\n"
                 "xbdbg pack bank-2",
     .words = TakesWords::yes,
     .make = make_pack},
    {.name = "rm",
     .usage = "TRACE...",
     .summary = "remove traces",
     .description = "Removes the traces that are named. What is no trace, or is being recorded, is left alone.",
     .examples = "xbdbg rm bank-1\n"
                 "xbdbg rm bank-1 bank-2 /tmp/bank-trace",
     .words = TakesWords::yes,
     .make = make_rm},
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
                 "xbdbg help --markdown > docs/COMMANDS.md\n"
                 "xbdbg help --syscalls > docs/SYSCALLS.md",
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
  std::size_t nearest = 3;  // further away it is another word
  for (const Command& command : kCommands) {
    if (distance(word, command.name) >= nearest) continue;
    nearest = distance(word, command.name);
    error.hint = fmt::format("did you mean: xbdbg {}", command.name);
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

Ending reported(const Context& context, const Result<Ending>& ending) {
  if (ending) return *ending;
  context.console.error(ending.error());
  return {kExitError};
}

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
