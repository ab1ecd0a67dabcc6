#include "tracer/start_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/expect_ok.h"

namespace xbdbg {
namespace {

TEST(StartFolder, NamesAreAsLongAsTheRecordedOnesAndEndLikeThem) {
  EXPECT_EQ(name_of_same_length("./prog"), "./prog");
  EXPECT_EQ(name_of_same_length("prog"), "prog");
  EXPECT_EQ(name_of_same_length("/usr/bin/prog"), ".////////prog");
  EXPECT_EQ(name_of_same_length("a/prog"), "./prog");
}

TEST(StartFolder, NamesThatCannotEndLikeTheRecordedOnesAreStillAsLong) {
  for (const std::string recorded : {"/x", "x", "..", "a/..", "/prog", "a/"}) {
    const std::string name = name_of_same_length(recorded);
    EXPECT_EQ(name.size(), recorded.size()) << recorded;
    EXPECT_NE(name.front(), '/') << recorded;
  }
  const std::string root_file = "/" + std::string(255, 'p');
  EXPECT_EQ(name_of_same_length(root_file), "." + std::string(254, '/') + "x");
}

TEST(StartFolder, HoldsALinkUntilItGoes) {
  std::string path;
  {
    ASSERT_OK(folder, StartFolder::create("/usr/bin/env", "/bin/true"));
    path = folder.path();
    EXPECT_EQ(::access((path + "/" + folder.name()).c_str(), X_OK), 0);
  }
  EXPECT_EQ(::access(path.c_str(), F_OK), -1);
}

TEST(StartFolder, AnImpossibleNameIsRefused) {
  EXPECT_ERROR(StartFolder::create("", "/bin/true"), Errc::bad_input, "name");
  EXPECT_ERROR(StartFolder::create(std::string(5000, 'x'), "/bin/true"), Errc::bad_input, "name");
}

}  // namespace
}  // namespace xbdbg
