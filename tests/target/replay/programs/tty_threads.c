// A thread reads lines from a terminal while another types them.
#include <pty.h>
#include <termios.h>

#include "program.h"

static int master, slave;

static void* typist(void* unused) {
  char line[32];
  for (int i = 0; i < 20; i++) {
    int n = snprintf(line, sizeof line, "command %d\n", i);
    TEST_EQ(write(master, line, (size_t)n), n);
    if (i % 5 == 0) sleep_ms(2);
  }
  TEST_EQ(write(master, "\004", 1), 1);  // Ctrl-D
  return unused;
}

int main(void) {
  char line[64], expected[32];
  TEST_EQ(openpty(&master, &slave, NULL, NULL, NULL), 0);
  pthread_t other = start(typist, NULL);
  for (int i = 0; i < 20; i++) {
    ssize_t n = read(slave, line, sizeof line - 1);
    TEST(n > 0);
    line[n] = 0;
    snprintf(expected, sizeof expected, "command %d\n", i);
    TEST(strcmp(line, expected) == 0);
  }
  TEST_EQ(read(slave, line, sizeof line), 0);
  join(other);
  return passed();
}
