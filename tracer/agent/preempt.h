// tracer/agent/preempt.h — a thread that runs without ever calling us is taken off the processor.
//
// NOTE [Spin loops]: xbdbg sees that no event comes, stops the process, and finds out whether the running thread is
// in a loop that only another thread can end (tracer/stall_watcher.h). If so it writes down which memory the loop
// looks at, and sends SIGSYS. That signal is ours already: its handler is always installed, runs on the thread's own
// stack, no mask holds it back, and what the program does with SIGSYS is virtual. The thread then waits like one in a
// blocked call, but for its memory to change; at every scheduling point we look. So a spinning thread costs nothing
// while it waits, the order of events does not depend on when xbdbg noticed, and when no other thread is left to
// change the memory, that is known at once.
#pragma once

#include <ucontext.h>

namespace xbdbg::agent {

bool preemption_requested();
void preempt(ucontext_t*);  // SIGSYS came, and preemption_requested()

extern bool spinners_may_exist;
void look_at_spinners();
// Threads whose memory has changed become ready.
inline void wake_spinners() {
  if (__builtin_expect(spinners_may_exist, 0)) look_at_spinners();
}
bool spinners_wait();  // some thread does

void wake_external();  // idle.cc: threads that wait for the outside look again

}  // namespace xbdbg::agent
