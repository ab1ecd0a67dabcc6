/* plugin_host PLUGIN - loads a library and calls it, from main and from a thread that has a name; then waits for a
   signal that is there already. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int (*plugin_use)(void);

static void* use(void* unused) {
  pthread_setname_np(pthread_self(), "plugin user");
  plugin_use();
  return unused;
}

static void wait_for_signal(void) {
  sigset_t set;
  int got = 0;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  raise(SIGTERM);
  sigwait(&set, &got);
  if (got != SIGTERM) abort();
}

static void end_program(int status) { exit(status); }

int main(int argc, char** argv) {
  void* plugin = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);
  if (plugin == NULL) return 2;
  void* symbol = dlsym(plugin, "plugin_use");
  memcpy(&plugin_use, &symbol, sizeof symbol);
  plugin_use(); /* the host's line */
  pthread_t thread;
  pthread_create(&thread, NULL, use, NULL);
  pthread_join(thread, NULL);
  wait_for_signal();
  end_program(0);
}
