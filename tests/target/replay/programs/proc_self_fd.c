// /proc/self/fd lists descriptors and opens the same file again.
#include <dirent.h>

#include "program.h"

int main(void) {
  char path[64], target[4096];
  write_file("file", "content");
  int fd = open("file", O_RDONLY), again;
  char c;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(path, target, sizeof target - 1);
  TEST(n > 5);
  target[n] = 0;
  TEST(strcmp(target + n - 5, "/file") == 0);
  again = open(path, O_RDONLY);
  TEST(again >= 0);
  TEST_EQ(read(again, &c, 1), 1);
  TEST_EQ(c, 'c');
  int found = 0;
  DIR* dir = opendir("/proc/self/fd");
  TEST(dir != NULL);
  for (struct dirent* e; (e = readdir(dir)) != NULL;) found += e->d_name[0] != '.' && atoi(e->d_name) == fd;
  closedir(dir);
  TEST_EQ(found, 1);
  unlink("file");
  n = readlink(path, target, sizeof target - 1);
  target[n] = 0;
  TEST(strstr(target, "(deleted)") != NULL);
  return passed();
}
