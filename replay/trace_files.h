// replay/trace_files.h — the files around a trace: what identifies one, and how it is copied in.
#pragma once

#include <cstdint>
#include <string>

#include "replay/trace.h"
#include "tracer/base/result.h"
#include "tracer/base/unique_fd.h"

namespace xbdbg {

// Opens a regular file for reading; anything else (a FIFO, which could make us wait forever, a device) is refused.
Result<UniqueFd> open_regular(const std::string& path);

// Path (made absolute), size, time and build-id of a file.
Result<FileReference> reference_to(const std::string& path);

// How `now` differs from what was referenced: "its build-id was 8f3c, and is 77aa now"; "" if it does not. Without a
// build-id a file is the same if size and time are; with one the time does not matter.
std::string difference(const FileReference& then, const FileReference& now);

// The bytes of `from` (from its beginning; its offset is not moved) into a new file: a reflink where possible.
Result<> copy_content(int from, const std::string& to);

Result<std::uint64_t> file_checksum(const std::string& path);  // xxh64 of the content

// The bytes of all files below a folder, as the disk counts them (or 0, as far as it cannot be read).
std::uint64_t disk_usage(const std::string& dir);

}  // namespace xbdbg
