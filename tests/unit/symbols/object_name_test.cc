// Names of variables from addresses; what gdb prints for `info symbol` and `print &x` is the model.
#include <gtest/gtest.h>

#include "tests/support/expect_ok.h"
#include "tests/unit/symbols/oracle.h"
#include "tracer/symbols/image.h"
#include "tracer/symbols/names.h"

namespace xbdbg::test {
namespace {

constexpr std::uint64_t kMutexBytes = 40;

class ObjectName : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_OK(image, Image::open(program_path(GetParam())));
    image_ = image;
  }
  std::uint64_t address(const char* name) {
    const std::optional<ImageObject> object = image_->find_object(name);
    EXPECT_TRUE(object.has_value()) << name;
    return object ? object->address : 0;
  }
  std::shared_ptr<Image> image_;
};

TEST_P(ObjectName, OfWholeVariables) {
  EXPECT_EQ(image_->object_name(address("account_lock"), kMutexBytes), "account_lock");
  EXPECT_EQ(image_->object_name(address("account_lock"), 0), "account_lock");
  EXPECT_EQ(image_->object_name(address("hidden_lock"), kMutexBytes), "hidden_lock");
  EXPECT_EQ(image_->object_name(address("answer"), 0), "answer");
  EXPECT_EQ(image_->find_object("account_lock")->size, kMutexBytes);
}

TEST_P(ObjectName, OfArrayElements) {
  EXPECT_EQ(image_->object_name(address("locks") + 3 * kMutexBytes, kMutexBytes), "locks[3]");
  EXPECT_EQ(image_->object_name(address("locks"), kMutexBytes), "locks[0]");
  EXPECT_EQ(image_->object_name(address("locks"), 0), "locks");
  EXPECT_EQ(image_->object_name(address("grid") + (2 * 5 + 4) * 4, 4), "grid[2][4]");
  EXPECT_EQ(image_->object_name(address("grid") + 6, 0), "grid[0][1]+0x2");
}

TEST_P(ObjectName, OfMembers) {
  const std::uint64_t pool = address("pool");
  EXPECT_EQ(image_->object_name(pool, kMutexBytes), "pool.lock");  // the first member, told by its size
  EXPECT_EQ(image_->object_name(pool, 0), "pool");
  EXPECT_EQ(image_->object_name(pool + 40, 4), "pool.used");
  EXPECT_EQ(image_->object_name(pool + 48, 8), "pool.u.number");
  const std::uint64_t account = pool + 64;
  constexpr std::uint64_t kAccountBytes = 104;  // int, mutex, long, condition variable
  EXPECT_EQ(image_->object_name(account + 8, kMutexBytes), "pool.accounts[0].lock");
  EXPECT_EQ(image_->object_name(account + 2 * kAccountBytes + 8, kMutexBytes), "pool.accounts[2].lock");
  EXPECT_EQ(image_->object_name(account + 3 * kAccountBytes + 56, 48), "pool.accounts[3].state.changed");
}

TEST_P(ObjectName, OfStaticLocals) {
  const std::uint64_t inner = address("local_lock::inner");
  EXPECT_EQ(image_->object_name(inner, kMutexBytes), "local_lock::inner");
  EXPECT_EQ(image_->object_name(address("local_lock::calls"), 4), "local_lock::calls");
}

TEST_P(ObjectName, OfCodeIsTheFunction) {
  const std::optional<std::uint64_t> main = image_->find_function("main");
  ASSERT_TRUE(main.has_value());
  EXPECT_EQ(image_->object_name(*main + 3, 0), "main+0x3");
}

INSTANTIATE_TEST_SUITE_P(Dwarf, ObjectName, testing::Values("objects_dwarf4", "objects_dwarf5"));

TEST(ObjectNameCpp, HasNamespacesBasesAndStaticMembers) {
  ASSERT_OK(image, Image::open(program_path("objects_cc")));
  const auto name = [&](const char* object, std::uint64_t offset, std::uint64_t size) {
    const std::optional<ImageObject> found = image->find_object(object);
    EXPECT_TRUE(found.has_value()) << object;
    return found ? image->object_name(found->address + offset, size) : std::string();
  };
  EXPECT_EQ(name("file_lock", 0, kMutexBytes), "file_lock");
  EXPECT_EQ(name("bank::Account::all", 0, kMutexBytes), "bank::Account::all");
  EXPECT_EQ(name("bank::Account::count", 0, 4), "bank::Account::count");
  EXPECT_EQ(name("bank::first", 16, kMutexBytes), "bank::first.lock");
  EXPECT_EQ(name("bank::first", 8, 4), "bank::first.kind");  // of the base class
  EXPECT_EQ(name("bank::others", 64 + 16, kMutexBytes), "bank::others._M_elems[1].lock");
  EXPECT_EQ(name("bank::(anonymous namespace)::ready", 0, 48), "bank::(anonymous namespace)::ready");
}

TEST(ObjectNameCpp, StaticLocalsAreNamedAfterTheirFunction) {
  ASSERT_OK(image, Image::open(program_path("objects_cc")));
  for (const char* spelled : {"bank::next_id::id", "_ZZN4bank7next_idEvE2id"}) {
    const std::optional<ImageObject> found = image->find_object(spelled);
    ASSERT_TRUE(found.has_value()) << spelled;
    EXPECT_EQ(image->object_name(found->address, 4), "bank::next_id::id");
  }
}

TEST(ObjectNameStripped, FallsBackToTheSymbolAndAnOffset) {
  ASSERT_OK(image, Image::open(program_path("objects_nodebug")));
  const std::optional<ImageObject> pool = image->find_object("pool");
  ASSERT_TRUE(pool.has_value());
  EXPECT_EQ(image->object_name(pool->address, kMutexBytes), "pool");
  EXPECT_EQ(image->object_name(pool->address + 16, 0), "pool+0x10");
  EXPECT_EQ(image->object_name(pool->address + pool->size, 0).find("pool"), std::string::npos);
  EXPECT_FALSE(image->find_object("no_such_object").has_value());
}

TEST(Names, BaseNameHasNoReturnTypeNoArgumentsAndNoParameters) {
  EXPECT_EQ(function_base_name("main"), "main");
  EXPECT_EQ(function_base_name("ns::f(int, char*)"), "ns::f");
  EXPECT_EQ(function_base_name("void std::sort<int*, less<int> >(int*, int*)"), "std::sort");
  EXPECT_EQ(function_base_name("(anonymous namespace)::may_throw(int)"), "(anonymous namespace)::may_throw");
  EXPECT_EQ(function_base_name("A<int>::B::operator()(int) const"), "A<int>::B::operator()");
  EXPECT_EQ(function_base_name("bool operator< <int>(X<int> const&)"), "operator< <int>");
  EXPECT_EQ(function_base_name(""), "");
}

TEST(Names, DemanglesOnlyMangledNames) {
  EXPECT_EQ(demangle("_ZN4bank7next_idEv"), "bank::next_id()");
  EXPECT_EQ(demangle("main"), "main");
  EXPECT_EQ(demangle("_Z"), "_Z");
  EXPECT_EQ(demangle("_ZNnonsense"), "_ZNnonsense");
}

}  // namespace
}  // namespace xbdbg::test
