#include "tests/unit/symbols/exercise.h"

#include "tracer/symbols/cfi.h"
#include "tracer/symbols/image.h"

namespace xbdbg::test {
namespace {

void ask(Image& image, std::uint64_t address) {
  (void)image.lookup(address);
  (void)image.object_name(address, 0);
  (void)image.object_name(address, 40);
  (void)image.cfi().row_at(address);
  (void)image.file().bytes_at(address, 16);
}

}  // namespace

std::size_t exercise_image(std::string bytes) {
  Result<std::unique_ptr<ElfFile>> file = ElfFile::from_memory(std::move(bytes), "memory");
  if (!file) return 0;
  (void)(*file)->needed_libraries();
  (void)(*file)->soname();
  (void)(*file)->debug_link();
  const std::shared_ptr<Image> image = Image::from_file(*std::move(file), DebugFileSearch{.roots = {}});
  std::size_t asked = 0;
  for (const ElfSymbol& symbol : image->symbols().functions()) {
    if (++asked > 40) break;
    for (std::uint64_t i = 0; i < 4; ++i) ask(*image, symbol.address + i * 5);
  }
  for (const ElfSymbol& symbol : image->symbols().objects()) {
    if (++asked > 60) break;
    ask(*image, symbol.address + 8);
  }
  for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{0x1000}, std::uint64_t{0x401000}, UINT64_MAX}) {
    ask(*image, address);
  }
  asked = 0;
  for (const DwarfUnit& unit : image->dwarf().units()) {
    if (++asked > 20) break;
    (void)image->lines(unit).row_at(0x1200);
  }
  (void)image->find_object("bank::first");
  (void)image->find_function("main");
  return 1;
}

}  // namespace xbdbg::test
