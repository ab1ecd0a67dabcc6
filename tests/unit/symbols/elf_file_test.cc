#include "tracer/symbols/elf_file.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/expect_ok.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/symbols/oracle.h"
#include "tracer/base/str.h"
#include "tracer/base/unique_fd.h"
#include "tracer/symbols/debug_file.h"
#include "tracer/symbols/elf_summary.h"
#include "tracer/symbols/image.h"

namespace xbdbg::test {
namespace {

constexpr const char* kLibc = "/lib/x86_64-linux-gnu/libc.so.6";

const ElfSymbol* find_symbol(const std::vector<ElfSymbol>& symbols, std::string_view name,
                             std::string_view version = {}) {
  for (const ElfSymbol& symbol : symbols) {
    if (symbol.name == name && (version.empty() || symbol.version == version)) return &symbol;
  }
  return nullptr;
}

TEST(ElfSummary, TellsAPieProgramFromALibraryAndOthers) {
  ASSERT_OK(program, read_elf_summary(program_path("shapes_o0_dwarf5")));
  EXPECT_EQ(program.elf_class, ElfClass::elf64);
  EXPECT_EQ(program.type, ElfType::dynamic);
  EXPECT_EQ(program.machine, EM_X86_64);
  EXPECT_EQ(program.interp, "/lib64/ld-linux-x86-64.so.2");
  EXPECT_FALSE(program.is_static);
  EXPECT_FALSE(program.is_shared_library);
  ASSERT_OK(fixed, read_elf_summary(program_path("shapes_o2_nopie")));
  EXPECT_EQ(fixed.type, ElfType::executable);
  EXPECT_TRUE(fixed.has_interp);
  EXPECT_FALSE(fixed.is_static);
  ASSERT_OK(library, read_elf_summary(program_path("libshapes_lib.so")));
  EXPECT_TRUE(library.is_shared_library);
  EXPECT_FALSE(library.is_static);
  ASSERT_OK(without_libc, read_elf_summary(program_path("static_exec")));
  EXPECT_TRUE(without_libc.is_static);
  EXPECT_FALSE(without_libc.is_static_pie);
  ASSERT_OK(static_pie, read_elf_summary(program_path("static_pie")));
  EXPECT_TRUE(static_pie.is_static);
  EXPECT_TRUE(static_pie.is_static_pie);
}

TEST(ElfSummary, RefusesWhatIsNotElf) {
  TempDir temp;
  EXPECT_ERROR(read_elf_summary(temp.file("text", "#!/bin/sh\n")), Errc::bad_input, "not an ELF file");
  EXPECT_ERROR(read_elf_summary(temp.file("empty", "")), Errc::bad_input, "not an ELF file");
  EXPECT_ERROR(read_elf_summary(temp / "missing"), Errc::not_found, "missing");
  EXPECT_ERROR(read_elf_summary(temp.path()), Errc::bad_input, "not an ELF file");
}

TEST(ElfSummary, AcceptsOrRefusesEveryTruncationOfAProgram) {
  ASSERT_OK(bytes, read_whole_file(program_path("static_exec"), 1 << 24));
  TempDir temp;
  for (std::size_t size = 0; size < 600; size += 5) {
    const Result<ElfSummary> summary = read_elf_summary(temp.file("cut", bytes.substr(0, size)));
    if (size < sizeof(Elf64_Ehdr)) {
      EXPECT_FALSE(summary) << size;
    }
  }
}

TEST(ElfFile, ReadsSymbolsWithKindsAndSizes) {
  ASSERT_OK(file, ElfFile::open(program_path("objects_dwarf5")));
  EXPECT_TRUE(file->has_symtab());
  EXPECT_TRUE(file->is_position_independent());
  EXPECT_EQ(file->machine(), EM_X86_64);
  const std::vector<ElfSymbol> symbols = file->symbols();
  const ElfSymbol* lock = find_symbol(symbols, "account_lock");
  ASSERT_NE(lock, nullptr);
  EXPECT_EQ(lock->kind, SymbolKind::object);
  EXPECT_EQ(lock->binding, SymbolBinding::global);
  EXPECT_EQ(lock->size, 40u);
  const ElfSymbol* main = find_symbol(symbols, "main");
  ASSERT_NE(main, nullptr);
  EXPECT_EQ(main->kind, SymbolKind::function);
  EXPECT_TRUE(file->is_executable_address(main->address));
  EXPECT_FALSE(file->is_executable_address(lock->address));
  EXPECT_EQ(find_symbol(symbols, "per_thread"), nullptr);  // a TLS offset is no address
  EXPECT_EQ(find_symbol(symbols, "_end"), nullptr);
}

TEST(ElfFile, ReadsVersionsAndIfuncsOfTheDynamicTable) {
  ASSERT_OK(file, ElfFile::open(kLibc));
  const std::vector<ElfSymbol> symbols = file->symbols();
  const ElfSymbol* old_wait = find_symbol(symbols, "pthread_cond_wait", "GLIBC_2.2.5");
  const ElfSymbol* new_wait = find_symbol(symbols, "pthread_cond_wait", "GLIBC_2.3.2");
  ASSERT_NE(old_wait, nullptr);
  ASSERT_NE(new_wait, nullptr);
  EXPECT_FALSE(old_wait->is_default_version);
  EXPECT_TRUE(new_wait->is_default_version);
  const ElfSymbol* memcpy = find_symbol(symbols, "memcpy", "GLIBC_2.14");
  ASSERT_NE(memcpy, nullptr);
  EXPECT_EQ(memcpy->kind, SymbolKind::ifunc);
  EXPECT_EQ(file->soname(), "libc.so.6");
  EXPECT_EQ(SymbolTable(symbols).by_name("pthread_cond_wait")->version, "GLIBC_2.3.2");
}

TEST(ElfFile, NamesTheLibrariesItNeeds) {
  ASSERT_OK(file, ElfFile::open(program_path("shapes_o2_dwarf5")));
  const std::vector<std::string> needed = file->needed_libraries();
  EXPECT_NE(std::find(needed.begin(), needed.end(), "libstdc++.so.6"), needed.end());
  EXPECT_NE(std::find(needed.begin(), needed.end(), "libc.so.6"), needed.end());
  EXPECT_EQ(file->soname(), std::nullopt);
  EXPECT_EQ(file->build_id().size(), 20u);
}

TEST(ElfFile, DecompressesBothKindsOfDebugSections) {
  for (const char* name : {"shapes_o2_gz", "shapes_zdebug"}) {
    ASSERT_OK(file, ElfFile::open(program_path(name)));
    ASSERT_OK(plain, ElfFile::open(program_path(name == std::string("shapes_zdebug") ? "shapes_o2_dwarf4"
                                                                                     : "shapes_o2_dwarf5")));
    EXPECT_EQ(file->section_data(".debug_abbrev"), plain->section_data(".debug_abbrev")) << name;
    EXPECT_GT(file->section_data(".debug_info").size(), 10'000u) << name;
    EXPECT_GT(file->section_data(".debug_info").size(), file->find_section(".debug_info")->size) << name;
  }
}

TEST(ElfFile, GivesTheBytesThatASegmentMaps) {
  ASSERT_OK(file, ElfFile::open(program_path("objects_dwarf5")));
  const ElfSection* text = file->find_section(".text");
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(file->bytes_at(text->address, 64), file->section_data(".text").substr(0, 64));
  EXPECT_TRUE(file->bytes_at(0xffff'ffff'0000, 8).empty());
  EXPECT_TRUE(file->bytes_at(text->address, UINT64_MAX).empty());
}

TEST(SymbolTable, PrefersTheInnermostSymbolThatHoldsTheAddress) {
  const auto function = [](std::string_view name, std::uint64_t address, std::uint64_t size) {
    return ElfSymbol{.name = name,
                     .address = address,
                     .size = size,
                     .kind = SymbolKind::function,
                     .binding = SymbolBinding::global};
  };
  const SymbolTable table({function("outer", 0x100, 0x100),
                           function("part", 0x140, 0x10),
                           function("__alias", 0x100, 0x100),
                           {.name = "label", .address = 0x180, .kind = SymbolKind::untyped},
                           {.name = "bare", .address = 0x300, .kind = SymbolKind::untyped}});
  EXPECT_EQ(table.function_at(0x100)->name, "outer");
  EXPECT_EQ(table.function_at(0x145)->name, "part");
  EXPECT_EQ(table.function_at(0x160)->name, "outer");
  EXPECT_EQ(table.function_at(0x190)->name, "outer");  // a label inside a function is not its end
  EXPECT_EQ(table.function_at(0x310)->name, "bare");
  EXPECT_EQ(table.function_at(0x200), nullptr);
  EXPECT_EQ(table.function_at(0x50), nullptr);
}

TEST(DebugFile, IsFoundByLinkInTheDebugFolderAndCheckedByCrc) {
  ASSERT_OK(file, ElfFile::open(program_path("shapes_split")));
  EXPECT_FALSE(file->has_symtab());
  const DebugFileSearch nowhere{.roots = {}};
  std::unique_ptr<ElfFile> debug = find_debug_file(*file, nowhere);
  ASSERT_NE(debug, nullptr);
  EXPECT_TRUE(debug->path().ends_with("/.debug/shapes_split.debug"));
  EXPECT_FALSE(debug->section_data(".debug_info").empty());
  EXPECT_TRUE(debug->section_data(".eh_frame").empty());

  TempDir temp;  // the same program with a debug file that does not belong to it
  const std::string copy = temp / "shapes_split";
  std::filesystem::copy_file(program_path("shapes_split"), copy);
  ASSERT_OK(bytes, read_whole_file(debug->path(), 1 << 26));
  temp.file("shapes_split.debug", bytes.substr(0, bytes.size() - 1) + "x");
  ASSERT_OK(other, ElfFile::open(copy));
  EXPECT_EQ(find_debug_file(*other, nowhere), nullptr);
  temp.file("shapes_split.debug", bytes);  // beside the file
  EXPECT_NE(find_debug_file(*other, nowhere), nullptr);
}

TEST(DebugFile, IsFoundByBuildIdBelowARoot) {
  ASSERT_OK(file, ElfFile::open(program_path("shapes_stripped")));
  const std::string id = to_hex(file->build_id());
  TempDir root;
  const std::string folder = root / (".build-id/" + id.substr(0, 2));
  std::filesystem::create_directories(folder);
  const std::string link = folder + "/" + id.substr(2) + ".debug";
  std::filesystem::copy_file(program_path("shapes_o2_dwarf4"), link);  // another program: another id
  const DebugFileSearch search{.roots = {root.path()}};
  EXPECT_EQ(find_debug_file(*file, search), nullptr);
  std::filesystem::remove(link);
  std::filesystem::copy_file(program_path(".debug/shapes_split.debug"), link);
  std::unique_ptr<ElfFile> debug = find_debug_file(*file, search);
  ASSERT_NE(debug, nullptr);
  EXPECT_EQ(debug->path(), link);
}

TEST(DebugFile, CrcIsTheOneObjcopyWrites) {
  EXPECT_EQ(debug_link_crc32("123456789"), 0xcbf43926u);
  EXPECT_EQ(debug_link_crc32("6789", debug_link_crc32("12345")), 0xcbf43926u);
}

TEST(Image, NamesFunctionsOfAStrippedLibraryByItsDynamicSymbols) {
  ASSERT_OK(image, Image::open(program_path("libstripped.so"), DebugFileSearch{.roots = {}}));
  const ElfSymbol* area = image->symbols().by_name("_ZN6shapes12library_areaERKSt6vectorINS_5PointESaIS1_EE");
  ASSERT_NE(area, nullptr);
  const ImageLocation location = image->lookup(area->address + 4);
  ASSERT_EQ(location.frames.size(), 1u);
  EXPECT_EQ(location.frames[0].function,
            "shapes::library_area(std::vector<shapes::Point, std::allocator<shapes::Point> > const&)");
  EXPECT_EQ(location.frames[0].line, 0u);
  EXPECT_EQ(location.function_entry, area->address);
  EXPECT_EQ(image->object_name(image->symbols().by_name("_ZN6shapes13library_callsE")->address, 0),
            "shapes::library_calls");
}

TEST(Image, KnowsNothingOfAddressesOutsideTheFile) {
  ASSERT_OK(image, Image::open(program_path("shapes_o2_dwarf5")));
  for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{0x10}, UINT64_MAX, std::uint64_t{1} << 47}) {
    EXPECT_TRUE(image->lookup(address).frames.empty()) << address;
    EXPECT_EQ(image->object_name(address, 0), "") << address;
  }
}

}  // namespace
}  // namespace xbdbg::test
