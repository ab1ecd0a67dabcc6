// tracer/tracer.h — the folder's public header, and its map.
//
// tracer/ is mechanism: it starts a target, looks at it, and ends it. It knows no schedule file, no trace, no gdb,
// and never decides what a stop means. Nothing here prints, exits or reads the environment: all that comes in as
// options.
//
//   launch()          launch.h: check the program (launch_check.h), make the shared arena (arena.h), fork the guard
//   and
//                     the target (target_process.h, guard.h, target_start.h), lead the target through exec under
//                     ptrace (ptrace.h, auxv.h), let go. From there on the agent (agent/) runs the show.
//   TargetProcess     what happens to the target: exit, signal, stop; kill_all(). Nothing survives it.
//   SharedArena       the memory shared with the agent, and checked copies of what the agent reports there.
//   StreamReader      stream.h: the agent's events and choices, as they come.
//   read_memory()     memory.h: the target's memory.
//   run_doctor()      doctor.h: does this system have what all of the above needs.
//
// Processes:   xbdbg ── fork ──► xb-guard ── fork, exec ──► target ──► whatever it starts
//                │  ▲ wait statuses │                          ▲
//                │  └───────────────┘                          │
//                └──── memfd: Config, Status, threads, stream ─┘
//
// Threads: xbdbg has one. ptrace calls come from it, and fork is safe because of it.
// Trust: everything that comes out of the target (arena, stream, memory) is hostile input.
#pragma once

#include "tracer/arena.h"
#include "tracer/doctor.h"
#include "tracer/launch.h"
#include "tracer/memory.h"
#include "tracer/stream.h"
#include "tracer/target_process.h"
