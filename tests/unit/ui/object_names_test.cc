#include "ui-tui/object_names.h"

#include <gtest/gtest.h>

namespace xbdbg {
namespace {

constexpr Addr kGlobal{0x4000};

ObjectNames make_names() {
  return ObjectNames(
      [](ObjectKind, Addr at) { return at == kGlobal ? std::optional<std::string>("account_lock") : std::nullopt; });
}

TEST(ObjectNames, GlobalsHaveTheNameOfTheirSymbol) {
  ObjectNames names = make_names();
  EXPECT_EQ(names.name(ObjectKind::mutex, kGlobal), "account_lock");
  names.initialised(ObjectKind::mutex, kGlobal, "bank.c:3");
  EXPECT_EQ(names.name(ObjectKind::mutex, kGlobal), "account_lock");
}

TEST(ObjectNames, OthersAreNumberedPerKindInOrderOfFirstUse) {
  ObjectNames names = make_names();
  EXPECT_EQ(names.name(ObjectKind::mutex, Addr(0x9000)), "mutex#1");
  EXPECT_EQ(names.name(ObjectKind::condition, Addr(0x8000)), "condition#1");
  EXPECT_EQ(names.name(ObjectKind::mutex, Addr(0x1000)), "mutex#2");
  EXPECT_EQ(names.name(ObjectKind::mutex, Addr(0x9000)), "mutex#1");
}

TEST(ObjectNames, InitialisedObjectsSayWhere) {
  ObjectNames names = make_names();
  names.initialised(ObjectKind::semaphore, Addr(0x9000), "pool.c:17");
  EXPECT_EQ(names.name(ObjectKind::semaphore, Addr(0x9000)), "semaphore#1 (pool.c:17)");
}

TEST(ObjectNames, AnAddressUsedAgainIsAnotherObject) {
  ObjectNames names = make_names();
  EXPECT_EQ(names.name(ObjectKind::mutex, Addr(0x9000)), "mutex#1");
  names.destroyed(ObjectKind::mutex, Addr(0x9000));
  EXPECT_EQ(names.name(ObjectKind::mutex, Addr(0x9000)), "mutex#2");
  names.initialised(ObjectKind::mutex, Addr(0x9000), "");
  EXPECT_EQ(names.name(ObjectKind::mutex, Addr(0x9000)), "mutex#3");
}

TEST(ObjectNames, SymbolsAreLookedUpAgainWhenLibrariesChanged) {
  std::string symbol = "old_lock";
  ObjectNames names(
      [&symbol](ObjectKind, Addr at) { return at == kGlobal ? std::optional<std::string>(symbol) : std::nullopt; });
  EXPECT_EQ(names.name(ObjectKind::mutex, kGlobal), "old_lock");
  EXPECT_EQ(names.name(ObjectKind::mutex, Addr(0x9000)), "mutex#1");
  symbol = "new_lock";
  EXPECT_EQ(names.name(ObjectKind::mutex, kGlobal), "old_lock");
  names.forget_symbols();
  EXPECT_EQ(names.name(ObjectKind::mutex, kGlobal), "new_lock");
  EXPECT_EQ(names.name(ObjectKind::mutex, Addr(0x9000)), "mutex#1");
}

TEST(ObjectNames, FindNumbersNothing) {
  ObjectNames names = make_names();
  EXPECT_EQ(names.find(ObjectKind::mutex, Addr(0x9000)), std::nullopt);
  EXPECT_EQ(names.find(ObjectKind::mutex, kGlobal), "account_lock");
  EXPECT_EQ(names.name(ObjectKind::mutex, Addr(0x1000)), "mutex#1");
}

}  // namespace
}  // namespace xbdbg
