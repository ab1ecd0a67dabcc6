// replay/replay.h — what one execution left behind, and how to have it again.
//
// Entry points
//   schedule_file.h   the choices of one execution as a small text file: print and parse
//
// Data flow: the agent writes a ChoiceRecord per choice to the stream, the reader of the stream appends it to a
// Schedule, `print_schedule` makes text of it; `parse_schedule` reads the text, and `expand_choices` fills the part
// of the arena from which the agent follows it.
//
// This folder must not know the terminal, gdb or the search for schedules (ui-tui, gdbstub, explorer): they use it.
// Codecs do no I/O; nothing here starts threads, reads the environment or the clock.
#pragma once

#include "replay/schedule_file.h"
