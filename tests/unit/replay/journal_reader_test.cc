#include "replay/journal_reader.h"

#include <gtest/gtest.h>

#include <set>

#include "replay/journal_text.h"
#include "tests/support/expect_ok.h"
#include "tests/unit/replay/sample_trace.h"

namespace xbdbg::test {
namespace {

std::vector<JournalEntry> read_all(std::span<const std::byte> journal) {
  std::vector<JournalEntry> entries;
  JournalCursor cursor(journal);
  while (true) {
    const auto there = cursor.next();
    EXPECT_OK(there);
    if (!there || !*there) return entries;
    entries.push_back(cursor.entry());
  }
}

Result<JournalEntry> decode(const JournalBuilder& journal) { return decode_record(journal.bytes(), 0); }

TEST(JournalReader, ReadsEveryTypeOfRecord) {
  const JournalBuilder journal = sample_journal();
  const std::vector<JournalEntry> entries = read_all(journal.bytes());
  std::set<std::size_t> types;
  std::uint64_t offset = 0;
  for (const JournalEntry& entry : entries) {
    types.insert(entry.body.index());
    EXPECT_EQ(entry.offset, offset);
    offset += entry.size;
  }
  EXPECT_EQ(types.size(), std::variant_size_v<JournalRecord>);
  EXPECT_EQ(offset, journal.bytes().size());
}

TEST(JournalReader, KnowsThreadEventAndImageOfEachRecord) {
  JournalBuilder journal;
  journal.event(agent::Operation::mutex_lock, 1, 2).thread(3).event(agent::Operation::mutex_unlock, 1, 2);
  agent::JournalStart start{};
  start.type = agent::JournalType::start;
  start.image = 1;
  journal.add(start);
  const auto entries = read_all(journal.bytes());
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[0].thread, ThreadIndex(0));
  EXPECT_EQ(entries[0].event, EventIndex(0));
  EXPECT_EQ(entries[1].thread, ThreadIndex(3));
  EXPECT_EQ(entries[1].event, EventIndex(1));
  EXPECT_EQ(entries[2].thread, ThreadIndex(3));
  EXPECT_EQ(entries[2].event, EventIndex(1));
  EXPECT_EQ(entries[3].thread, ThreadIndex(0)) << "a new program begins with its first thread";
  EXPECT_EQ(entries[3].event, EventIndex(2));
  EXPECT_EQ(entries[3].image, 1u);
}

TEST(JournalReader, GivesTheMemoryThatTheKernelWrote) {
  JournalBuilder journal;
  journal.kernel(0, 7, file_mapping(5) + memory_write(0x10, "abc") + memory_write(0x20, "d"), agent::kHasMapping);
  ASSERT_OK(entry, decode(journal));
  const auto& answer = std::get<KernelAnswer>(entry.body);
  ASSERT_TRUE(answer.mapping);
  EXPECT_EQ(+answer.mapping->file, 5u);
  KernelWrites writes(answer);
  const auto first = writes.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->address, Addr(0x10));
  EXPECT_EQ(first->bytes.size(), 3u);
  const auto second = writes.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->address, Addr(0x20));
  EXPECT_FALSE(writes.next());
}

TEST(JournalReader, WhatDoesNotFitIsAnErrorThatNamesOffsetAndField) {
  const std::string write = memory_write(0x10, "abc");
  EXPECT_ERROR(decode(JournalBuilder().kernel(0, 0, write.substr(0, write.size() - 1))), Errc::bad_input,
               "kernel.write.size at offset 28");
  EXPECT_ERROR(decode(JournalBuilder().kernel(0, 0, "short")), Errc::bad_input, "kernel.write at offset 16");
  EXPECT_ERROR(decode(JournalBuilder().kernel(0, 0, "", agent::kHasMapping)), Errc::bad_input, "kernel.mapping");
  EXPECT_ERROR(decode(JournalBuilder().kernel(0, 0, "", 128)), Errc::bad_input, "kernel.flags at offset 1");
  EXPECT_ERROR(decode(JournalBuilder().event(static_cast<agent::Operation>(250), 0, 0)), Errc::bad_input,
               "event.operation at offset 1");
  EXPECT_ERROR(decode(JournalBuilder().output(3, "x")), Errc::bad_input, "output.stream at offset 1");
  EXPECT_ERROR(decode(JournalBuilder().raw("\xff")), Errc::bad_input, "type or size at offset 0");
  EXPECT_ERROR(decode(JournalBuilder().add(agent::JournalFault{agent::JournalType::fault, 65, {}, 0, 0})),
               Errc::bad_input, "signo at offset 1");
  agent::JournalPreemption preemption{};
  preemption.type = agent::JournalType::preemption;
  preemption.watch.count = agent::kMaxWatchedWords + 1;
  EXPECT_ERROR(decode(JournalBuilder().add(preemption)), Errc::bad_input, "preemption.watch.count");
}

TEST(JournalReader, ARecordLongerThanTheLimitIsRefusedBeforeItIsLookedFor) {
  JournalBuilder journal;
  journal.add(agent::JournalKernel{agent::JournalType::kernel, 0, 0, agent::kMaxJournalRecord + 1, 0});
  EXPECT_ERROR(decode(journal), Errc::bad_input, "type or size");
}

TEST(JournalReader, CutAnywhereItReadsTheWholeRecordsAndThenSaysWhere) {
  const JournalBuilder journal = sample_journal();
  std::set<std::uint64_t> boundaries{0};
  for (const JournalEntry& entry : read_all(journal.bytes())) boundaries.insert(entry.offset + entry.size);
  for (std::size_t size = 0; size <= journal.bytes().size(); ++size) {
    const auto cut = journal.bytes().first(size);
    const std::uint64_t expected = *--boundaries.upper_bound(size);
    EXPECT_EQ(whole_records(cut), expected) << size;
    JournalCursor cursor(cut);
    auto there = cursor.next();
    while (there && *there) there = cursor.next();
    EXPECT_EQ(static_cast<bool>(there), size == expected);
    EXPECT_EQ(cursor.offset(), expected);
  }
}

TEST(JournalReader, EveryFlippedBitGivesRecordsOrAnError) {
  const JournalBuilder journal = sample_journal();
  for (std::size_t bit = 0; bit < journal.bytes().size() * 8; ++bit) {
    std::string damaged = journal.text();
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    JournalCursor cursor(std::as_bytes(std::span(damaged)));
    auto there = cursor.next();
    while (there && *there) {
      EXPECT_FALSE(entry_text(cursor.entry()).empty());
      there = cursor.next();
    }
    EXPECT_TRUE(there || there.error().what.find("offset") != std::string::npos);
  }
}

}  // namespace
}  // namespace xbdbg::test
