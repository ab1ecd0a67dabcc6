// tests/unit/explorer/thesis_programs.h — the programs of the ExitBlock thesis (figures 4.1 to 4.16) as model
// programs.
//
// In all of them main creates the threads and ends (pthread_exit); a failed assertion is noted and the program goes
// on, as in the thesis. An object of Java is a lock and a condition of the same number.
#pragma once

#include "tests/unit/explorer/model.h"

namespace xbdbg::explore::model {

Program performance(int threads, int locks);
Program sections_on_one_lock(int threads, int sections);  // all born before the search
Program split_sync();
Program deadlock();
Program deadlock3();
Program deadlock_wait();
Program buffer_if();      // 2 producers of 2 items, 1 consumer, capacity 1; `if` instead of `while`, notifyAll
Program buffer_notify();  // `while`, but notify instead of notifyAll

}  // namespace xbdbg::explore::model
