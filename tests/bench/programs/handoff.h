/* What the hand-off programs share: how many, and how long one takes. */
#ifndef XBDBG_TESTS_BENCH_PROGRAMS_HANDOFF_H
#define XBDBG_TESTS_BENCH_PROGRAMS_HANDOFF_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline long handoff_rounds(int argc, char** argv) { return argc > 1 ? atol(argv[1]) : 100000; }

static inline double handoff_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* A round is two hand-offs, there and back. */
static inline void handoff_report(double nanoseconds, long rounds) {
  printf("%.1f ns per hand-off\n", nanoseconds / (2.0 * (double)rounds));
}

#endif
