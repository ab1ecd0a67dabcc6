// The repository stands alone, and its top level stays what it is.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "tests/lint/source_tree.h"

namespace xbdbg::test {
namespace {

TEST(TopLevel, HoldsOnlyWhatBelongsThere) {
  const std::set<std::string> allowed = {
      "CMakeLists.txt", "CMakePresets.json", "README.md", "CHANGELOG.md", "LICENSE", "cmake",
      "docs",           "scripts",           "tracer",    "replay",       "gdbstub", "explorer",
      "ui-tui",         "samples",           "tests",     "build"};
  for (const auto& entry : std::filesystem::directory_iterator(XB_SOURCE_DIR)) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(name.starts_with('.') || allowed.contains(name)) << name << " does not belong to the top level";
  }
}

TEST(Standalone, NothingRefersToFilesOutsideTheRepository) {
  // Written in pieces, so that this file is not found.
  const std::regex outside(
      "(^|[^A-Za-z_])(shar"
      "ed/|/wor"
      "k/)");
  std::vector<std::string> found;
  for (const SourceFile& file : source_files()) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (std::regex_search(file.lines[i], outside)) found.push_back(at(file, i) + ": " + file.lines[i]);
    }
  }
  EXPECT_EQ(found, std::vector<std::string>{});
}

TEST(Comments, PromiseNothing) {
  const std::regex promise(
      "\\b(TO"
      "DO|FIX"
      "ME)\\b");
  std::vector<std::string> found;
  for (const SourceFile& file : source_files()) {
    for (std::size_t i = 0; is_code(file) && i < file.lines.size(); ++i) {
      if (std::regex_search(file.lines[i], promise)) found.push_back(at(file, i) + ": " + file.lines[i]);
    }
  }
  EXPECT_EQ(found, std::vector<std::string>{});
}

}  // namespace
}  // namespace xbdbg::test
