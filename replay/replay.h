// replay/replay.h — what one execution left behind, and how to have it again.
//
// Entry points
//   schedule_file.h   the choices of one execution as a small text file: print and parse
//   trace.h           what a trace (a recorded execution, a directory) says, as values; docs/TRACE_FORMAT.md
//   trace_writer.h    writes one while its program runs; recorder.h: the thread that feeds it
//   trace_reader.h    reads one, as hostile input; journal_reader.h: the records of its journal, journal_text.h: as
//   text trace_store.h     where traces live, and what they are called start_check.h     before a replay: is
//   everything there, and what it was? pack.h: makes a trace stand alone divergence.h      the report when a replay
//   does something else
//
// Data flow
//   schedules  The agent writes a ChoiceRecord per choice to the stream, the reader of the stream appends it to a
//              Schedule, `print_schedule` makes text of it; `parse_schedule` reads the text, and `expand_choices`
//              fills the part of the arena from which the agent follows it.
//   traces     The agent writes its journal to the stream, Recorder hands the bytes to TraceWriter, which compresses
//              them (chunk.h) into the trace. Trace::read_journal gives them back, checked, for the arena of a
//              replay.
//
// This folder must not know the terminal, gdb or the search for schedules (ui-tui, gdbstub, explorer): they use it.
// Codecs do no I/O; nothing here reads the environment, and only Recorder starts a thread.
#pragma once

#include "replay/divergence.h"
#include "replay/journal_reader.h"
#include "replay/journal_text.h"
#include "replay/pack.h"
#include "replay/recorder.h"
#include "replay/schedule_file.h"
#include "replay/start_check.h"
#include "replay/trace.h"
#include "replay/trace_reader.h"
#include "replay/trace_store.h"
#include "replay/trace_writer.h"
