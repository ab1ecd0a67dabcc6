// tests/lint/source_tree.h — the files of the repository, for tests that look at them.
#pragma once

#include <string>
#include <vector>

namespace xbdbg::test {

struct SourceFile {
  std::string path{};  // from the root of the repository: "tracer/base/ids.h"
  std::vector<std::string> lines{};
};

// All text files of ours, in order: not build/, not .git/, not fuzz corpora.
std::vector<SourceFile> source_files();

bool is_code(const SourceFile& file);  // .h .cc .c .S

// "tracer/base/ids.h:12"
std::string at(const SourceFile& file, std::size_t line_index);

}  // namespace xbdbg::test
