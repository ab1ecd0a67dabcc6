// statfs, statvfs, and calls that write files through to the disk.
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "program.h"

int main(void) {
  struct statfs a;
  struct statvfs b;
  TEST_EQ(statfs(".", &a), 0);
  int fd = open("file", O_RDWR | O_CREAT, 0600);
  TEST_EQ(write(fd, "data", 4), 4);
  TEST_EQ(fstatfs(fd, &a), 0);
  TEST_EQ(statvfs("file", &b), 0);
  TEST_EQ(fstatvfs(fd, &b), 0);
  TEST_EQ(b.f_blocks, a.f_blocks);
  printf("free blocks %lu\n", (unsigned long)a.f_bfree);
  TEST_EQ(fsync(fd), 0);
  TEST_EQ(fdatasync(fd), 0);
  TEST_EQ(sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE), 0);
  TEST_EQ(syncfs(fd), 0);
  TEST_EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL), 0);
  TEST_EQ(readahead(fd, 0, 4096), 0);
  TEST_ERRNO(fsync(99), EBADF);
  return passed();
}
