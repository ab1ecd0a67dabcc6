// docs/TRACE_FORMAT.md says what the code does.
#include <gtest/gtest.h>

#include <string>

#include "replay/chunk.h"
#include "tests/unit/replay/sample_trace.h"
#include "tracer/agent/journal_format.h"

namespace xbdbg::test {
namespace {

using agent::JournalType;

struct Row {
  const char* name;
  JournalType type;
  std::size_t bytes;
};

const Row kRows[] = {
    {"start", JournalType::start, sizeof(agent::JournalStart)},
    {"event", JournalType::event, sizeof(agent::JournalEvent)},
    {"thread", JournalType::thread, sizeof(agent::JournalThread)},
    {"call", JournalType::call, sizeof(agent::JournalCall)},
    {"kernel", JournalType::kernel, sizeof(agent::JournalKernel)},
    {"value", JournalType::value, sizeof(agent::JournalValue)},
    {"choice", JournalType::choice, sizeof(agent::JournalChoice)},
    {"signal", JournalType::signal, sizeof(agent::JournalSignal)},
    {"preemption", JournalType::preemption, sizeof(agent::JournalPreemption)},
    {"output", JournalType::output, sizeof(agent::JournalOutput)},
    {"state_hash", JournalType::state_hash, sizeof(agent::JournalStateHash)},
    {"fault", JournalType::fault, sizeof(agent::JournalFault)},
};

TEST(TraceFormatPage, ListsEveryRecordWithItsNumberAndSize) {
  const std::string page = read_file(XB_SOURCE_DIR "/docs/TRACE_FORMAT.md");
  for (const Row& row : kRows) {
    const std::string line = "| `" + std::string(row.name) + "` | " + std::to_string(static_cast<int>(row.type)) +
                             " | " + std::to_string(row.bytes) + " |";
    EXPECT_NE(page.find(line), std::string::npos) << line;
  }
  const char next[] = {static_cast<char>(std::size(kRows) + 1)};
  EXPECT_EQ(agent::journal_record_size(next, 1), ~std::uint64_t{0}) << "a type of record that is not in the page";
}

TEST(TraceFormatPage, NamesTheVersionAndTheKindsOfChunks) {
  const std::string page = read_file(XB_SOURCE_DIR "/docs/TRACE_FORMAT.md");
  EXPECT_NE(page.find("\nVersion " + std::to_string(kTraceVersion) + "."), std::string::npos);
  EXPECT_NE(page.find("| " + std::to_string(static_cast<int>(ChunkKind::start)) + " | start |"), std::string::npos);
  EXPECT_NE(page.find("| " + std::to_string(static_cast<int>(ChunkKind::ending)) + " | ending |"), std::string::npos);
}

}  // namespace
}  // namespace xbdbg::test
