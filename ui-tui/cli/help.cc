#include "ui-tui/cli/help.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace xbdbg {
namespace {

constexpr std::size_t kColumn = 24;  // where the text of an option starts
constexpr std::size_t kWidth = 100;

// `text`, wrapped at kWidth, behind a left column; each line of it is indented by `column`.
std::string wrapped(std::string left, std::string_view text, std::size_t column) {
  std::string out = std::move(left);
  if (out.size() + 1 > column)
    out += "\n" + std::string(column, ' ');
  else
    out.resize(column, ' ');
  std::size_t used = column;
  bool first = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (!first && used + 1 + word.size() > kWidth) {
      out += "\n" + std::string(column, ' ');
      used = column;
    } else if (!first) {
      out += ' ';
      ++used;
    }
    out += word;
    used += word.size();
    first = false;
    at = end + 1;
  }
  return out + "\n";
}

std::string option_names(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "--" : ", --") + name;
  if (!option.get_type_name().empty()) names += " " + option.get_type_name();
  return names;
}

std::string options_help(const CLI::App& app) {
  std::string out;
  for (const std::string& group : app.get_groups()) {
    if (group.empty()) continue;
    std::string lines;
    for (const CLI::Option* option : app.get_options([&](const CLI::Option* o) { return o->get_group() == group; })) {
      lines += wrapped("  " + option_names(*option), option->get_description(), kColumn);
    }
    if (!lines.empty()) out += fmt::format("\n{}:\n{}", group, lines);
  }
  return out;
}

std::string indented(std::string_view lines) {
  std::string out = "  ";
  for (const char c : lines) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out + "\n";
}

constexpr std::string_view kEnvironmentHelp =
    "XBDBG_AGENT   the agent library to use instead of the one beside xbdbg\n"
    "NO_COLOR      when set, no colours";

}  // namespace

std::string version_number() { return XB_VERSION; }

std::string version_text() { return "xbdbg " + version_number() + "\n"; }

std::string overview_help() {
  std::string out =
      "xbdbg runs native multithreaded programs with all threads under its control: one schedule at a time,\n"
      "the same one again when asked to.\n"
      "\nUsage: xbdbg COMMAND [options] [-- PROG ARGS]\n"
      "\nCommands:\n";
  for (const Command& command : commands()) {
    out += wrapped("  " + std::string(command.name), command.summary, 14);
  }
  out += "\nOptions:\n  -h, --help    this text; `xbdbg help COMMAND` explains a command\n";
  out += "  --version     the version\n";
  out += "\nEnvironment:\n" + indented(kEnvironmentHelp);
  out += "\nExamples:\n";
  out += indented(
      "xbdbg doctor                        can this machine run it?\n"
      "xbdbg run -- ./prog arg             run ./prog, threads one at a time\n"
      "xbdbg run --seed 7 -- ./prog arg    the same, with a random schedule that can be had again");
  return out;
}

std::string command_help(const Command& command) {
  CLI::App app;
  const auto body = command.make();
  body->declare(app);
  std::string out = fmt::format("Usage: xbdbg {}{}{}\n\n{}\n", command.name, command.usage.empty() ? "" : " ",
                                command.usage, command.description);
  out += options_help(app);
  out += "\nExamples:\n" + indented(command.examples);
  return out;
}

std::string all_help_as_markdown() {
  std::string out =
      "# Commands\n\nThis page is printed by `xbdbg help --markdown`; a test compares the two.\n\n"
      "```text\n" +
      overview_help() + "```\n";
  for (const Command& command : commands()) {
    out += fmt::format("\n## xbdbg {}\n\n```text\n{}```\n", command.name, command_help(command));
  }
  return out;
}

}  // namespace xbdbg
