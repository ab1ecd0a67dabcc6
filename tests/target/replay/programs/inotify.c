// inotify: what happens in a folder, read without blocking and by a thread that waits.
#include <sys/inotify.h>

#include "program.h"

static int watcher;

static void* wait_for_event(void* unused) {
  char buffer[4096] __attribute__((aligned(8)));
  ssize_t n = read(watcher, buffer, sizeof buffer);
  TEST(n >= (ssize_t)sizeof(struct inotify_event));
  struct inotify_event* e = (struct inotify_event*)buffer;
  TEST_EQ(e->mask, IN_CREATE);
  TEST(strcmp(e->name, "late") == 0);
  return unused;
}

int main(void) {
  char buffer[4096] __attribute__((aligned(8)));
  uint32_t seen = 0;
  watcher = inotify_init1(IN_CLOEXEC);
  TEST(watcher >= 0);
  TEST_EQ(mkdir("watched", 0700), 0);
  int watch = inotify_add_watch(watcher, "watched", IN_CREATE | IN_DELETE | IN_CLOSE_WRITE | IN_MOVE);
  TEST(watch >= 0);
  write_file("watched/file", "x");
  TEST_EQ(rename("watched/file", "watched/name"), 0);
  TEST_EQ(unlink("watched/name"), 0);
  ssize_t n = read(watcher, buffer, sizeof buffer);
  for (char* p = buffer; p < buffer + n; p += sizeof(struct inotify_event) + ((struct inotify_event*)p)->len) {
    struct inotify_event* e = (struct inotify_event*)p;
    TEST_EQ(e->wd, watch);
    seen |= e->mask;
    printf("%08x %s\n", e->mask, e->name);
  }
  TEST_EQ(seen, IN_CREATE | IN_DELETE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO);
  TEST_EQ(inotify_rm_watch(watcher, watch), 0);
  TEST(read(watcher, buffer, sizeof buffer) > 0);
  TEST_EQ(((struct inotify_event*)buffer)->mask, IN_IGNORED);
  inotify_add_watch(watcher, "watched", IN_CREATE);
  pthread_t other = start(wait_for_event, NULL);
  sleep_ms(5);
  TEST_EQ(mkfifo("watched/late", 0600), 0);
  join(other);
  return passed();
}
