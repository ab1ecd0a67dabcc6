// No code file is longer than 500 lines. A table may be: its file says "lint: table" in one of its first ten lines.
// (Width is clang-format's business, the length of functions clang-tidy's.)
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/lint/source_tree.h"

namespace xbdbg::test {
namespace {

constexpr std::size_t kMaxLines = 500;
constexpr std::ptrdiff_t kMarkerLines = 10;

bool is_table(const SourceFile& file) {
  const auto end = file.lines.begin() + std::min(kMarkerLines, std::ssize(file.lines));
  return std::any_of(file.lines.begin(), end, [](const auto& line) { return line.find("lint: table") != line.npos; });
}

std::vector<std::string> too_long(const std::vector<SourceFile>& files) {
  std::vector<std::string> found;
  for (const SourceFile& file : files) {
    if (is_code(file) && file.lines.size() > kMaxLines && !is_table(file)) {
      found.push_back(file.path + ": " + std::to_string(file.lines.size()) + " lines");
    }
  }
  return found;
}

TEST(FileSize, NoCodeFileIsLongerThanItsLimit) { EXPECT_EQ(too_long(source_files()), std::vector<std::string>{}); }

TEST(FileSize, ALongFileIsFoundUnlessItIsATable) {
  SourceFile file{"tracer/x.cc", std::vector<std::string>(kMaxLines + 1)};
  EXPECT_EQ(too_long({file}), std::vector<std::string>{"tracer/x.cc: 501 lines"});
  file.lines[1] = "// lint: table";
  EXPECT_EQ(too_long({file}), std::vector<std::string>{});
}

}  // namespace
}  // namespace xbdbg::test
