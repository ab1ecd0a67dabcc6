// The program executes itself, with other arguments and environment; descriptors and pid stay.
#include "program.h"

int main(int argc, char** argv) {
  if (argc == 1) {
    int fd = open("file", O_RDWR | O_CREAT, 0600), gone = open("file", O_RDWR | O_CLOEXEC);
    char number[16], other[16], pid[16];
    TEST_EQ(write(fd, "kept", 4), 4);
    TEST(gone > fd);
    snprintf(number, sizeof number, "%d", fd);
    snprintf(other, sizeof other, "%d", gone);
    snprintf(pid, sizeof pid, "%d", getpid());
    printf("first image, process %s\n", pid);
    signal(SIGUSR1, SIG_IGN);
    char *args[] = {argv[0], number, other, pid, NULL}, *env[] = {"ONLY=this", NULL};
    TEST_ERRNO(execve("/no/such/file", args, env), ENOENT);
    execve("/proc/self/exe", args, env);
    TEST(!"execve returned");
  }
  char buffer[8] = "";
  TEST_EQ(argc, 4);
  TEST(strcmp(getenv("ONLY"), "this") == 0 && getenv("PATH") == NULL);
  TEST_EQ(atoi(argv[3]), getpid());
  TEST_EQ(pread(atoi(argv[1]), buffer, 4, 0), 4);
  TEST(strcmp(buffer, "kept") == 0);
  TEST_ERRNO(read(atoi(argv[2]), buffer, 4), EBADF);
  TEST(signal(SIGUSR1, SIG_DFL) == SIG_IGN);
  printf("second image, process %d\n", getpid());
  return passed();
}
