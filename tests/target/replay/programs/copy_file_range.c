// copy_file_range between two files and within one.
#include "program.h"

int main(void) {
  char buffer[32] = "";
  write_file("in", "0123456789");
  int in = open("in", O_RDWR), out = open("out", O_RDWR | O_CREAT, 0600);
  loff_t from = 3, to = 1;
  TEST_EQ(copy_file_range(in, &from, out, &to, 4, 0), 4);
  TEST(from == 7 && to == 5);
  TEST_EQ(copy_file_range(in, NULL, out, NULL, 2, 0), 2);
  TEST_EQ(lseek(in, 0, SEEK_CUR), 2);
  TEST_EQ(pread(out, buffer, sizeof buffer, 0), 5);
  TEST(memcmp(buffer, "01456", 5) == 0);
  from = 0;
  to = 10;
  TEST_EQ(copy_file_range(in, &from, in, &to, 10, 0), 10);
  TEST_EQ(lseek(in, 0, SEEK_END), 20);
  TEST_EQ(copy_file_range(in, NULL, out, NULL, 10, 0), 0);
  return passed();
}
