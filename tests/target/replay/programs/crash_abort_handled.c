// ends: 134 (SIGABRT): abort kills even when its handler returns, and runs the handler first.
#include "program.h"

static void on_abort(int signo) { dprintf(1, "handler of %d\n", signo); }

int main(void) {
  handle(SIGABRT, on_abort, 0);
  abort();
}
