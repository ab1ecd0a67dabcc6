#include "replay/divergence.h"

#include <gtest/gtest.h>

#include "replay/journal_reader.h"
#include "replay/journal_text.h"
#include "tests/unit/replay/sample_trace.h"

namespace xbdbg::test {
namespace {

JournalBuilder twenty_locks() {
  JournalBuilder journal;
  journal.thread(2);
  for (std::uint64_t i = 0; i < 20; ++i) journal.event(agent::Operation::mutex_lock, i, 0x401000 + i);
  return journal;
}
constexpr std::uint64_t kOffsetOf15 = sizeof(agent::JournalThread) + 15 * sizeof(agent::JournalEvent);

TEST(Divergence, ShowsWhatWasRecordedWhatHappensNowAndTheTenRecordsBefore) {
  const JournalBuilder journal = twenty_locks();
  const JournalBuilder actual = JournalBuilder().event(agent::Operation::mutex_unlock, 9, 0x402000, 5);
  const DivergenceReport report =
      describe_divergence({.journal = journal.bytes(), .offset = kOffsetOf15, .actual = actual.bytes()});
  EXPECT_EQ(report.event, EventIndex(15));
  EXPECT_EQ(report.thread, ThreadIndex(2));
  EXPECT_EQ(report.expected, "mutex_lock 0xf = 0  at 0x40100f");
  EXPECT_EQ(report.actual, "mutex_unlock 0x9 = 5  at 0x402000");
  ASSERT_EQ(report.before.size(), 10u);
  EXPECT_EQ(report.before.front(), "       5  T2   mutex_lock 0x5 = 0  at 0x401005");
  EXPECT_EQ(report.before.back(), "      14  T2   mutex_lock 0xe = 0  at 0x40100e");
  EXPECT_EQ(report.cause, DivergenceCause::uncaptured_input);
  EXPECT_NE(report.text().find("replay diverged at event 15, thread T2\n"), std::string::npos);
  EXPECT_NE(report.text().find("\n  -       15  T2   mutex_lock 0xf = 0  at 0x40100f    recorded\n"),
            std::string::npos)
      << report.text();
}

TEST(Divergence, NamesTheFileThatChanged) {
  const JournalBuilder journal = twenty_locks();
  const std::vector<FileProblem> problems = {
      {FileProblem::Kind::changed, false, "/t/files/0", "damaged"},
      {FileProblem::Kind::changed, true, "/bin/bank", "its build-id was aa, and is bb now"}};
  const DivergenceReport report =
      describe_divergence({.journal = journal.bytes(), .offset = 0, .message = "why", .problems = &problems});
  EXPECT_EQ(report.cause, DivergenceCause::binary_changed);
  EXPECT_EQ(report.cause_text, "/bin/bank has changed since the recording: its build-id was aa, and is bb now");
  EXPECT_EQ(report.actual, "why");
}

TEST(Divergence, KnowsThatAForcedPreemptionCannotBeRepeated) {
  agent::JournalPreemption preemption{};
  preemption.type = agent::JournalType::preemption;
  preemption.forced = 1;
  JournalBuilder journal;
  journal.add(preemption).event(agent::Operation::yield, 0, 0);
  const DivergenceReport report = describe_divergence({.journal = journal.bytes(), .offset = sizeof preemption});
  EXPECT_EQ(report.cause, DivergenceCause::forced_preemption);
}

TEST(Divergence, RecordsWithContentAreShownByTheirFixedPart) {
  const JournalBuilder journal = twenty_locks();
  JournalBuilder actual;
  actual.add(agent::JournalKernel{agent::JournalType::kernel, agent::kHasMapping, 0, 5000, -2});
  const DivergenceReport report =
      describe_divergence({.journal = journal.bytes(), .offset = 0, .actual = actual.bytes()});
  EXPECT_EQ(report.actual.substr(0, 7), "kernel ") << report.actual;
}

TEST(Divergence, WhateverTheTargetSaysThereIsAReport) {
  const JournalBuilder journal = sample_journal();
  const std::string garbage(256, '\xee');
  for (std::uint64_t offset = 0; offset <= journal.bytes().size() + 10; ++offset) {
    const DivergenceReport report = describe_divergence(
        {.journal = journal.bytes(), .offset = offset, .actual = std::as_bytes(std::span(garbage))});
    EXPECT_FALSE(report.expected.empty());
    EXPECT_FALSE(report.actual.empty());
    EXPECT_FALSE(report.text().empty());
  }
  const DivergenceReport end = describe_divergence({.journal = journal.bytes(), .offset = journal.bytes().size()});
  EXPECT_EQ(end.expected, "the end of the recording");
}

}  // namespace
}  // namespace xbdbg::test
