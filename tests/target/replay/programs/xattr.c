// Extended attributes, where the file system has them.
#include <sys/xattr.h>

#include "program.h"

int main(void) {
  char value[64], list[256];
  write_file("file", "x");
  if (setxattr("file", "user.colour", "blue", 4, 0) != 0) {
    TEST_EQ(errno, ENOTSUP);
    puts("none here");
    return passed();
  }
  TEST_EQ(getxattr("file", "user.colour", value, sizeof value), 4);
  TEST(memcmp(value, "blue", 4) == 0);
  TEST_EQ(getxattr("file", "user.colour", NULL, 0), 4);
  TEST_ERRNO(getxattr("file", "user.colour", value, 2), ERANGE);
  int fd = open("file", O_RDWR);
  TEST_EQ(fsetxattr(fd, "user.size", "big", 3, XATTR_CREATE), 0);
  TEST_ERRNO(fsetxattr(fd, "user.size", "big", 3, XATTR_CREATE), EEXIST);
  TEST(listxattr("file", list, sizeof list) >= 22);
  TEST(flistxattr(fd, list, sizeof list) >= 22);
  TEST_EQ(fgetxattr(fd, "user.size", value, sizeof value), 3);
  TEST_EQ(removexattr("file", "user.size"), 0);
  TEST_ERRNO(lgetxattr("file", "user.size", value, sizeof value), ENODATA);
  return passed();
}
