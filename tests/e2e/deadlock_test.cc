// When no thread can run, the report says who waits for what, where, and who holds it; status 1, no hang.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/e2e/run_command.h"
#include "tests/support/temp_dir.h"

namespace xbdbg::test {
namespace {

// The number of the n-th line (from 1) of a sample's source that contains `text`.
std::string line_of(const std::string& file, const std::string& text, int nth = 1) {
  std::istringstream source(contents(XB_SOURCE_DIR "/samples/" + file));
  std::string line;
  for (int number = 1; std::getline(source, line); ++number) {
    if (line.find(text) != std::string::npos && --nth == 0) return file + ":" + std::to_string(number);
  }
  return file + ": no such line: " + text;
}

Outcome run_from_source_folder(std::vector<std::string> words) {
  return xbdbg(words, {.folder = XB_SOURCE_DIR "/samples"});
}

// The first of the seeds 0, 1, ... with which the sample deadlocks.
Outcome find_deadlock(const std::string& name, const std::vector<std::string>& options = {}) {
  for (int seed = 0; seed < 200; ++seed) {
    std::vector<std::string> words = {"run", "--seed", std::to_string(seed)};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", sample(name)});
    Outcome outcome = run_from_source_folder(words);
    if (outcome.status != 0) return outcome;
  }
  return {};
}

TEST(Deadlock, AThreadThatLocksTwice) {
  const Outcome outcome = find_deadlock("self_deadlock");
  EXPECT_EQ(outcome.status, 1) << outcome;
  EXPECT_EQ(outcome.err.rfind("xbdbg: deadlock: no thread can run\n", 0), 0u) << outcome;
  EXPECT_NE(outcome.err.find(" waits in pthread_mutex_lock for mutex `"), std::string::npos) << outcome;
  EXPECT_NE(outcome.err.find(" itself\n"), std::string::npos) << outcome;
}

TEST(Deadlock, LockOrderInversionIsShownWithBothLocksAndBothStacks) {
  const Outcome outcome = find_deadlock("lock_order");
  ASSERT_EQ(outcome.status, 1) << outcome;
  const std::string log_in_write = line_of("lock_order.c", "pthread_mutex_lock(&log_lock)", 1);
  const std::string log_in_rotate = line_of("lock_order.c", "pthread_mutex_lock(&log_lock)", 3);
  const std::string table_in_count = line_of("lock_order.c", "pthread_mutex_lock(&table_lock)", 1);
  const std::string table_in_add = line_of("lock_order.c", "pthread_mutex_lock(&table_lock)", 2);
  EXPECT_EQ(outcome.err,
            "xbdbg: deadlock: no thread can run\n"
            "  T0 waits in pthread_join for T1\n"
            "      at main (" +
                line_of("lock_order.c", "pthread_join(adder") +
                ")\n"
                "  T1 waits in pthread_mutex_lock for mutex `log_lock` held by T2\n"
                "      at write_log (" +
                log_in_write +
                ")\n"
                "         add_entry (" +
                line_of("lock_order.c", "  write_log();") +
                ")\n"
                "      holds mutex `table_lock`, locked at add_entry (" +
                table_in_add +
                ")\n"
                "  T2 waits in pthread_mutex_lock for mutex `table_lock` held by T1\n"
                "      at count_entries (" +
                table_in_count +
                ")\n"
                "         rotate_log (" +
                line_of("lock_order.c", "int count = count_entries()", 2) +
                ")\n"
                "      holds mutex `log_lock`, locked at rotate_log (" +
                log_in_rotate +
                ")\n"
                "  circle: T1 -> T2 -> T1\n");
}

TEST(Deadlock, ALostWakeUpIsADeadlock) {
  const Outcome outcome = find_deadlock("missed_wakeup");
  ASSERT_EQ(outcome.status, 1) << outcome;
  EXPECT_NE(outcome.err.find(" waits in pthread_cond_wait for condition `"), std::string::npos) << outcome;
  EXPECT_NE(outcome.err.find("that no thread is left to signal\n"), std::string::npos) << outcome;
}

TEST(Deadlock, TheScheduleThatLedThereIsSavedAndLeadsThereAgain) {
  const TempDir dir;
  const std::string file = dir / "deadlock.xbs";
  const Outcome outcome = find_deadlock("lock_order", {"--save-schedule", file});
  ASSERT_EQ(outcome.status, 1) << outcome;
  EXPECT_EQ(run_from_source_folder({"run", "--schedule", file, "--", sample("lock_order")}), outcome);
}

TEST(Deadlock, FixedSamplesDoNotDeadlock) {
  for (const char* name : {"lock_order_fixed", "self_deadlock_fixed", "missed_wakeup_fixed"}) {
    for (int seed = 0; seed < 20; ++seed) {
      const Outcome outcome = xbdbg({"run", "--seed", std::to_string(seed), "--", sample(name)});
      EXPECT_EQ(outcome.status, 0) << name << " with seed " << seed << "\n" << outcome;
    }
  }
}

}  // namespace
}  // namespace xbdbg::test
