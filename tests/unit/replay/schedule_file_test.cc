#include "replay/schedule_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace xbdbg {
namespace {

using agent::Choice;
using agent::ChoiceKind;
using agent::PolicyKind;

Choice choice(ChoiceKind kind, std::uint32_t chosen, std::uint16_t alternatives) {
  return Choice{.kind = kind, .reserved = 0, .alternatives = alternatives, .chosen = chosen};
}

Schedule example() {
  Schedule schedule;
  schedule.header = {.program = "./bank",
                     .arguments = {"10", "", "two words", "new\nline 100%"},
                     .build_id = "8f3c01aa",
                     .policy = PolicyKind::random,
                     .seed = 18446744073709551615ull,
                     .events = 812};
  for (int i = 0; i < 35; ++i) schedule.append(choice(ChoiceKind::thread, 1, 2));
  schedule.append(choice(ChoiceKind::waiter, 3, 4));
  schedule.append(choice(ChoiceKind::timeout, 1, 2));
  return schedule;
}

const std::string kExample =
    "xbdbg-schedule 1\n"
    "program ./bank\n"
    "argument 10\n"
    "argument \n"
    "argument two words\n"
    "argument new%0aline 100%25\n"
    "build-id 8f3c01aa\n"
    "policy random\n"
    "seed 18446744073709551615\n"
    "events 812\n"
    "choices 37\n"
    "t 1 x35 of 2\n"
    "w 3 of 4\n"
    "e 1 of 2\n"
    "end\n";

// kExample with its line number `line` (from 1) replaced.
std::string with_line(int line, const std::string& replacement) {
  std::string out;
  std::size_t at = 0;
  for (int i = 1; at < kExample.size(); ++i) {
    const std::size_t end = kExample.find('\n', at);
    out += i == line ? replacement : kExample.substr(at, end + 1 - at);
    at = end + 1;
  }
  return out;
}

TEST(ScheduleFile, PrintsHeaderAndRunLengthCompressedChoices) { EXPECT_EQ(print_schedule(example()), kExample); }

TEST(ScheduleFile, ParsingWhatWasPrintedGivesTheSameSchedule) {
  const auto parsed = parse_schedule(kExample, "x");
  ASSERT_TRUE(parsed) << parsed.error().what;
  EXPECT_EQ(parsed->header.program, "./bank");
  EXPECT_EQ(parsed->header.arguments, example().header.arguments);
  EXPECT_EQ(parsed->header.policy, PolicyKind::random);
  EXPECT_EQ(parsed->header.seed, 18446744073709551615ull);
  EXPECT_EQ(parsed->header.events, 812u);
  EXPECT_EQ(parsed->choices(), 37u);
  EXPECT_EQ(print_schedule(*parsed), kExample);
}

TEST(ScheduleFile, ExpandsRunsToSingleChoices) {
  const Schedule schedule = example();
  std::vector<Choice> choices(schedule.choices());
  expand_choices(schedule, choices);
  EXPECT_EQ(choices[34].chosen, 1u);
  EXPECT_EQ(choices[35].kind, ChoiceKind::waiter);
  EXPECT_EQ(choices[35].chosen, 3u);
  EXPECT_EQ(choices[36].kind, ChoiceKind::timeout);
}

TEST(ScheduleFile, FindsTheLineOfAStep) {
  const auto parsed = parse_schedule(with_line(12, "# a comment\n\nt 1 x35 of 2\n"), "x");
  ASSERT_TRUE(parsed) << parsed.error().what;
  EXPECT_EQ(parsed->find(0)->line, 14u);
  EXPECT_EQ(parsed->find(34)->line, 14u);
  EXPECT_EQ(parsed->find(35)->line, 15u);
  EXPECT_EQ(print_run(*parsed->find(35)), "w 3 of 4");
  EXPECT_EQ(parsed->find(37), nullptr);
}

TEST(ScheduleFile, EmptyScheduleRoundTrips) {
  Schedule schedule;
  schedule.header.program = "p";
  const auto parsed = parse_schedule(print_schedule(schedule), "x");
  ASSERT_TRUE(parsed) << parsed.error().what;
  EXPECT_EQ(parsed->choices(), 0u);
  EXPECT_TRUE(parsed->header.build_id.empty());
}

TEST(ScheduleFile, EveryPolicyHasANameThatParsesBack) {
  for (const PolicyKind policy : {PolicyKind::first, PolicyKind::round_robin, PolicyKind::random}) {
    EXPECT_EQ(policy_from_name(policy_name(policy)), policy);
  }
  EXPECT_EQ(policy_from_name("Random"), std::nullopt);
  EXPECT_EQ(policy_from_name("follow"), std::nullopt);  // a schedule that was followed keeps the policy that made it
}

struct Malformed {
  const char* why;
  int line;
  std::string replacement;
  std::string message;
};

class MalformedSchedule : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedSchedule, IsRefusedWithItsLine) {
  const auto parsed = parse_schedule(with_line(GetParam().line, GetParam().replacement), "x.xbs");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().what, GetParam().message);
  EXPECT_EQ(parsed.error().code, Errc::bad_input);
}

const std::string kNotASchedule = "x.xbs: not a schedule (it does not start with \"xbdbg-schedule 1\")";
std::string bad_run(int line, const std::string& found) {
  return "x.xbs:" + std::to_string(line) +
         ": expected \"t|w|e NUMBER [xCOUNT] of ALTERNATIVES\" or \"end\", found \"" + found + "\"";
}

INSTANTIATE_TEST_SUITE_P(
    Cases, MalformedSchedule,
    testing::Values(
        Malformed{"NoMagic", 1, "", kNotASchedule},  //
        Malformed{"OtherMagic", 1, "xbdbg-trace 1\n", kNotASchedule},
        Malformed{"LaterVersion", 1, "xbdbg-schedule 2\n",
                  "x.xbs:1: version \"2\" of the format; this xbdbg reads version 1"},
        Malformed{"NoProgram", 2, "", "x.xbs:2: expected \"program ...\", found \"argument 10\""},
        Malformed{"BareKey", 2, "program\n", "x.xbs:2: expected \"program ...\", found \"program\""},
        Malformed{"BadEscape", 2, "program a%2\n", "x.xbs:2: % without two hexadecimal digits"},
        Malformed{"UpperCaseEscape", 2, "program a%0A\n", "x.xbs:2: % without two hexadecimal digits"},
        Malformed{"EscapedNul", 3, "argument %00\n", "x.xbs:3: %00 in a command line"},
        Malformed{"ControlCharacter", 3, "argument a\tb\n",
                  "x.xbs:3: a control character that is not written as %XX"},
        Malformed{"OddBuildId", 7, "build-id abc\n",
                  "x.xbs:7: a build-id is an even number of hexadecimal digits, found \"abc\""},
        Malformed{"BuildIdNotHex", 7, "build-id xy\n",
                  "x.xbs:7: a build-id is an even number of hexadecimal digits, found \"xy\""},
        Malformed{"NoPolicy", 8, "", "x.xbs:8: expected \"policy ...\", found \"seed 18446744073709551615\""},
        Malformed{"UnknownPolicy", 8, "policy pct\n", "x.xbs:8: unknown policy \"pct\""},
        Malformed{"NoSeed", 9, "", "x.xbs:9: expected \"seed ...\", found \"events 812\""},
        Malformed{"NegativeSeed", 9, "seed -1\n", "x.xbs:9: expected \"seed NUMBER\", found \"seed -1\""},
        Malformed{"SeedTooLarge", 9, "seed 18446744073709551616\n",
                  "x.xbs:9: expected \"seed NUMBER\", found \"seed 18446744073709551616\""},
        Malformed{"LeadingZero", 9, "seed 01\n", "x.xbs:9: expected \"seed NUMBER\", found \"seed 01\""},
        Malformed{"TextAfterNumber", 10, "events 8 x\n",
                  "x.xbs:10: expected \"events NUMBER\", found \"events 8 x\""},
        Malformed{"TooManyChoices", 11, "choices 67108865\n", "x.xbs:11: more than 67108864 choices"},
        Malformed{"HeaderSaysFewer", 11, "choices 36\n", "x.xbs:14: more choices than the header says (36)"},
        Malformed{"HeaderSaysMore", 11, "choices 38\n", "x.xbs:15: the header says 38 choices, but there are 37"},
        Malformed{"UnknownKind", 12, "q 1 of 2\n", bad_run(12, "q 1 of 2")},
        Malformed{"NoNumber", 12, "t of 2\n", bad_run(12, "t of 2")},
        Malformed{"TwoSpaces", 12, "t  1 of 2\n", bad_run(12, "t  1 of 2")},
        Malformed{"NoAlternatives", 12, "t 1 x35\n", bad_run(12, "t 1 x35")},
        Malformed{"CountWithoutX", 12, "t 1 35 of 2\n", bad_run(12, "t 1 35 of 2")},
        Malformed{"ThreadTooLarge", 12, "t 4294967296 of 2\n", bad_run(12, "t 4294967296 of 2")},
        Malformed{"CountTooLarge", 12, "t 1 x4294967296 of 2\n", bad_run(12, "t 1 x4294967296 of 2")},
        Malformed{"AlternativesTooLarge", 12, "t 1 of 65536\n", bad_run(12, "t 1 of 65536")},
        Malformed{"TextAfterRun", 12, "t 1 of 2 \n", bad_run(12, "t 1 of 2 ")},
        Malformed{"CarriageReturn", 12, "t 1 of 2\r\n", bad_run(12, "t 1 of 2%0d")},
        Malformed{"ZeroTimes", 12, "t 1 x0 of 2\n", "x.xbs:12: a choice made x0 times"},
        Malformed{"OneAlternative", 12, "t 1 of 1\n", "x.xbs:12: a choice has at least 2 alternatives, found 1"},
        Malformed{"TimeoutTwice", 14, "e 2 of 2\n",
                  "x.xbs:14: a timed wait expires (\"e 1 of 2\") or does not (\"e 0 of 2\"), found \"e 2 of 2\""},
        Malformed{"TimeoutOfThree", 14, "e 1 of 3\n",
                  "x.xbs:14: a timed wait expires (\"e 1 of 2\") or does not (\"e 0 of 2\"), found \"e 1 of 3\""},
        Malformed{"NoEnd", 15, "", "x.xbs:15: the file was cut off (there is no \"end\")"},
        Malformed{"EndWithoutNewline", 15, "end", "x.xbs:15: the file was cut off in the middle of a line"},
        Malformed{"TextAfterEnd", 15, "end\nt 1 of 2\n", "x.xbs:16: text after \"end\""}),
    [](const auto& test) { return std::string(test.param.why); });

TEST(ScheduleFile, IsRefusedWhereverItIsCutOff) {
  for (std::size_t size = 0; size < kExample.size(); ++size) {
    EXPECT_FALSE(parse_schedule(std::string_view(kExample).substr(0, size), "x")) << "cut at " << size;
  }
}

TEST(ScheduleFile, LimitsAreNamed) {
  const auto too_long = parse_schedule("xbdbg-schedule 1\nprogram " + std::string(100, 'a') + "\n", "x",
                                       ScheduleLimits{.line_bytes = 80});
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().what, "x:2: a line of more than 80 bytes");
  const auto too_large = parse_schedule(kExample, "x", ScheduleLimits{.file_bytes = 10});
  ASSERT_FALSE(too_large);
  EXPECT_EQ(too_large.error().what, "x: larger than 10 bytes");
  const auto arguments = parse_schedule(kExample, "x", ScheduleLimits{.arguments = 2});
  ASSERT_FALSE(arguments);
  EXPECT_EQ(arguments.error().what, "x:5: more than 2 arguments");
}

// Ten million choices that do not compress: time must grow with the size, not with its square. 0.5 s here; the bound
// leaves room for sanitizers and a busy machine.
TEST(ScheduleFile, TenMillionChoicesRoundTripInLinearTime) {
  const auto start = std::chrono::steady_clock::now();
  Schedule schedule;
  schedule.header.program = "p";
  for (std::uint32_t i = 0; i < 10'000'000; ++i) schedule.append(choice(ChoiceKind::thread, i % 3, 3));
  const std::string text = print_schedule(schedule);
  const auto parsed = parse_schedule(text, "x");
  ASSERT_TRUE(parsed) << parsed.error().what;
  EXPECT_EQ(parsed->choices(), 10'000'000u);
  EXPECT_EQ(parsed->runs().back().choice.chosen, 9'999'999u % 3);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

}  // namespace
}  // namespace xbdbg
