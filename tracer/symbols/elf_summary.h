// tracer/symbols/elf_summary.h — what kind of program a file is, from its ELF header and program headers alone.
//
// For whoever must decide whether a file can be launched: no section headers, no symbols, no libelf; a file of any
// size costs a few reads. The file is treated as hostile: every offset is checked, and a malformed file is an Error.
// Symbols and debug information are ElfFile's business (elf_file.h).
#pragma once

#include <cstdint>
#include <string>

#include "tracer/base/result.h"

namespace xbdbg {

enum class ElfClass : std::uint8_t { elf32, elf64 };
enum class ElfType : std::uint8_t { executable, dynamic, core, relocatable, other };  // ET_EXEC, ET_DYN, ...

struct ElfSummary {
  ElfClass elf_class = ElfClass::elf64;
  ElfType type = ElfType::other;
  std::uint16_t machine = 0;  // EM_X86_64 is 62
  bool little_endian = true;
  bool has_interp = false;
  std::string interp{};      // PT_INTERP, e.g. "/lib64/ld-linux-x86-64.so.2"
  bool has_dynamic = false;  // PT_DYNAMIC
  bool is_static = false;    // a program that needs no dynamic loader (static-pie included)
  bool is_static_pie = false;
  bool is_shared_library = false;  // ET_DYN without DF_1_PIE and without an interpreter (ld.so is one, too)
};

// Errc::os or not_found when the file cannot be read, Errc::bad_input when it is not (well-formed) ELF.
Result<ElfSummary> read_elf_summary(const std::string& path);

const char* elf_machine_name(std::uint16_t machine);  // "x86-64", "aarch64", ..., "unknown machine"

}  // namespace xbdbg
