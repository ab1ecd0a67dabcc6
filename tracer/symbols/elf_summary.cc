#include "tracer/symbols/elf_summary.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <span>

#include "tracer/base/unique_fd.h"

namespace xbdbg {
namespace {

constexpr std::size_t kMaxInterpBytes = 4096;        // PATH_MAX; the kernel refuses more
constexpr std::size_t kMaxDynamicBytes = 64 * 1024;  // a dynamic section has some dozens of 16-byte entries

Error malformed(const std::string& path, const std::string& why) {
  return Error{Errc::bad_input, "read ELF header of " + path + ": " + why, {}};
}

// Reads all of `out` at `offset`; false when the file ends before.
bool read_at(int fd, std::uint64_t offset, std::span<char> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t n = ::pread(fd, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

template <class T>
bool read_struct(int fd, std::uint64_t offset, T& out) {
  if (offset > static_cast<std::uint64_t>(INT64_MAX) - sizeof(T)) return false;
  return read_at(fd, offset, std::span(reinterpret_cast<char*>(&out), sizeof(T)));
}

ElfType type_of(std::uint16_t e_type) {
  switch (e_type) {
    case ET_EXEC:
      return ElfType::executable;
    case ET_DYN:
      return ElfType::dynamic;
    case ET_CORE:
      return ElfType::core;
    case ET_REL:
      return ElfType::relocatable;
    default:
      return ElfType::other;
  }
}

template <class Dyn>
bool dynamic_flags_say_pie(int fd, std::uint64_t offset, std::uint64_t size) {
  if (size > kMaxDynamicBytes) size = kMaxDynamicBytes;
  for (std::uint64_t at = 0; at + sizeof(Dyn) <= size; at += sizeof(Dyn)) {
    Dyn dyn{};
    if (offset > INT64_MAX - at || !read_struct(fd, offset + at, dyn) || dyn.d_tag == DT_NULL) return false;
    if (dyn.d_tag == DT_FLAGS_1) return (dyn.d_un.d_val & DF_1_PIE) != 0;
  }
  return false;
}

template <class Ehdr, class Phdr, class Dyn>
Result<ElfSummary> summarize(int fd, const std::string& path, ElfSummary summary) {
  Ehdr ehdr{};
  if (!read_struct(fd, 0, ehdr)) return malformed(path, "the file is shorter than an ELF header");
  summary.type = type_of(ehdr.e_type);
  summary.machine = ehdr.e_machine;
  if (ehdr.e_phnum != 0 && ehdr.e_phentsize != sizeof(Phdr)) {
    return malformed(path, "program headers of " + std::to_string(ehdr.e_phentsize) + " bytes");
  }
  bool says_pie = false;
  for (std::uint64_t i = 0; i < ehdr.e_phnum; ++i) {
    Phdr phdr{};
    const std::uint64_t at = std::uint64_t{ehdr.e_phoff} + i * sizeof(Phdr);
    if (at < ehdr.e_phoff || !read_struct(fd, at, phdr)) {
      return malformed(path, "program headers lie outside the file");
    }
    if (phdr.p_type == PT_INTERP) {
      if (phdr.p_filesz == 0 || phdr.p_filesz > kMaxInterpBytes || phdr.p_offset > INT64_MAX) {
        return malformed(path, "interpreter name of " + std::to_string(phdr.p_filesz) + " bytes");
      }
      std::string text(phdr.p_filesz, '\0');
      if (!read_at(fd, phdr.p_offset, text)) return malformed(path, "interpreter name lies outside the file");
      summary.interp = text.c_str();
      summary.has_interp = true;
    } else if (phdr.p_type == PT_DYNAMIC) {
      summary.has_dynamic = true;
      says_pie = dynamic_flags_say_pie<Dyn>(fd, phdr.p_offset, phdr.p_filesz);
    }
  }
  if (!summary.has_interp) {
    summary.is_static_pie = summary.type == ElfType::dynamic && says_pie;
    summary.is_static = summary.is_static_pie || summary.type == ElfType::executable;
    summary.is_shared_library = summary.type == ElfType::dynamic && !says_pie;
  }
  return summary;
}

}  // namespace

Result<ElfSummary> read_elf_summary(const std::string& path) {
  XB_TRY(UniqueFd fd, open_file(path, O_RDONLY | O_NONBLOCK));  // O_NONBLOCK: a fifo must not hang us
  std::array<char, EI_NIDENT> ident{};
  if (!read_at(fd.get(), 0, ident) || std::memcmp(ident.data(), ELFMAG, SELFMAG) != 0) {
    return malformed(path, "not an ELF file");
  }
  ElfSummary summary;
  summary.little_endian = ident[EI_DATA] == ELFDATA2LSB;
  if (!summary.little_endian) {  // a foreign machine: its class and machine are all that is asked of it
    std::array<unsigned char, 2> machine{};
    if (!read_struct(fd.get(), offsetof(Elf64_Ehdr, e_machine), machine)) return malformed(path, "truncated");
    summary.elf_class = ident[EI_CLASS] == ELFCLASS32 ? ElfClass::elf32 : ElfClass::elf64;
    summary.machine = static_cast<std::uint16_t>(machine[0] << 8 | machine[1]);
    return summary;
  }
  if (ident[EI_CLASS] == ELFCLASS64) {
    summary.elf_class = ElfClass::elf64;
    return summarize<Elf64_Ehdr, Elf64_Phdr, Elf64_Dyn>(fd.get(), path, std::move(summary));
  }
  if (ident[EI_CLASS] == ELFCLASS32) {
    summary.elf_class = ElfClass::elf32;
    return summarize<Elf32_Ehdr, Elf32_Phdr, Elf32_Dyn>(fd.get(), path, std::move(summary));
  }
  return malformed(path, "unknown ELF class");
}

const char* elf_machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_386:
      return "i386";
    case EM_AARCH64:
      return "aarch64";
    case EM_ARM:
      return "arm";
    case EM_RISCV:
      return "riscv";
    case EM_PPC64:
      return "ppc64";
    case EM_S390:
      return "s390";
    case EM_MIPS:
      return "mips";
    default:
      return "unknown machine";
  }
}

}  // namespace xbdbg
