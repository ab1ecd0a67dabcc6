// posix_spawn: output through a pipe, attributes, environment, and a program that does not exist.
#include <spawn.h>

#include "program.h"

int main(void) {
  int fds[2];
  char buffer[64] = "";
  pid_t pid;
  char *argv[] = {"sh", "-c", "echo $WORD; exit 5", NULL}, *env[] = {"WORD=spawned", NULL};
  posix_spawn_file_actions_t actions;
  TEST_EQ(pipe2(fds, O_CLOEXEC), 0);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
  TEST_EQ(posix_spawn(&pid, "/bin/sh", &actions, NULL, argv, env), 0);
  close(fds[1]);
  read_all(fds[0], buffer, 8);
  TEST(strcmp(buffer, "spawned\n") == 0);
  TEST_EQ(read(fds[0], buffer, 1), 0);
  TEST_EQ(WEXITSTATUS(wait_for(pid)), 5);
  TEST_EQ(posix_spawn(&pid, "/no/such/program", NULL, NULL, argv, env), ENOENT);
  posix_spawnattr_t attr;
  posix_spawnattr_init(&attr);
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
  char* quick[] = {"true", NULL};
  TEST_EQ(posix_spawn(&pid, "/bin/true", NULL, &attr, quick, env), 0);
  TEST_EQ(wait_for(pid), 0);
  printf("spawned %d\n", pid);
  return passed();
}
