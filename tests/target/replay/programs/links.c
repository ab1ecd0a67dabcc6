// Hard and symbolic links: link, symlink, readlink, loops, realpath, unlink.
#include "program.h"

int main(void) {
  char text[4096];
  struct stat s;
  write_file("file", "x");
  TEST_EQ(link("file", "second"), 0);
  TEST_EQ(stat("file", &s), 0);
  TEST_EQ(s.st_nlink, 2);
  TEST_ERRNO(link("file", "second"), EEXIST);
  TEST_EQ(symlink("file", "symbolic"), 0);
  TEST_EQ(readlink("symbolic", text, sizeof text), 4);
  TEST_EQ(readlink("symbolic", text, 2), 2);
  TEST_EQ(readlinkat(AT_FDCWD, "symbolic", text, sizeof text), 4);
  TEST(memcmp(text, "file", 4) == 0);
  TEST_ERRNO(readlink("file", text, sizeof text), EINVAL);
  TEST_EQ(symlink("loop-b", "loop-a"), 0);
  TEST_EQ(symlink("loop-a", "loop-b"), 0);
  TEST_ERRNO(open("loop-a", O_RDONLY), ELOOP);
  TEST_ERRNO(open("symbolic", O_RDONLY | O_NOFOLLOW), ELOOP);
  TEST(realpath("./symbolic", text) != NULL);
  TEST(text[0] == '/' && strcmp(strrchr(text, '/'), "/file") == 0);
  TEST(realpath("loop-b", text) == NULL);
  TEST_EQ(errno, ELOOP);
  TEST_EQ(unlink("file"), 0);
  TEST_EQ(unlinkat(AT_FDCWD, "second", 0), 0);
  TEST_ERRNO(unlink("file"), ENOENT);
  TEST_ERRNO(open("symbolic", O_RDONLY), ENOENT);
  return passed();
}
