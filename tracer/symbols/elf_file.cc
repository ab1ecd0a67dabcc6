#include "tracer/symbols/elf_file.h"

#include <fcntl.h>

#include <cstring>
#include <utility>

#include "tracer/symbols/elf_file_impl.h"

namespace xbdbg {
namespace {

constexpr std::size_t kMaxSections = 100'000;
constexpr std::size_t kMaxSegments = 1'000;
constexpr std::size_t kMaxBuildIdBytes = 64;
constexpr std::string_view kGnuCompressedPrefix = ".zdebug_";

Error elf_error(const std::string& path, std::string_view doing) {
  const char* why = elf_errmsg(-1);
  return Error{Errc::bad_input, std::string(doing) + " " + path + ": " + (why != nullptr ? why : "malformed"), {}};
}

std::string_view bytes_of(const Elf_Data* data) {
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const char*>(data->d_buf), data->d_size};
}

// ".zdebug_info" is ".debug_info" to everyone else; the names live as long as the string table behind them.
std::string_view plain_name(const char* name) {
  const std::string_view view(name);
  if (!view.starts_with(kGnuCompressedPrefix)) return view;
  static constexpr std::string_view kPlain[] = {
      ".debug_info",   ".debug_abbrev",   ".debug_line",  ".debug_str",      ".debug_line_str",
      ".debug_ranges", ".debug_rnglists", ".debug_loc",   ".debug_loclists", ".debug_str_offsets",
      ".debug_addr",   ".debug_aranges",  ".debug_frame", ".debug_pubnames", ".debug_pubtypes",
      ".debug_types",  ".debug_macro",
  };
  for (const std::string_view plain : kPlain) {
    if (plain.substr(1) == view.substr(2)) return plain;
  }
  return view;
}

// The build id among the notes of one section or segment; empty when it is not there.
std::string find_build_id(Elf_Data* notes) {
  if (notes == nullptr) return {};
  std::size_t offset = 0;
  while (offset < notes->d_size) {
    GElf_Nhdr header{};
    std::size_t name_at = 0;
    std::size_t desc_at = 0;
    const std::size_t next = gelf_getnote(notes, offset, &header, &name_at, &desc_at);
    if (next == 0 || next <= offset) return {};
    const char* base = static_cast<const char*>(notes->d_buf);
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == sizeof(ELF_NOTE_GNU) &&
        std::memcmp(base + name_at, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 && header.n_descsz <= kMaxBuildIdBytes) {
      return std::string(base + desc_at, header.n_descsz);
    }
    offset = next;
  }
  return {};
}

}  // namespace

const ElfSection* ElfFile::Impl::find(std::string_view name) const {
  for (const ElfSection& section : sections) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

Elf_Data* ElfFile::Impl::table(std::string_view name, GElf_Shdr& header) const {
  const ElfSection* section = find(name);
  if (section == nullptr) return nullptr;
  Elf_Scn* handle = handles[static_cast<std::size_t>(section - sections.data())];
  if (gelf_getshdr(handle, &header) == nullptr || header.sh_type == SHT_NOBITS) return nullptr;
  Elf_Data* content = elf_getdata(handle, nullptr);
  return content != nullptr && content->d_buf != nullptr ? content : nullptr;
}

ElfFile::ElfFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ElfFile::~ElfFile() = default;

Result<std::unique_ptr<ElfFile>> ElfFile::open(const std::string& path) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  XB_TRY(impl->fd, open_file(path, O_RDONLY | O_NONBLOCK));  // O_NONBLOCK: a fifo must not hang us
  elf_version(EV_CURRENT);
  // Not ELF_C_READ_MMAP: a file that is truncated while we look at it would be a SIGBUS.
  impl->elf = elf_begin(impl->fd.get(), ELF_C_READ, nullptr);
  return load(std::move(impl));
}

Result<std::unique_ptr<ElfFile>> ElfFile::from_memory(std::string bytes, const std::string& name) {
  auto impl = std::make_unique<Impl>();
  impl->path = name;
  impl->memory = std::move(bytes);
  elf_version(EV_CURRENT);
  impl->elf = elf_memory(impl->memory.data(), impl->memory.size());
  return load(std::move(impl));
}

Result<std::unique_ptr<ElfFile>> ElfFile::load(std::unique_ptr<Impl> impl) {
  Elf* elf = impl->elf;
  if (elf == nullptr) return elf_error(impl->path, "open ELF file");
  if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &impl->ehdr) == nullptr) {
    return Error{Errc::bad_input, "open ELF file " + impl->path + ": not an ELF file", {}};
  }
  if (impl->ehdr.e_ident[EI_CLASS] != ELFCLASS64 || impl->ehdr.e_ident[EI_DATA] != ELFDATA2LSB) {
    return Error{Errc::unsupported, "open ELF file " + impl->path + ": not a 64-bit little-endian file", {}};
  }
  std::size_t segment_count = 0;
  if (elf_getphdrnum(elf, &segment_count) != 0) segment_count = 0;
  for (std::size_t i = 0; i < segment_count && i < kMaxSegments; ++i) {
    GElf_Phdr phdr{};
    if (gelf_getphdr(elf, static_cast<int>(i), &phdr) == nullptr) break;
    impl->segments.push_back({phdr.p_type, phdr.p_flags, phdr.p_vaddr, phdr.p_memsz, phdr.p_offset, phdr.p_filesz});
  }
  std::size_t names = 0;
  const bool has_names = elf_getshdrstrndx(elf, &names) == 0;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr && impl->sections.size() < kMaxSections) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = has_names ? elf_strptr(elf, names, header.sh_name) : nullptr;
    if (name == nullptr) name = "";
    impl->sections.push_back({plain_name(name), header.sh_addr, header.sh_size, header.sh_type, header.sh_flags});
    impl->handles.push_back(section);
    if (header.sh_type == SHT_NOTE && impl->build_id.empty())
      impl->build_id = find_build_id(elf_getdata(section, nullptr));
  }
  for (const ElfSegment& segment : impl->segments) {
    if (segment.type != PT_NOTE || !impl->build_id.empty() || segment.offset > INT64_MAX) continue;
    impl->build_id = find_build_id(
        elf_getdata_rawchunk(elf, static_cast<std::int64_t>(segment.offset), segment.file_size, ELF_T_NHDR));
  }
  return std::unique_ptr<ElfFile>(new ElfFile(std::move(impl)));
}

const std::string& ElfFile::path() const { return impl_->path; }
std::uint16_t ElfFile::machine() const { return impl_->ehdr.e_machine; }
bool ElfFile::is_position_independent() const { return impl_->ehdr.e_type == ET_DYN; }
std::uint64_t ElfFile::entry_point() const { return impl_->ehdr.e_entry; }
const std::vector<ElfSection>& ElfFile::sections() const { return impl_->sections; }
const std::vector<ElfSegment>& ElfFile::segments() const { return impl_->segments; }
const std::string& ElfFile::build_id() const { return impl_->build_id; }
const ElfSection* ElfFile::find_section(std::string_view name) const { return impl_->find(name); }

std::string_view ElfFile::section_data(std::string_view name) {
  const ElfSection* section = impl_->find(name);
  if (section == nullptr || section->type == SHT_NOBITS) return {};
  const auto index = static_cast<std::size_t>(section - impl_->sections.data());
  if (const auto known = impl_->data.find(index); known != impl_->data.end()) return known->second;
  Elf_Scn* handle = impl_->handles[index];
  GElf_Shdr header{};
  std::string_view bytes;
  if (gelf_getshdr(handle, &header) != nullptr) {
    std::size_t names = 0;
    const char* real_name =
        elf_getshdrstrndx(impl_->elf, &names) == 0 ? elf_strptr(impl_->elf, names, header.sh_name) : nullptr;
    const bool gnu_compressed = real_name != nullptr && std::string_view(real_name).starts_with(kGnuCompressedPrefix);
    if ((header.sh_flags & SHF_COMPRESSED) != 0) {
      if (elf_compress(handle, 0, 0) >= 0) bytes = bytes_of(elf_getdata(handle, nullptr));
    } else if (gnu_compressed) {
      if (elf_compress_gnu(handle, 0, 0) >= 0) bytes = bytes_of(elf_getdata(handle, nullptr));
    } else {
      bytes = bytes_of(elf_rawdata(handle, nullptr));
    }
  }
  return impl_->data[index] = bytes;
}

std::string_view ElfFile::bytes_at(std::uint64_t address, std::uint64_t size) {
  for (const ElfSegment& segment : impl_->segments) {
    if (segment.type != PT_LOAD || address < segment.address || address - segment.address >= segment.file_size)
      continue;
    const std::uint64_t skip = address - segment.address;
    if (size > segment.file_size - skip || segment.offset > INT64_MAX - skip) return {};
    return bytes_of(
        elf_getdata_rawchunk(impl_->elf, static_cast<std::int64_t>(segment.offset + skip), size, ELF_T_BYTE));
  }
  return {};
}

bool ElfFile::is_executable_address(std::uint64_t address) const {
  for (const ElfSegment& s : impl_->segments) {
    if (s.type == PT_LOAD && (s.flags & PF_X) != 0 && address >= s.address && address - s.address < s.memory_size) {
      return true;
    }
  }
  return false;
}

bool ElfFile::is_loaded_address(std::uint64_t address) const {
  for (const ElfSegment& s : impl_->segments) {
    if (s.type == PT_LOAD && address >= s.address && address - s.address < s.memory_size) return true;
  }
  return false;
}

}  // namespace xbdbg
