#include "tracer/base/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <utility>

#include "tests/support/expect_ok.h"
#include "tests/support/temp_dir.h"

namespace xbdbg {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }
bool is_cloexec(int fd) { return (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0; }

TEST(UniqueFd, ClosesWhatItOwnsOnceMovedIntoItsLastOwner) {
  ASSERT_OK(pipe, make_pipe());
  const int number = pipe.read_end.get();
  {
    UniqueFd owner = std::move(pipe.read_end);
    EXPECT_EQ(owner.get(), number);
    EXPECT_FALSE(pipe.read_end);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(UniqueFd, ReleaseLeavesItOpen) {
  ASSERT_OK(pipe, make_pipe());
  const int number = pipe.read_end.release();
  EXPECT_TRUE(is_open(number));
  ::close(number);
}

TEST(MakePipe, BothEndsAreCloexec) {
  ASSERT_OK(pipe, make_pipe());
  EXPECT_TRUE(is_cloexec(pipe.read_end.get()));
  EXPECT_TRUE(is_cloexec(pipe.write_end.get()));
}

TEST(OpenFile, AddsCloexec) {
  ASSERT_OK(fd, open_file("/dev/null", O_RDONLY));
  EXPECT_TRUE(is_cloexec(fd.get()));
}

TEST(OpenFile, NamesThePathAndTheReason) {
  EXPECT_ERROR(open_file("/nonexistent/x", O_RDONLY), Errc::not_found,
               "open /nonexistent/x: No such file or directory");
}

TEST(ReadWholeFile, ReadsUpToTheLimitAndNotOneByteMore) {
  test::TempDir dir;
  const std::string path = dir.file("a", std::string(100, 'x'));
  ASSERT_OK(content, read_whole_file(path, 100));
  EXPECT_EQ(content, std::string(100, 'x'));
  EXPECT_ERROR(read_whole_file(path, 99), Errc::bad_input, "larger than 99 bytes");
}

TEST(ReadWholeFile, ReadsFilesThatHaveNoSize) {
  ASSERT_OK(content, read_whole_file("/proc/self/stat", 1 << 16));
  EXPECT_FALSE(content.empty());
}

TEST(ReadWholeFile, RefusesAFolder) {
  EXPECT_ERROR(read_whole_file("/tmp", 10), Errc::os, "read /tmp: Is a directory");
}

TEST(WriteAll, SaysWhyItFailed) {
  ASSERT_OK(fd, open_file("/dev/full", O_WRONLY));
  EXPECT_ERROR(write_all(fd.get(), "x"), Errc::os, "No space left on device");
}

TEST(WriteFileAtomically, ReplacesTheFileAndLeavesNothingElse) {
  test::TempDir dir;
  const std::string path = dir.file("a", "old");
  EXPECT_OK(write_file_atomically(path, "new"));
  ASSERT_OK(content, read_whole_file(path, 100));
  EXPECT_EQ(content, "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(WriteFileAtomically, GivesTheFileAnOrdinaryMode) {
  test::TempDir dir;
  const mode_t before = ::umask(027);
  EXPECT_OK(write_file_atomically(dir / "a", "x"));
  ::umask(before);
  struct stat info {};
  ASSERT_EQ(::stat((dir / "a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST(WriteFileAtomically, LeavesNoTemporaryFileWhenItFails) {
  test::TempDir dir;
  std::filesystem::create_directories(dir / "target/inside");  // a folder that is not empty cannot be replaced
  EXPECT_ERROR(write_file_atomically(dir / "target", "x"), Errc::os, "rename");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

}  // namespace
}  // namespace xbdbg
