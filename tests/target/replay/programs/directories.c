// mkdir, rmdir, chdir, fchdir, getcwd, names relative to a descriptor, rename in its forms.
#include "program.h"

int main(void) {
  char first[4096], second[4096];
  struct stat s;
  TEST(getcwd(first, sizeof first) != NULL);
  TEST_EQ(mkdir("a", 0755), 0);
  TEST_ERRNO(mkdir("a", 0755), EEXIST);
  TEST_EQ(mkdir("a/b", 0755), 0);
  int dir = open("a", O_RDONLY | O_DIRECTORY), home = open(".", O_PATH);
  TEST_EQ(mkdirat(dir, "c", 0700), 0);
  TEST_EQ(chdir("a/b"), 0);
  TEST(getcwd(second, sizeof second) != NULL);
  TEST(strncmp(first, second, strlen(first)) == 0 && strcmp(second + strlen(first), "/a/b") == 0);
  write_file("../c/file", "text");
  TEST_EQ(fchdir(home), 0);
  TEST(getcwd(NULL, 0) != NULL);
  TEST(getcwd(second, 2) == NULL && errno == ERANGE);
  TEST_ERRNO(rmdir("a"), ENOTEMPTY);
  int fd = openat(dir, "c/file", O_RDONLY);
  TEST(fd >= 0);
  TEST_EQ(rename("a/c/file", "moved"), 0);
  TEST_EQ(renameat(AT_FDCWD, "moved", dir, "b/again"), 0);
  write_file("other", "other text");
  TEST_ERRNO(renameat2(AT_FDCWD, "other", dir, "b/again", RENAME_NOREPLACE), EEXIST);
  TEST_EQ(renameat2(AT_FDCWD, "other", dir, "b/again", RENAME_EXCHANGE), 0);
  TEST_EQ(stat("other", &s), 0);
  TEST_EQ(s.st_size, 4);
  TEST_EQ(rename("other", "a/b/again"), 0);
  TEST_ERRNO(stat("other", &s), ENOENT);
  TEST_ERRNO(chdir("a/b/again"), ENOTDIR);
  TEST_EQ(unlinkat(dir, "b/again", 0), 0);
  TEST_EQ(rmdir("a/b"), 0);
  TEST_EQ(unlinkat(dir, "c", AT_REMOVEDIR), 0);
  TEST_EQ(rmdir("a"), 0);
  printf("in %s\n", first);
  return passed();
}
