// stat, lstat, fstat, fstatat, statx agree with each other, and times can be set.
#include <sys/sysmacros.h>

#include "program.h"

int main(void) {
  struct stat a, b;
  struct statx x;
  write_file("file", "twelve bytes");
  TEST_EQ(symlink("file", "link"), 0);
  TEST_EQ(stat("link", &a), 0);
  TEST_EQ(a.st_size, 12);
  TEST(S_ISREG(a.st_mode));
  TEST_EQ(a.st_uid, geteuid());
  TEST_EQ(lstat("link", &b), 0);
  TEST(S_ISLNK(b.st_mode));
  TEST_EQ(b.st_size, 4);
  int fd = open("file", O_RDONLY);
  TEST_EQ(fstat(fd, &b), 0);
  TEST_EQ(a.st_ino, b.st_ino);
  TEST_EQ(fstatat(AT_FDCWD, "file", &b, 0), 0);
  TEST_EQ(a.st_mtim.tv_nsec, b.st_mtim.tv_nsec);
  TEST_EQ(fstatat(fd, "", &b, AT_EMPTY_PATH), 0);
  TEST_EQ(statx(AT_FDCWD, "file", 0, STATX_BASIC_STATS | STATX_BTIME, &x), 0);
  TEST_EQ(x.stx_ino, a.st_ino);
  TEST_EQ(x.stx_size, 12);
  TEST_EQ(makedev(x.stx_dev_major, x.stx_dev_minor), a.st_dev);
  struct timespec times[2] = {{1000000000, 5}, {1100000000, 7}};
  TEST_EQ(utimensat(AT_FDCWD, "file", times, 0), 0);
  TEST_EQ(stat("file", &b), 0);
  TEST(b.st_atim.tv_sec == 1000000000 && b.st_mtim.tv_nsec == 7);
  TEST_ERRNO(stat("missing", &b), ENOENT);
  TEST_ERRNO(stat("file/x", &b), ENOTDIR);
  printf("inode %lu changed %ld.%09ld\n", (unsigned long)b.st_ino, (long)b.st_ctim.tv_sec, b.st_ctim.tv_nsec);
  return passed();
}
