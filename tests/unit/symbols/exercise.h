// tests/unit/symbols/exercise.h — asks an ELF image everything it can be asked; for hostile files.
#pragma once

#include <cstdint>
#include <string>

namespace xbdbg::test {

// Whether the bytes could be opened at all (1 or 0).
std::size_t exercise_image(std::string bytes);

}  // namespace xbdbg::test
