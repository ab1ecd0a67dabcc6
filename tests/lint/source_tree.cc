#include "tests/lint/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace xbdbg::test {

namespace fs = std::filesystem;

namespace {

const std::set<std::string> kForeignFolders = {".git", "build", "corpus", ".cache"};

SourceFile read(const fs::path& path, const fs::path& root) {
  SourceFile file{path.lexically_relative(root).string()};
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) file.lines.push_back(line);
  return file;
}

}  // namespace

std::vector<SourceFile> source_files() {
  const fs::path root = XB_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator(); ++it) {
    if (it->is_directory() && kForeignFolders.contains(it->path().filename())) it.disable_recursion_pending();
    if (it->is_regular_file()) files.push_back(read(it->path(), root));
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

bool is_code(const SourceFile& file) {
  const fs::path extension = fs::path(file.path).extension();
  return extension == ".h" || extension == ".cc" || extension == ".c" || extension == ".S";
}

std::string at(const SourceFile& file, std::size_t line_index) {
  return file.path + ":" + std::to_string(line_index + 1);
}

}  // namespace xbdbg::test
