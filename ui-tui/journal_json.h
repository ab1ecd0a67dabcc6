// ui-tui/journal_json.h — one record of a journal as one line of JSON (`xbdbg dump --json`).
//
//   {"record":17,"offset":412,"event":3,"thread":"T1","type":"event","op":"mutex_lock","object":140737348,
//    "result":0,"pc":93824992235129,"text":"mutex_lock 0x8..."}
//
// (on one line). `event` is the number of events before the record, an event's own number; `text` is what `dump`
// prints; the fields between `type` and `text` are those of the type. Pure, and stable as the text is.
#pragma once

#include <string>

#include "replay/journal_reader.h"

namespace xbdbg {

std::string journal_json(const JournalEntry& entry);  // without a newline

}  // namespace xbdbg
