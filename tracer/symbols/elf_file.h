// tracer/symbols/elf_file.h — one ELF file: sections, segments, symbols, build id, and where its debug file is.
//
// The file is hostile input: whatever is in it, the answers are values or errors, never a crash. Sections are read
// when asked for and decompressed (SHF_COMPRESSED and .zdebug_*), so opening a large file is cheap. Addresses are
// those of the file (link-time); a load bias is Module's business (module.h). 64-bit little-endian files only.
//
// Lifetime: string_views returned by an ElfFile point into it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/base/result.h"

namespace xbdbg {

struct ElfSection {
  std::string_view name{};  // ".debug_info" for ".zdebug_info", too
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // in memory; of the compressed bytes for a compressed section
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
};

struct ElfSegment {
  std::uint32_t type = 0;   // PT_LOAD, ...
  std::uint32_t flags = 0;  // PF_X | PF_W | PF_R
  std::uint64_t address = 0;
  std::uint64_t memory_size = 0;
  std::uint64_t offset = 0;
  std::uint64_t file_size = 0;
};

enum class SymbolKind : std::uint8_t { function, ifunc, object, untyped };
enum class SymbolBinding : std::uint8_t { local, global, weak };

struct ElfSymbol {
  std::string_view name{};     // as in the file (mangled), without its version
  std::string_view version{};  // "GLIBC_2.34", or empty
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  SymbolKind kind = SymbolKind::untyped;
  SymbolBinding binding = SymbolBinding::local;
  bool is_default_version = true;  // "name@@VERSION", what a program linked today gets
};

struct DebugLink {
  std::string file_name{};
  std::uint32_t crc32 = 0;
};

class ElfFile {
 public:
  static Result<std::unique_ptr<ElfFile>> open(const std::string& path);
  static Result<std::unique_ptr<ElfFile>> from_memory(std::string bytes, const std::string& name);
  ~ElfFile();

  const std::string& path() const;
  std::uint16_t machine() const;
  bool is_position_independent() const;  // ET_DYN
  std::uint64_t entry_point() const;
  const std::vector<ElfSection>& sections() const;
  const std::vector<ElfSegment>& segments() const;
  const std::string& build_id() const;  // raw bytes, often 20; empty when there is none

  // The bytes of the first section of that name, decompressed; empty when it is absent or unreadable.
  std::string_view section_data(std::string_view name);
  const ElfSection* find_section(std::string_view name) const;
  // Bytes of the file that a PT_LOAD segment maps at this address; empty when it is not in the file.
  std::string_view bytes_at(std::uint64_t address, std::uint64_t size);
  bool is_executable_address(std::uint64_t address) const;  // lies in a PT_LOAD segment with PF_X
  bool is_loaded_address(std::uint64_t address) const;

  // Defined functions and objects with addresses: of .symtab, or of .dynsym when there is no .symtab. TLS symbols,
  // whose value is no address, and untyped symbols outside code (_end) are left out. Unsorted.
  std::vector<ElfSymbol> symbols();
  bool has_symtab() const;
  std::vector<std::string> needed_libraries();  // DT_NEEDED
  std::optional<std::string> soname();          // DT_SONAME
  std::optional<DebugLink> debug_link();        // .gnu_debuglink

  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

 private:
  struct Impl;
  explicit ElfFile(std::unique_ptr<Impl> impl);
  static Result<std::unique_ptr<ElfFile>> load(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace xbdbg
