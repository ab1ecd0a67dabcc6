#include "ui-tui/cli/commands.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tracer/base/unique_fd.h"
#include "ui-tui/cli/help.h"

namespace xbdbg {
namespace {

struct Said {
  Ending ending{};
  std::string text{};
};

// Runs a command line that must not start anything, and returns what it said on stderr.
Said say(const std::vector<std::string>& words) {
  auto pipe = make_pipe();
  if (!pipe) return {};
  Said said;
  {
    const Console console(pipe->write_end.get(), Style{});
    const Surroundings surroundings;
    said.ending = run_command_line({surroundings, console}, words);
  }
  pipe->write_end.reset();
  char buffer[8192];
  for (ssize_t n = 0; (n = ::read(pipe->read_end.get(), buffer, sizeof buffer)) > 0;) {
    said.text.append(buffer, static_cast<std::size_t>(n));
  }
  return said;
}

struct Refused {
  std::vector<std::string> words;
  std::string said;
};

class RefusedCommandLine : public testing::TestWithParam<Refused> {};

TEST_P(RefusedCommandLine, SaysWhyAndEndsWithTwo) {
  const Said said = say(GetParam().words);
  EXPECT_EQ(said.text, GetParam().said);
  EXPECT_EQ(said.ending.status, kExitError);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, RefusedCommandLine,
    testing::Values(
        Refused{{"--frob"}, "xbdbg: unknown option --frob (see: xbdbg --help)\n"},
        Refused{{"run", "--frob", "x"}, "xbdbg: unknown option --frob (see: xbdbg run --help)\n"},
        Refused{{"run", "--seed"}, "xbdbg: --seed: 1 required N missing (see: xbdbg run --help)\n"},
        Refused{{"run"}, "xbdbg: run: no program given\n  hint: give it behind --: xbdbg run -- ./prog\n"},
        Refused{{"run", "--"}, "xbdbg: run: no program given\n  hint: give it behind --: xbdbg run -- ./prog\n"},
        Refused{{"rum"}, "xbdbg: unknown command `rum`\n  hint: did you mean: xbdbg run\n"},
        Refused{{"./prog"}, "xbdbg: unknown command `./prog`\n  hint: to run this program: xbdbg run -- ./prog\n"},
        Refused{{"frobnicate"},
                "xbdbg: unknown command `frobnicate`\n  hint: the commands are listed by: xbdbg --help\n"},
        Refused{{"help", "frob"},
                "xbdbg: no command `frob` to explain\n  hint: the commands are listed by: xbdbg --help\n"},
        Refused{{"doctor", "now"}, "xbdbg: unexpected argument `now` (see: xbdbg doctor --help)\n"}));

TEST(CommandTable, EveryCommandHasHelpWithExamplesAndEveryOptionATextThatFits) {
  for (const Command& command : commands()) {
    const std::string help = command_help(command);
    EXPECT_NE(help.find("Usage: xbdbg " + std::string(command.name)), std::string::npos);
    const std::size_t examples = help.find("\nExamples:\n");
    ASSERT_NE(examples, std::string::npos) << command.name;
    EXPECT_NE(help.find("\n  xbdbg ", examples + 12), std::string::npos) << command.name << ": at least two examples";
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 110u) << line;
  }
}

TEST(CommandTable, TheOverviewNamesEveryCommand) {
  for (const Command& command : commands()) {
    EXPECT_NE(overview_help().find("\n  " + std::string(command.name) + " "), std::string::npos) << command.name;
  }
}

TEST(CommandTable, TheDocumentationPageIsWhatTheHelpSays) {
  const auto page = read_whole_file(XB_SOURCE_DIR "/docs/COMMANDS.md", 1 << 20);
  ASSERT_TRUE(page) << page.error().what;
  EXPECT_EQ(*page, all_help_as_markdown()) << "make it again: xbdbg help --markdown > docs/COMMANDS.md";
}

}  // namespace
}  // namespace xbdbg
