#include "replay/journal_text.h"

#include <gtest/gtest.h>

#include "tests/support/expect_ok.h"
#include "tests/unit/replay/sample_trace.h"

namespace xbdbg::test {
namespace {

constexpr char kSampleText[] = R"(          T0   start of program 0  pid 4242 parent 4241  realtime 1 monotonic 2
       0  T0   thread_create 0x1 = 0  at 0x401000
          T0   choice 7: thread 1 of 2
          T1   T1 runs
          T1   read(3, 0x4, 5)  at 0x402000
          T1   kernel read = 5  [0x7000: 5 bytes "hello"]  [0x8000: 0 bytes ""]
          T1   kernel mmap = 0x7fff00001000  [file 0 offset 0x1000 size 0x2000]
          T1   value 123456789
          T1   SIGALRM arrives at point 9
          T1   found spinning at 0x403000  [0x9000: 4 bytes 0x1]
       1  T1   mutex_lock 0x5000 = 0  at 0x404000
          T1   stdout 6 bytes "ready\n"
          T1   state 000000000000feed
          T1   ends by SIGSEGV at 0x405000 (address 0x0)
)";

TEST(JournalText, OneStableLinePerRecord) {
  const JournalBuilder journal = sample_journal();
  JournalCursor cursor(journal.bytes());
  std::string text;
  auto there = cursor.next();
  for (; there && *there; there = cursor.next()) text += entry_text(cursor.entry()) + "\n";
  EXPECT_OK(there);
  EXPECT_EQ(text, kSampleText);
}

TEST(JournalText, LongMemoryIsShortenedAndEscaped) {
  JournalBuilder journal;
  journal.kernel(0, -2, memory_write(0x10, "\x1b[31m" + std::string(100, 'a')));
  ASSERT_OK(entry, decode_record(journal.bytes(), 0));
  const std::string text = record_text(entry, {.shown_bytes = 8});
  EXPECT_NE(text.find("105 bytes \"\\x1b[31maaa\"..."), std::string::npos) << text;
  EXPECT_NE(text.find("ENOENT"), std::string::npos) << text;
}

}  // namespace
}  // namespace xbdbg::test
