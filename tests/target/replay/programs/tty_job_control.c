// A child with a terminal of its own: /dev/tty, its session and foreground group, and Ctrl-C as SIGINT.
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <utmp.h>

#include "program.h"

static volatile int interrupted;
static void on_interrupt(int signo) { interrupted = signo; }

static void child(int slave) {
  if (login_tty(slave) != 0) _exit(10);
  int tty = open("/dev/tty", O_RDWR);
  if (tty < 0 || tcgetpgrp(tty) != getpid() || getsid(0) != getpid() || tcgetsid(tty) != getpid()) _exit(11);
  handle(SIGINT, on_interrupt, 0);
  if (write(tty, "ready\n", 6) != 6) _exit(12);
  while (!interrupted) {
    char c;
    if (read(tty, &c, 1) < 0 && errno != EINTR) _exit(13);
  }
  _exit(interrupted == SIGINT ? 0 : 14);
}

int main(void) {
  int master, slave;
  char buffer[64];
  TEST_EQ(openpty(&master, &slave, NULL, NULL, NULL), 0);
  pid_t pid = fork();
  TEST(pid >= 0);
  if (pid == 0) child(slave);
  close(slave);
  read_all(master, buffer, 7);
  TEST(memcmp(buffer, "ready\r\n", 7) == 0);
  TEST_EQ(write(master, "\003", 1), 1);
  TEST_EQ(wait_for(pid), 0);
  return passed();
}
