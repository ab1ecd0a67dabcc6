// tracer/symbols/debug_file.h — finding the separate file that holds a program's debug information.
//
// By build id below each root (ROOT/.build-id/ab/cdef.debug), then by .gnu_debuglink beside the file, in .debug/ and
// below each root, as gdb does. A file found by build id must carry the same id; one found by link must have the CRC
// the link names. Nothing found is not an error.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/symbols/elf_file.h"

namespace xbdbg {

struct DebugFileSearch {
  std::vector<std::string> roots{"/usr/lib/debug"};
};

std::unique_ptr<ElfFile> find_debug_file(ElfFile& file, const DebugFileSearch& search);

// CRC-32 of .gnu_debuglink (polynomial 0xEDB88320); pass the previous result to go on.
std::uint32_t debug_link_crc32(std::string_view bytes, std::uint32_t previous = 0);

}  // namespace xbdbg
