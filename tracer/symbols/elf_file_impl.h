// tracer/symbols/elf_file_impl.h — the libelf side of ElfFile, shared by elf_file.cc and elf_symbols.cc only.
#pragma once

#include <gelf.h>
#include <libelf.h>

#include <map>
#include <string>
#include <vector>

#include "tracer/base/unique_fd.h"
#include "tracer/symbols/elf_file.h"

namespace xbdbg {

struct ElfFile::Impl {
  std::string path{};
  UniqueFd fd{};  // one of these two holds the bytes
  std::string memory{};
  Elf* elf = nullptr;
  GElf_Ehdr ehdr{};
  std::vector<ElfSection> sections{};
  std::vector<Elf_Scn*> handles{};  // of sections[i]
  std::vector<ElfSegment> segments{};
  std::map<std::size_t, std::string_view> data{};  // section index -> its decompressed bytes
  std::string build_id{};

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (elf != nullptr) elf_end(elf);
  }

  const ElfSection* find(std::string_view name) const;
  Elf_Data* table(std::string_view name, GElf_Shdr& header) const;  // null: absent or unreadable
};

}  // namespace xbdbg
