// libs: xb_replay
// The records of a journal: reading, printing, and the report about a divergence at any place.
#include <cstddef>
#include <cstdint>
#include <span>

#include "replay/divergence.h"
#include "replay/journal_reader.h"
#include "replay/journal_text.h"
#include "tracer/base/assert.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto journal = std::as_bytes(std::span(data, size));
  xbdbg::JournalCursor cursor(journal);
  auto there = cursor.next();
  std::size_t offset = 0;
  for (; there && *there; there = cursor.next()) {
    XB_ASSERT(cursor.entry().offset == offset && cursor.offset() > offset);
    offset = cursor.offset();
    XB_ASSERT(!xbdbg::entry_text(cursor.entry()).empty());
  }
  XB_ASSERT(there ? offset == size : offset < size);
  XB_ASSERT(xbdbg::whole_records(journal) >= offset);
  const auto actual = journal.last(size < 256 ? size : 256);
  const auto report = xbdbg::describe_divergence({.journal = journal, .offset = size / 2, .actual = actual});
  XB_ASSERT(!report.text().empty());
  return 0;
}
