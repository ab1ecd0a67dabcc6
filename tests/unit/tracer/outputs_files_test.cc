// What calls about files write, checked against the running kernel.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/stat.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>

#include "tests/support/temp_dir.h"
#include "tests/unit/tracer/call_memory.h"
#include "tracer/base/unique_fd.h"

namespace xbdbg::test {
namespace {

class FileOutputs : public testing::Test {
 protected:
  FileOutputs() {
    EXPECT_TRUE(file_ && folder_);
    EXPECT_EQ(::symlink("some/where", (dir_ / "link").c_str()), 0);
    EXPECT_EQ(::pipe(pipe_), 0);
  }
  ~FileOutputs() override {
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }

  TempDir dir_;
  std::string path_ = dir_.file("file", std::string(10'000, 'x'));
  UniqueFd file_{::open(path_.c_str(), O_RDWR | O_CLOEXEC)};
  UniqueFd folder_{::open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  int pipe_[2];
  CallMemory m_;
};

iovec piece(CallMemory& m, std::size_t size) { return {m.poisoned<char>(size), size}; }

TEST_F(FileOutputs, Reading) {
  EXPECT_EQ(m_.call(SYS_read, file_.get(), m_.poisoned<char>(100), 100), 100);
  EXPECT_EQ(m_.area_bytes(), 100u);
  EXPECT_EQ(m_.call(SYS_pread64, file_.get(), m_.poisoned<char>(100), 100, 9'950), 50);
  EXPECT_EQ(m_.area_bytes(), 50u);
  auto* pieces = m_.poisoned<iovec>(3);
  for (int i = 0; i < 3; ++i) pieces[i] = piece(m_, 40);
  EXPECT_EQ(m_.call(SYS_readv, file_.get(), pieces, 3), 120);
  EXPECT_EQ(m_.areas().size(), 3u);
  EXPECT_EQ(m_.call(SYS_preadv, file_.get(), pieces, 3, 9'950, 0), 50);
  EXPECT_EQ(m_.areas().size(), 2u) << "the third buffer was not needed";
  EXPECT_EQ(m_.call(SYS_preadv2, file_.get(), pieces, 3, 0, 0, 0), 120);
}

TEST_F(FileOutputs, Status) {
  char* path = m_.text(path_);
  EXPECT_EQ(m_.call(SYS_stat, path, m_.poisoned<struct stat>()), 0);
  EXPECT_EQ(m_.call(SYS_fstat, file_.get(), m_.poisoned<struct stat>()), 0);
  EXPECT_EQ(m_.call(SYS_lstat, path, m_.poisoned<struct stat>()), 0);
  EXPECT_EQ(m_.call(SYS_newfstatat, AT_FDCWD, path, m_.poisoned<struct stat>(), 0), 0);
  EXPECT_EQ(m_.call(SYS_statx, AT_FDCWD, path, 0, 0xfff, m_.poisoned<struct statx>()), 0);
  EXPECT_EQ(m_.call(SYS_statfs, path, m_.poisoned<struct statfs>()), 0);
  EXPECT_EQ(m_.call(SYS_fstatfs, file_.get(), m_.poisoned<struct statfs>()), 0);
  EXPECT_EQ(m_.call(SYS_stat, m_.text("/does/not/exist"), m_.poisoned<struct stat>()), -ENOENT);
}

TEST_F(FileOutputs, FoldersAndLinks) {
  EXPECT_GT(m_.call(SYS_getdents64, folder_.get(), m_.poisoned<char>(1000), 1000), 0);
  EXPECT_EQ(::lseek(folder_.get(), 0, SEEK_SET), 0);
  EXPECT_GT(m_.call(SYS_getdents, folder_.get(), m_.poisoned<char>(1000), 1000), 0);
  EXPECT_EQ(m_.call(SYS_readlink, m_.text(dir_ / "link"), m_.poisoned<char>(4), 4), 4);
  EXPECT_EQ(m_.call(SYS_readlinkat, folder_.get(), m_.text("link"), m_.poisoned<char>(100), 100), 10);
  EXPECT_GT(m_.call(SYS_getcwd, m_.poisoned<char>(4096), 4096), 1);
  EXPECT_EQ(m_.call(SYS_getcwd, m_.poisoned<char>(1), 1), -ERANGE);
}

TEST_F(FileOutputs, MovingBetweenFiles) {
  EXPECT_EQ(m_.call(SYS_sendfile, pipe_[1], file_.get(), m_.holding(off_t{10}), 100), 100);
  EXPECT_EQ(m_.call(SYS_splice, file_.get(), m_.holding(off_t{10}), pipe_[1], nullptr, 100, 0), 100);
  UniqueFd other{::open((dir_ / "other").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  EXPECT_EQ(m_.call(SYS_splice, pipe_[0], nullptr, other.get(), m_.holding(off_t{0}), 50, 0), 50);
  EXPECT_EQ(m_.call(SYS_copy_file_range, file_.get(), m_.holding(off_t{0}), other.get(), m_.holding(off_t{0}), 64, 0),
            64);
  EXPECT_EQ(m_.call(SYS_sendfile, -1, file_.get(), m_.holding(off_t{10}), 100), -EBADF);
}

TEST_F(FileOutputs, SplicingMemoryWritesItOnlyOutOfAPipe) {
  auto* full = m_.holding(iovec{m_.text("some text"), 9});
  EXPECT_EQ(m_.call(SYS_vmsplice, pipe_[1], full, 1, 0), 9);
  EXPECT_EQ(m_.area_bytes(), 0u);
  EXPECT_EQ(m_.call(SYS_vmsplice, pipe_[0], m_.holding(piece(m_, 20)), 1, 0), 9);
  EXPECT_EQ(m_.area_bytes(), 9u);
}

TEST_F(FileOutputs, ExtendedAttributes) {
  char* path = m_.text(path_);
  char* name = m_.text("user.test");
  if (::setxattr(path, name, "value", 5, 0) != 0) GTEST_SKIP() << "no extended attributes in " << dir_.path();
  EXPECT_EQ(m_.call(SYS_getxattr, path, name, m_.poisoned<char>(20), 20), 5);
  EXPECT_EQ(m_.call(SYS_getxattr, path, name, m_.poisoned<char>(20), 0), 5) << "asks for the size";
  EXPECT_EQ(m_.call(SYS_lgetxattr, path, name, m_.poisoned<char>(20), 20), 5);
  EXPECT_EQ(m_.call(SYS_fgetxattr, file_.get(), name, m_.poisoned<char>(3), 3), -ERANGE);
  EXPECT_GE(m_.call(SYS_listxattr, path, m_.poisoned<char>(100), 100), 10);
  EXPECT_GE(m_.call(SYS_llistxattr, path, m_.poisoned<char>(100), 100), 10);
  EXPECT_GE(m_.call(SYS_flistxattr, file_.get(), m_.poisoned<char>(100), 100), 10);
}

TEST_F(FileOutputs, HandlesOfFiles) {
  constexpr std::uint32_t kHandleBytes = 128;
  struct Handle {
    std::uint32_t bytes;
    int type;
    char data[kHandleBytes];
  };
  auto* handle = m_.poisoned<Handle>();
  handle->bytes = kHandleBytes;
  const long r = m_.call(SYS_name_to_handle_at, AT_FDCWD, m_.text(path_), handle, m_.poisoned<int>(), 0);
  if (r == -EOPNOTSUPP || r == -EPERM) GTEST_SKIP() << "no handles in " << dir_.path();
  EXPECT_EQ(r, 0);
  auto* small = m_.poisoned<Handle>();
  small->bytes = 0;
  EXPECT_EQ(m_.call(SYS_name_to_handle_at, AT_FDCWD, m_.text(path_), small, m_.poisoned<int>(), 0), -EOVERFLOW);
  EXPECT_GT(small->bytes, 0u) << "the kernel says how much it needs";
}

TEST_F(FileOutputs, WatchedFolders) {
  UniqueFd watch{::inotify_init1(IN_CLOEXEC)};
  ASSERT_GE(::inotify_add_watch(watch.get(), dir_.path().c_str(), IN_CREATE), 0);
  dir_.file("new", "");
  EXPECT_GT(m_.call(SYS_read, watch.get(), m_.poisoned<char>(1000), 1000), 0);
}

// Calls that a kernel may be too old for: if it knows them, they must write where the table says.
TEST_F(FileOutputs, NewCalls) {
  constexpr long kCachestat = 451, kGetxattrat = 464, kListxattrat = 465, kFileGetattr = 468;
  struct Attribute {
    void* value;
    std::uint32_t size, flags;
  };
  char* path = m_.text(path_);
  auto ok = [](long r) { return r >= 0 || r == -ENOSYS || r == -EOPNOTSUPP || r == -ENODATA; };
  auto* range = m_.poisoned<std::uint64_t>(2);
  range[0] = range[1] = 0;
  EXPECT_TRUE(ok(m_.call(kCachestat, file_.get(), range, m_.poisoned<std::uint64_t>(5), 0)));
  ::setxattr(path, "user.test", "value", 5, 0);
  auto* value = m_.holding(Attribute{m_.poisoned<char>(20), 20, 0});
  EXPECT_TRUE(ok(m_.call(kGetxattrat, AT_FDCWD, path, 0, m_.text("user.test"), value, sizeof *value)));
  EXPECT_TRUE(ok(m_.call(kListxattrat, AT_FDCWD, path, 0, m_.poisoned<char>(100), 100)));
  const long r = m_.call(kFileGetattr, AT_FDCWD, path, m_.poisoned<char>(24), 24, 0);
  EXPECT_TRUE(ok(r) || r == -ENOTTY) << r;
}

}  // namespace
}  // namespace xbdbg::test
