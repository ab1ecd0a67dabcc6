// explorer/explorer.h — the search over the schedules of a program: what is in this folder, how it works, what a pass
// means.
//
// The question. A multithreaded program run on one input can behave in many ways, depending on when its threads are
// switched. A test run shows one of them. The explorer runs the program under schedule after schedule until it has
// shown all of them, or says exactly which it has not.
//
// The idea (ExitBlock, D. Bruening 1999). If every shared variable is touched only under its lock, other threads
// cannot see what a thread does until it releases a lock. So it is enough to switch threads where a lock is released.
// The stretch from one release to the next is an *atomic block*, and a schedule is an order of blocks. Blocks also
// end where a thread creates another, ends, posts a semaphore, arrives at a barrier, signals without a lock, or
// performs an atomic operation: wherever others may learn something.
//
// The tree. From a position, run the first thread that can run for one block; then, beside it, the branch in which
// every other thread goes first. The thread that had its turn is *delayed* in that branch and comes back after the
// branch's first block. Repeating this visits every order of blocks once. A thread that finds a lock taken in the
// middle of its block is undone to the block's start and known as *blocked* until the lock is released. The program
// is never stepped backwards: every execution starts at the same snapshot and follows a list of choices, so a branch
// is that list, plus who is delayed and blocked where it ends. That is why a failing schedule is a small file and why
// workers can share the tree.
//
//   -RW    also remembers what each block read and wrote. A delayed thread comes back only when a block conflicts
//          with what it would do; orders that differ in nothing are run once.
//   -DD    also predicts lock-cycle deadlocks, which orders of blocks hardly ever run into: when a thread cannot get
//          a lock, would its owner, stopped before the lock it took last, and that lock's owner likewise, and so on,
//          lead back to the thread? The prediction is then driven into: what is saved is a process that hangs. One
//          that cannot be driven into may be wrong (values can decide which locks are taken) and is no failure.
//   auto   walks the -DD tree best first, by rising number of preemptions, after a few *sweeps* that interrupt every
//          thread at the same gap; PCT takes over when the tree is out of reach of the budget.
//   random, pct   sample.
//
// Where this departs from the thesis, and why (each case is in the tests):
//   - A blocked thread is tried again, uncounted, when others have used what its undone block had used. Left alone
//     until the lock is released, it hides some cycles of three locks, and paths it would by then take without it.
//   - A thread that blocks before it has taken anything stays where it is; nothing is undone, it counts as aborted.
//   - Joins, semaphores and time limits have no owner to predict from: blocks end before them where that matters.
//   - Locks released out of order, and try operations, make blocks finer; the tree is begun anew at the first one.
//   - The end of a process (exit, a crash) ends a block that conflicts with everything.
//   - Threads that poll are held back for those they starve (CHESS' fairness, with a few polls for free).
//
// What a pass means. `Result::complete` with `bounds == 0` and without failures: no schedule of this program on this
// input fails an assertion or deadlocks, provided that it keeps the locking discipline (which is for a race detector
// to check in the same runs), that all that threads do to each other was reported to the search, and that it
// terminates. Every bit in `bounds` takes something from that statement, and is named in the summary. Sampling proves
// nothing but presence.
//
// What must not be known here. The core (explorer/core/) has no process, no file, no clock, no allocator and no C++
// library behind it: it is linked into the agent and runs inside the target, on memory that is not undone between
// schedules. It sees threads as numbers, objects as addresses, and never the program. What a failure is, the runner
// decides; what users read, ui-tui does.
#pragma once

#include "explorer/core/options.h"
#include "explorer/core/search.h"
