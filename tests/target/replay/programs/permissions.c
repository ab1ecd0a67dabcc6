// access, chmod, umask, chown to oneself.
#include "program.h"

int main(void) {
  struct stat s;
  mode_t before = umask(027);
  TEST_EQ(umask(027), 027);
  int fd = open("file", O_WRONLY | O_CREAT, 0666);
  TEST_EQ(fstat(fd, &s), 0);
  TEST_EQ(s.st_mode & 07777, 0640);
  TEST_EQ(access("file", F_OK), 0);
  TEST_EQ(access("file", R_OK | W_OK), 0);
  TEST_ERRNO(access("file", X_OK), EACCES);
  TEST_ERRNO(access("missing", F_OK), ENOENT);
  TEST_EQ(chmod("file", 0700), 0);
  TEST_EQ(access("file", X_OK), 0);
  TEST_EQ(fchmod(fd, 0600), 0);
  TEST_EQ(fchmodat(AT_FDCWD, "file", 0444, 0), 0);
  TEST_EQ(faccessat(AT_FDCWD, "file", R_OK, AT_EACCESS), 0);
  TEST_EQ(chown("file", geteuid(), getegid()), 0);
  TEST_EQ(fchown(fd, (uid_t)-1, (gid_t)-1), 0);
  TEST_EQ(stat("file", &s), 0);
  TEST_EQ(s.st_mode & 0777, 0444);
  printf("umask was %03o\n", before);
  return passed();
}
