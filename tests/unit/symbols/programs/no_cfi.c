// Built without .eh_frame: once with frame pointers and nothing else, once with .debug_frame only.
#ifndef NAME
#error "-DNAME=function"
#endif

static volatile int sink;

__attribute__((noinline)) static int inner(int value, int (*next)(int)) {
  int result = next(value) + 1;
  sink = result;
  return result;
}

int NAME(int value, int (*next)(int)) {
  int result = inner(value + 1, next) * 2;
  sink = result;
  return result;
}
