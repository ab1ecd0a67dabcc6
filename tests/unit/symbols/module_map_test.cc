#include "tracer/symbols/module_map.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/support/expect_ok.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/symbols/oracle.h"
#include "tracer/base/unique_fd.h"
#include "tracer/memory_map.h"
#include "tracer/symbols/names.h"
#include "tracer/symbols/symbolizer.h"

int symbol_test_global = 3;  // to be found in this very process

namespace xbdbg::test {
namespace {

TEST(MemoryMap, ParsesWhatTheKernelWrites) {
  ASSERT_OK(map, parse_memory_map("00400000-00401000 r--p 00000000 fe:01 123      /usr/bin/a b\n"
                                  "00401000-00402000 r-xp 00001000 fe:01 123      /usr/bin/a b\n"
                                  "7f0000000000-7f0000001000 rw-s 00000000 00:05 9 /dev/shm/x\\012y (deleted)\n"
                                  "7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0 [stack]\n"
                                  "7ffd00030000-7ffd00031000 ---p 00000000 00:00 0\n"));
  ASSERT_EQ(map.size(), 5u);
  EXPECT_EQ(map[0].path, "/usr/bin/a b");
  EXPECT_TRUE(map[1].executable);
  EXPECT_EQ(map[1].offset, 0x1000u);
  EXPECT_EQ(map[1].inode, 123u);
  EXPECT_TRUE(map[2].shared);
  EXPECT_TRUE(map[2].is_deleted);
  EXPECT_EQ(map[2].path, "/dev/shm/x\ny");
  EXPECT_EQ(map[3].path, "[stack]");
  EXPECT_EQ(map[4].path, "");
  EXPECT_FALSE(map[4].readable);
  EXPECT_EQ(find_mapping(map, 0x401fff), &map[1]);
  EXPECT_EQ(find_mapping(map, 0x402000), nullptr);
  EXPECT_EQ(find_mapping(map, 0), nullptr);
}

TEST(MemoryMap, RefusesMalformedLines) {
  EXPECT_TRUE(parse_memory_map(""));
  for (const char* bad : {"hello\n", "00400000\n", "00400000-00401000\n", "2000-1000 r--p 0 00:00 0\n",
                          "1000-2000 r--p 0\n", "1000-2000 rw 00000000 00:00 0\n", "\n",
                          "2000-3000 r--p 00000000 00:00 0\n1000-2000 r--p 00000000 00:00 0\n"}) {
    EXPECT_ERROR(parse_memory_map(bad), Errc::bad_input, "memory map") << bad;
  }
}

MemoryMapping mapping(std::uint64_t start, std::uint64_t end, std::uint64_t offset, bool executable,
                      std::string path) {
  return {.start = start,
          .end = end,
          .offset = offset,
          .readable = true,
          .executable = executable,
          .path = std::move(path)};
}

TEST(ModuleMap, FindsTheBiasOfAFileMappedTwice) {
  const std::string path = program_path("libshapes_lib.so");
  ASSERT_OK(file, ElfFile::open(path));
  std::vector<MemoryMapping> mappings;
  for (const std::uint64_t base : {std::uint64_t{0x7f0000000000}, std::uint64_t{0x7f1000000000}}) {
    for (const ElfSegment& segment : file->segments()) {
      if (segment.type != 1) continue;  // PT_LOAD
      const std::uint64_t page = ~std::uint64_t{0xfff};
      mappings.push_back(mapping(base + (segment.address & page),
                                 (base + segment.address + segment.file_size + 0xfff) & page, segment.offset & page,
                                 (segment.flags & 1) != 0, path));
    }
  }
  ImageCache cache;
  const ModuleMap map = ModuleMap::build(mappings, cache);
  ASSERT_EQ(map.modules().size(), 2u);
  EXPECT_EQ(map.modules()[0].bias, 0x7f0000000000u);
  EXPECT_EQ(map.modules()[1].bias, 0x7f1000000000u);
  EXPECT_EQ(map.modules()[0].image, map.modules()[1].image);
  EXPECT_EQ(map.find(Addr(0x7f1000001000)), &map.modules()[1]);
  EXPECT_EQ(map.find(Addr(0x7effffffffff)), nullptr);
  EXPECT_EQ(map.by_name("libshapes_lib.so"), &map.modules()[0]);
}

TEST(ModuleMap, LeavesOutWhatIsNotElf) {
  TempDir temp;
  ImageCache cache;
  const ModuleMap map = ModuleMap::build(
      {mapping(0x1000, 0x2000, 0, true, temp.file("text", "hello")),
       mapping(0x3000, 0x4000, 0, true, temp / "missing"), mapping(0x5000, 0x6000, 0, true, "[vdso]")},
      cache);
  EXPECT_TRUE(map.modules().empty());
  EXPECT_TRUE(map.is_executable(Addr(0x5800)));
  EXPECT_FALSE(map.is_executable(Addr(0x4800)));
}

TEST(ImageCache, OpensAFileAgainAfterItWasReplaced) {
  TempDir temp;
  ImageCache cache;
  ASSERT_OK(first_bytes, read_whole_file(program_path("objects_dwarf4"), 1 << 24));
  ASSERT_OK(second_bytes, read_whole_file(program_path("shapes_o2_dwarf5"), 1 << 24));
  const std::string path = temp.file("program", first_bytes);
  const std::shared_ptr<Image> first = cache.get(path);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(cache.get(path), first);
  temp.file("program", second_bytes);
  const std::shared_ptr<Image> second = cache.get(path);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(second, first);
}

// This process: a program and shared libraries, mapped by the real loader at random addresses.
class OwnProcess : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(text, read_whole_file("/proc/self/maps", 1 << 22));
    ASSERT_OK(mappings, parse_memory_map(text));
    symbols_ = std::make_unique<ModuleSymbolizer>(ModuleMap::build(mappings, cache_));
  }
  ImageCache cache_;
  std::unique_ptr<ModuleSymbolizer> symbols_;
};

TEST_F(OwnProcess, NamesFunctionsOfLibraries) {
  // l64a: no sanitizer has its own of it.
  const auto function_at = Addr(reinterpret_cast<std::uint64_t>(dlsym(RTLD_DEFAULT, "l64a")));
  const Location location = symbols_->lookup(function_at);
  EXPECT_EQ(location.function(), "l64a");
  EXPECT_NE(location.module.find("libc.so.6"), std::string::npos);
  EXPECT_EQ(location.function_offset, 0u);
  const Location after = symbols_->lookup_return_address(function_at + 5);
  EXPECT_EQ(after.address, function_at + 5);
  EXPECT_EQ(after.function_offset, 5u);
}

TEST_F(OwnProcess, FindsItsOwnGlobalsBothWays) {
  const auto address = Addr(reinterpret_cast<std::uint64_t>(&symbol_test_global));
  EXPECT_EQ(symbols_->object_name(address), "symbol_test_global");
  const std::optional<GlobalObject> found = symbols_->find_global("symbol_test_global");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->address, address);
  EXPECT_EQ(found->size, sizeof(int));
}

TEST_F(OwnProcess, FindsTheLineOfItsOwnCode) {
  const Addr here(reinterpret_cast<std::uint64_t>(__builtin_extract_return_addr(__builtin_return_address(0))));
  const Location caller = symbols_->lookup_return_address(here);
  EXPECT_FALSE(caller.function().empty());
  const std::optional<Addr> main = symbols_->find_function("main");
  ASSERT_TRUE(main.has_value());
  EXPECT_EQ(symbols_->lookup(*main).function(), "main");
  EXPECT_EQ(symbols_->lookup(*main).to_string().substr(0, 4), "main");
}

TEST_F(OwnProcess, AnAddressOutsideEverythingIsItself) {
  const Location location = symbols_->lookup(Addr(0x10));
  EXPECT_TRUE(location.frames.empty());
  EXPECT_EQ(location.function(), "");
  EXPECT_EQ(location.to_string(), "0x10");
  EXPECT_EQ(symbols_->source_of(Addr(0x10)), "");
  EXPECT_EQ(symbols_->object_name(Addr(0x10)), "");
}

}  // namespace
}  // namespace xbdbg::test
