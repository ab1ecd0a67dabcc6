// Every byte of code of several programs is looked up by us and by addr2line; the two must agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "tests/support/expect_ok.h"
#include "tests/unit/symbols/oracle.h"
#include "tracer/symbols/image.h"
#include "tracer/symbols/names.h"

namespace xbdbg::test {
namespace {

std::vector<std::uint64_t> code_addresses(Image& image) {
  std::vector<std::uint64_t> result;
  const ElfSection* text = image.file().find_section(".text");
  if (text == nullptr) return result;
  for (std::uint64_t i = 0; i < text->size; ++i) {
    // Padding between functions belongs to none; addr2line gives it to the one before.
    const ElfSymbol* symbol = image.symbols().function_at(text->address + i);
    if (symbol != nullptr && symbol->size != 0) result.push_back(text->address + i);
  }
  return result;
}

std::string normal(const std::string& path) { return std::filesystem::path(path).lexically_normal(); }

// The demanglers of binutils and libstdc++ differ in redundant ones.
std::string without_parentheses(std::string text) {
  std::erase_if(text, [](char c) { return c == '(' || c == ')'; });
  return text;
}

// addr2line gives a static function the plain name DWARF has, or the symbol's with its suffix; we find the whole one.
bool same_function(const std::string& expected, const std::string& got) {
  const std::string name = expected.substr(0, std::min(expected.find(" [clone ."), expected.find(".cold")));
  if (without_parentheses(name) == without_parentheses(got)) return true;
  const std::string base = name.substr(0, name.find('<'));  // "sort" of "sort<int*>"
  if (name.find("::") < name.find('<')) return false;       // not a plain name
  return got.starts_with(base + "(") || got.find("::" + base + "(") != std::string::npos ||
         got.find("::" + base + "<") != std::string::npos;
}

// `symbol` is the ELF symbol at the address: addr2line shows it for the innermost frame where DWARF has no linkage
// name for that, even if the innermost function is an inlined one.
bool same_frames(const std::vector<OracleFrame>& expected, const std::vector<OracleFrame>& got,
                 const std::string& symbol) {
  if (expected.size() != got.size()) return false;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool is_symbol = i == 0 && expected[i].function == symbol && !got[i].function.empty();
    if (!is_symbol && !same_function(expected[i].function, got[i].function)) return false;
    if (expected[i].line != got[i].line) return false;
    // Without a line addr2line names the symbol table's file.
    if (got[i].line != 0 && normal(expected[i].file) != normal(got[i].file)) return false;
  }
  return true;
}

std::string describe(const std::vector<OracleFrame>& frames) {
  std::string text;
  for (const OracleFrame& f : frames)
    text += f.function + " at " + normal(f.file) + ":" + std::to_string(f.line) + "; ";
  return text;
}

std::vector<OracleFrame> ours(const ImageLocation& location) {
  std::vector<OracleFrame> frames;
  for (const SourceFrame& f : location.frames) frames.push_back({f.function, f.file, f.line});
  if (frames.empty()) frames.emplace_back();
  return frames;
}

struct Tally {
  std::size_t addresses = 0;
  std::size_t with_line = 0;
  std::size_t inlined = 0;
  std::size_t different = 0;
  std::map<std::string, int> examples{};
};

Tally compare(Image& image, const std::string& path, const std::vector<std::uint64_t>& addresses) {
  Tally tally;
  const std::vector<std::vector<OracleFrame>> expected = addr2line(path, addresses);
  EXPECT_EQ(expected.size(), addresses.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::vector<OracleFrame> got = ours(image.lookup(addresses[i]));
    ++tally.addresses;
    tally.with_line += got[0].line != 0;
    tally.inlined += got.size() > 1;
    const ElfSymbol* symbol = image.symbols().function_at(addresses[i]);
    if (same_frames(expected[i], got, symbol == nullptr ? "" : demangle(symbol->name))) continue;
    ++tally.different;
    if (tally.examples.size() < 8) {
      ++tally.examples["  addr2line: " + describe(expected[i]) + "\n  ours:      " + describe(got)];
    }
  }
  return tally;
}

class SymbolOracle : public testing::TestWithParam<const char*> {};

TEST_P(SymbolOracle, EveryByteOfCodeHasTheFramesAddr2lineGives) {
  const std::string path = program_path(GetParam());
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no-clang: " << path << " was not built";
  ASSERT_OK(image, Image::open(path));
  const Tally tally = compare(*image, path, code_addresses(*image));
  EXPECT_GT(tally.addresses, 100u);
  EXPECT_GT(tally.with_line, tally.addresses / 2);
  EXPECT_EQ(tally.different, 0u) << "of " << tally.addresses;
  for (const auto& [text, count] : tally.examples) ADD_FAILURE() << count << " times\n" << text;
}

INSTANTIATE_TEST_SUITE_P(Programs, SymbolOracle,
                         testing::Values("shapes_o0_dwarf4", "shapes_o0_dwarf5", "shapes_o2_dwarf4",
                                         "shapes_o2_dwarf5", "shapes_o2_nopie", "shapes_o2_gz", "shapes_zdebug",
                                         "shapes_split", "libshapes_lib.so", "shapes_clang_dwarf4"),
                         [](const auto& param_info) {
                           std::string name = param_info.param;
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

// addr2line cannot read the indexed range lists of clang's DWARF 5, but the code is the same as with DWARF 4.
TEST(SymbolOracleClang, Dwarf5SaysTheSameAsDwarf4) {
  const std::string path = program_path("shapes_clang_dwarf5");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no-clang: " << path << " was not built";
  ASSERT_OK(image, Image::open(path));
  ASSERT_OK(other, Image::open(program_path("shapes_clang_dwarf4")));
  const std::vector<std::uint64_t> addresses = code_addresses(*image);
  ASSERT_EQ(addresses, code_addresses(*other));
  EXPECT_GT(addresses.size(), 1000u);
  for (const std::uint64_t address : addresses) {
    ASSERT_EQ(describe(ours(image->lookup(address))), describe(ours(other->lookup(address)))) << address;
  }
}

}  // namespace
}  // namespace xbdbg::test
