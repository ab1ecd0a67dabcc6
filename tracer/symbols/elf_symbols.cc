// The tables of an ElfFile: symbols with their versions, the dynamic section, the debug link.
#include <algorithm>
#include <cstring>

#include "tracer/symbols/elf_file_impl.h"

namespace xbdbg {
namespace {

constexpr int kMaxVersionDefinitions = 100'000;
constexpr int kVersionIndexMask = 0x7fff;  // the bit above it hides the symbol from new links

std::optional<SymbolKind> kind_of(const GElf_Sym& symbol) {
  switch (GELF_ST_TYPE(symbol.st_info)) {
    case STT_FUNC:
      return SymbolKind::function;
    case STT_GNU_IFUNC:
      return SymbolKind::ifunc;
    case STT_OBJECT:
    case STT_COMMON:
      return SymbolKind::object;
    case STT_NOTYPE:
      return SymbolKind::untyped;
    default:
      return std::nullopt;  // sections, files, TLS offsets
  }
}

SymbolBinding binding_of(const GElf_Sym& symbol) {
  switch (GELF_ST_BIND(symbol.st_info)) {
    case STB_LOCAL:
      return SymbolBinding::local;
    case STB_WEAK:
      return SymbolBinding::weak;
    default:
      return SymbolBinding::global;
  }
}

// Version index -> name, from .gnu.version_d: what this file defines. Offsets are chained by the file, so each step
// must go forward.
std::map<int, std::string_view> version_names(Elf* elf, Elf_Data* definitions, std::size_t strings) {
  std::map<int, std::string_view> names;
  std::size_t offset = 0;
  for (int i = 0; i < kMaxVersionDefinitions && offset <= INT32_MAX; ++i) {
    GElf_Verdef def{};
    GElf_Verdaux aux{};
    if (gelf_getverdef(definitions, static_cast<int>(offset), &def) == nullptr) break;
    const std::size_t aux_at = offset + def.vd_aux;
    if (aux_at > INT32_MAX || gelf_getverdaux(definitions, static_cast<int>(aux_at), &aux) == nullptr) break;
    if (const char* name = elf_strptr(elf, strings, aux.vda_name); name != nullptr)
      names[def.vd_ndx & kVersionIndexMask] = name;
    if (def.vd_next == 0) break;
    offset += def.vd_next;
  }
  return names;
}

// .symtab spells versions out: "memcpy@@GLIBC_2.14", "memcpy@GLIBC_2.2.5".
void split_version(ElfSymbol& symbol) {
  const std::size_t at = symbol.name.find('@');
  if (at == std::string_view::npos || at == 0) return;
  const std::string_view rest = symbol.name.substr(at + 1);
  symbol.is_default_version = rest.starts_with('@');
  symbol.version = symbol.is_default_version ? rest.substr(1) : rest;
  symbol.name = symbol.name.substr(0, at);
}

}  // namespace

bool ElfFile::has_symtab() const {
  const ElfSection* section = impl_->find(".symtab");
  return section != nullptr && section->type == SHT_SYMTAB && section->size > 0;
}

std::vector<ElfSymbol> ElfFile::symbols() {
  GElf_Shdr header{};
  Elf_Data* table = has_symtab() ? impl_->table(".symtab", header) : nullptr;
  Elf_Data* versions = nullptr;
  std::map<int, std::string_view> names;
  if (table == nullptr) {
    table = impl_->table(".dynsym", header);
    GElf_Shdr other{};
    versions = impl_->table(".gnu.version", other);
    if (versions != nullptr && versions->d_type != ELF_T_HALF) versions = nullptr;
    Elf_Data* definitions = impl_->table(".gnu.version_d", other);
    if (definitions != nullptr && definitions->d_type == ELF_T_VDEF) {
      names = version_names(impl_->elf, definitions, other.sh_link);
    }
  }
  std::vector<ElfSymbol> result;
  if (table == nullptr || table->d_type != ELF_T_SYM) return result;
  const std::size_t count = std::min<std::size_t>(table->d_size / sizeof(Elf64_Sym), INT32_MAX);
  result.reserve(count);
  for (std::size_t i = 1; i < count; ++i) {
    GElf_Sym symbol{};
    if (gelf_getsym(table, static_cast<int>(i), &symbol) == nullptr) break;
    const std::optional<SymbolKind> kind = kind_of(symbol);
    if (!kind || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS) continue;
    const char* text = elf_strptr(impl_->elf, header.sh_link, symbol.st_name);
    if (text == nullptr || *text == '\0') continue;
    ElfSymbol out{.name = text,
                  .address = symbol.st_value,
                  .size = symbol.st_size,
                  .kind = *kind,
                  .binding = binding_of(symbol)};
    if (out.kind == SymbolKind::untyped && !is_executable_address(out.address)) continue;
    split_version(out);
    GElf_Versym version = 0;
    if (versions != nullptr && gelf_getversym(versions, static_cast<int>(i), &version) != nullptr) {
      const auto found = names.find(version & kVersionIndexMask);
      if (found != names.end() && found->first > VER_NDX_GLOBAL) out.version = found->second;
      out.is_default_version = (version & ~kVersionIndexMask) == 0;
    }
    result.push_back(out);
  }
  return result;
}

namespace {

std::vector<std::string> dynamic_strings(Elf* elf, Elf_Data* table, std::size_t strings, std::int64_t tag) {
  std::vector<std::string> result;
  if (table == nullptr || table->d_type != ELF_T_DYN) return result;
  GElf_Dyn entry{};
  for (int i = 0; gelf_getdyn(table, i, &entry) != nullptr && entry.d_tag != DT_NULL; ++i) {
    if (entry.d_tag != tag) continue;
    if (const char* text = elf_strptr(elf, strings, entry.d_un.d_val); text != nullptr) result.emplace_back(text);
  }
  return result;
}

}  // namespace

std::vector<std::string> ElfFile::needed_libraries() {
  GElf_Shdr header{};
  Elf_Data* table = impl_->table(".dynamic", header);
  return dynamic_strings(impl_->elf, table, header.sh_link, DT_NEEDED);
}

std::optional<std::string> ElfFile::soname() {
  GElf_Shdr header{};
  Elf_Data* table = impl_->table(".dynamic", header);
  std::vector<std::string> names = dynamic_strings(impl_->elf, table, header.sh_link, DT_SONAME);
  if (names.empty()) return std::nullopt;
  return std::move(names.front());
}

std::optional<DebugLink> ElfFile::debug_link() {
  const std::string_view bytes = section_data(".gnu_debuglink");
  const std::size_t end = bytes.find('\0');
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  const std::size_t crc_at = (end + 4) & ~std::size_t{3};  // the name, its NUL, padding to 4
  if (crc_at + sizeof(std::uint32_t) > bytes.size()) return std::nullopt;
  DebugLink link{.file_name = std::string(bytes.substr(0, end))};
  std::memcpy(&link.crc32, bytes.data() + crc_at, sizeof(link.crc32));
  if (link.file_name.find('/') != std::string::npos) return std::nullopt;  // a name, not a path to anywhere
  return link;
}

}  // namespace xbdbg
