// replay/journal_text.h — a record of the journal as one line of text: what `xbdbg dump` and divergence reports show.
//
// The lines are stable: the same journal gives the same text on every machine, without symbols and without colours.
// Bytes are shown escaped and shortened. Pure.
//
//   1841  T3  mutex_lock 0x7ffff7a01040 = 0  at 0x555555555279
//         T3  read(3, 0x7ffe0010, 64)  at 0x7ffff7e9a1b2
//         T3  kernel read = 64  [0x7ffe0010: 64 bytes "GET / HTTP/1.1\r\n"...]
#pragma once

#include <string>

#include "replay/journal_reader.h"

namespace xbdbg {

struct JournalTextOptions {
  std::size_t shown_bytes = 32;  // of each piece of memory or output
};

std::string record_text(const JournalEntry& entry, const JournalTextOptions& options = {});  // from "mutex_lock" on
std::string entry_text(const JournalEntry& entry, const JournalTextOptions& options = {});   // the whole line

}  // namespace xbdbg
