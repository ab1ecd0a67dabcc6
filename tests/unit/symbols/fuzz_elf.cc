// The input is a list of patches (3 bytes offset, 1 byte value) to a real program, so that no corpus of binaries is
// needed and every input gets past the headers. See also corrupt_file_test.cc.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/unit/symbols/exercise.h"
#include "tests/unit/symbols/oracle.h"
#include "tracer/base/unique_fd.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string kProgram = [] {
    xbdbg::Result<std::string> bytes = xbdbg::read_whole_file(xbdbg::test::program_path("objects_cc"), 1 << 24);
    if (!bytes) std::abort();
    return *std::move(bytes);
  }();
  std::string patched = kProgram;
  for (; size >= 4; data += 4, size -= 4) {
    const std::size_t offset = data[0] | std::size_t{data[1]} << 8 | std::size_t{data[2]} << 16;
    patched[offset % patched.size()] = static_cast<char>(data[3]);
  }
  xbdbg::test::exercise_image(std::move(patched));
  return 0;
}
