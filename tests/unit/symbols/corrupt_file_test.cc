// Truncated and mutated files: every question is asked of them, and no answer may crash, hang or run away. Under the
// asan preset this also finds reads outside the file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "tests/support/expect_ok.h"
#include "tests/unit/symbols/exercise.h"
#include "tests/unit/symbols/oracle.h"
#include "tracer/base/rng.h"
#include "tracer/base/unique_fd.h"
#include "tracer/symbols/elf_file.h"

namespace xbdbg::test {
namespace {

class CorruptFile : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_OK(bytes, read_whole_file(program_path(GetParam()), 1 << 26));
    bytes_ = bytes;
  }
  std::string bytes_;
};

TEST_P(CorruptFile, SurvivesTruncation) {
  Rng rng(1);
  for (int i = 0; i < 100; ++i) exercise_image(bytes_.substr(0, rng.below(bytes_.size() + 1)));
  EXPECT_EQ(exercise_image(bytes_), 1u);
  EXPECT_EQ(exercise_image(bytes_.substr(0, 60)), 0u);
}

// Where the structure is: headers, tables and debug information rather than code.
std::uint64_t interesting_offset(const std::string& bytes, Rng& rng) {
  switch (rng.below(4)) {
    case 0:
      return rng.below(std::min<std::uint64_t>(bytes.size(), 1024));  // ELF and program headers
    case 1:
      return bytes.size() - 1 - rng.below(std::min<std::uint64_t>(bytes.size(), 3000));  // section headers and names
    default:
      return rng.below(bytes.size());
  }
}

TEST_P(CorruptFile, SurvivesFlippedAndReplacedBytes) {
  std::size_t usable = 0;
  constexpr int kMutations = 400;
  for (int seed = 0; seed < kMutations; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(static_cast<std::uint64_t>(seed));
    std::string mutated = bytes_;
    for (std::uint64_t n = 1 + rng.below(8); n > 0; --n) {
      char& byte = mutated[interesting_offset(bytes_, rng)];
      const std::uint64_t kind = rng.below(3);
      byte = kind == 0   ? static_cast<char>(byte ^ (1 << rng.below(8)))
             : kind == 1 ? static_cast<char>(rng.below(2) == 0 ? 0xff : 0)
                         : static_cast<char>(rng.below(256));
    }
    usable += exercise_image(std::move(mutated));
  }
  EXPECT_GT(usable, static_cast<std::size_t>(kMutations) / 4);  // most must get past the headers
}

TEST_P(CorruptFile, SurvivesRuinedDebugSections) {
  for (const char* section :
       {".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_rnglists", ".debug_ranges",
        ".debug_line_str", ".eh_frame", ".eh_frame_hdr", ".symtab", ".dynsym"}) {
    SCOPED_TRACE(section);
    ASSERT_OK(file, ElfFile::from_memory(bytes_, "original"));
    const std::string_view content = file->section_data(section);
    const std::size_t at = content.size() < 16 ? std::string::npos : bytes_.find(content);  // absent or compressed
    if (at == std::string::npos) continue;
    Rng rng(7);
    for (int i = 0; i < 60; ++i) {
      std::string mutated = bytes_;
      for (std::uint64_t n = 1 + rng.below(20); n > 0; --n) {
        mutated[at + rng.below(content.size())] = static_cast<char>(rng.below(256));
      }
      exercise_image(std::move(mutated));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, CorruptFile,
                         testing::Values("objects_dwarf4", "objects_dwarf5", "objects_cc", "shapes_o2_gz",
                                         "libshapes_lib.so"),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace xbdbg::test
