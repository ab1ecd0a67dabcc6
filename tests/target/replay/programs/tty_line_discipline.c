// A pseudo terminal: lines, echo, raw mode, window size, what the terminal does to what is written.
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <termios.h>

#include "program.h"

int main(void) {
  int master, slave, waiting = 0;
  char buffer[64] = "", a[2], b[8];
  struct winsize size = {24, 80, 0, 0}, got;
  struct termios mode;
  TEST_EQ(openpty(&master, &slave, NULL, NULL, &size), 0);
  TEST(isatty(slave));
  printf("terminal %s\n", ttyname(slave));
  TEST_EQ(ioctl(slave, TIOCGWINSZ, &got), 0);
  TEST(got.ws_row == 24 && got.ws_col == 80);
  size.ws_col = 132;
  TEST_EQ(ioctl(master, TIOCSWINSZ, &size), 0);
  TEST_EQ(ioctl(slave, TIOCGWINSZ, &got), 0);
  TEST_EQ(got.ws_col, 132);

  TEST_EQ(write(master, "line 1\nli", 9), 9);
  struct pollfd p = {slave, POLLIN, 0};
  TEST_EQ(poll(&p, 1, 10000), 1);
  TEST_EQ(ioctl(slave, FIONREAD, &waiting), 0);
  TEST_EQ(waiting, 7);  // a whole line
  struct iovec parts[2] = {{a, sizeof a}, {b, sizeof b}};
  TEST_EQ(readv(slave, parts, 2), 7);
  TEST_EQ(a[0], 'l');
  TEST_EQ(read(master, buffer, sizeof buffer), 10);  // the echo, with \r\n
  TEST(memcmp(buffer, "line 1\r\nli", 10) == 0);
  TEST_EQ(write(slave, "out\n", 4), 4);
  TEST_EQ(read(master, buffer, sizeof buffer), 5);

  TEST_EQ(tcgetattr(slave, &mode), 0);
  TEST(mode.c_lflag & ICANON);
  cfmakeraw(&mode);
  TEST_EQ(tcsetattr(slave, TCSAFLUSH, &mode), 0);
  TEST_EQ(write(master, "xyz", 3), 3);
  TEST_EQ(read(slave, buffer, sizeof buffer), 3);
  TEST_EQ(fcntl(master, F_SETFL, O_NONBLOCK), 0);
  TEST_ERRNO(read(master, buffer, 1), EAGAIN);  // no echo any more
  TEST_EQ(tcflush(slave, TCIOFLUSH), 0);
  close(slave);
  TEST_ERRNO(read(master, buffer, 1), EIO);
  return passed();
}
