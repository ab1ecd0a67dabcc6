// What /proc says about the process itself.
#include "program.h"

static size_t length;

static char* slurp(const char* path) {
  static char text[1 << 16];
  size_t done = 0;
  int fd = open(path, O_RDONLY);
  TEST(fd >= 0);
  for (ssize_t n; (n = read(fd, text + done, sizeof text - 1 - done)) > 0;) done += (size_t)n;
  close(fd);
  length = done;
  text[done] = 0;
  return text;
}

int main(int argc, char** argv) {
  char link[4096], expected[64];
  TEST(argc >= 1);
  TEST(strcmp(slurp("/proc/self/cmdline"), argv[0]) == 0);
  ssize_t n = readlink("/proc/self/exe", link, sizeof link - 1);
  TEST(n > 0);
  link[n] = 0;
  TEST(strstr(link, "proc_self") != NULL);
  int pid = 0;
  char name[64];
  TEST_EQ(sscanf(slurp("/proc/self/stat"), "%d (%63[^)]", &pid, name), 2);
  TEST_EQ(pid, getpid());
  TEST(strcmp(name, "proc_self") == 0);
  snprintf(expected, sizeof expected, "Pid:\t%d\n", pid);
  TEST(strstr(slurp("/proc/self/status"), expected) != NULL);
  TEST(strstr(slurp("/proc/self/maps"), "[stack]") != NULL);
  printf("maps %016llx\n", (unsigned long long)hash_of(slurp("/proc/self/maps"), strlen(slurp("/proc/self/maps"))));
  TEST(strstr(slurp("/proc/self/limits"), "Max open files") != NULL);
  TEST(strcmp(slurp("/proc/self/comm"), "proc_self\n") == 0);
  char* text = slurp("/proc/self/environ");
  TEST(memmem(text, length, "XB_PROGRAM_WORLD=", 17) != NULL);
  printf("%.40s\n", slurp("/proc/self/statm"));
  printf("%.40s\n", slurp("/proc/uptime"));
  printf("%.60s\n", slurp("/proc/loadavg"));
  n = readlink("/proc/self", link, sizeof link - 1);
  TEST(n > 0);
  link[n] = 0;
  TEST_EQ(atoi(link), getpid());
  return passed();
}
