// O_TMPFILE, mkstemp, mkdtemp: files whose names nobody knows beforehand.
#include "program.h"

int main(void) {
  char name[] = "temporary-XXXXXX", folder[] = "folder-XXXXXX";
  int fd = mkstemp(name);
  TEST(fd >= 0);
  TEST(mkdtemp(folder) != NULL);
  printf("%s %s\n", name, folder);
  TEST_EQ(access(name, R_OK), 0);
  int unnamed = open(".", O_TMPFILE | O_RDWR, 0600);
  if (unnamed >= 0) {
    struct stat s;
    TEST_EQ(write(unnamed, "x", 1), 1);
    TEST_EQ(fstat(unnamed, &s), 0);
    TEST_EQ(s.st_nlink, 0);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", unnamed);
    TEST_EQ(linkat(AT_FDCWD, path, AT_FDCWD, "named", AT_SYMLINK_FOLLOW), 0);
    TEST_EQ(stat("named", &s), 0);
    TEST_EQ(s.st_size, 1);
  } else {
    TEST(errno == EOPNOTSUPP || errno == EISDIR);
  }
  return passed();
}
