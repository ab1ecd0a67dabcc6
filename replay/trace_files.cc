#include "replay/trace_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <array>
#include <filesystem>
#include <memory>

#include "tracer/base/str.h"
#include "tracer/symbols/elf_file.h"

namespace xbdbg {

namespace {

constexpr std::size_t kBlock = 256 * 1024;

std::string shown(const std::string& build_id) { return build_id.empty() ? "none" : build_id; }

// The slow way, for file systems that have no better one. Some files (of /proc) have content but no size.
Result<> copy_blocks(int from, int to, off_t offset) {
  const auto block = std::make_unique<std::array<char, kBlock>>();
  while (true) {
    const ssize_t got = ::pread(from, block->data(), block->size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os_error("read the file");
    if (got == 0) return Ok{};
    XB_CHECK(write_all(to, std::string_view(block->data(), static_cast<std::size_t>(got))));
    offset += got;
  }
}

Result<> fill(int from, int to) {
  if (::ioctl(to, FICLONE, from) == 0) return Ok{};
  constexpr std::size_t kAtOnce = std::size_t{1} << 30;
  loff_t offset = 0;
  while (::copy_file_range(from, &offset, to, nullptr, kAtOnce, 0) > 0) {
  }
  return copy_blocks(from, to, offset);
}

}  // namespace

Result<UniqueFd> open_regular(const std::string& path) {
  XB_TRY(UniqueFd fd, open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return os_error("look at " + path);
  if (!S_ISREG(status.st_mode)) return Error{Errc::bad_input, "open " + path + ": not a regular file"};
  return fd;
}

Result<FileReference> reference_to(const std::string& path) {
  FileReference reference;
  std::error_code failed;
  reference.path = std::filesystem::absolute(path, failed).lexically_normal();
  if (failed) return Error{Errc::os, "find " + path + ": " + failed.message()};
  XB_TRY(const UniqueFd fd, open_regular(path));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return os_error("look at " + path);
  reference.size = static_cast<std::uint64_t>(status.st_size);
  reference.mtime_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
  // By the descriptor: the name may mean another file by now.
  if (auto elf = ElfFile::open(fmt::format("/proc/self/fd/{}", fd.get()))) {
    reference.build_id = to_hex((*elf)->build_id());
  }
  return reference;
}

std::string difference(const FileReference& then, const FileReference& now) {
  if (then.build_id != now.build_id) {
    return fmt::format("its build-id was {}, and is {} now", shown(then.build_id), shown(now.build_id));
  }
  if (then.size != now.size) return fmt::format("it had {} bytes, and has {} now", then.size, now.size);
  if (then.build_id.empty() && then.mtime_ns != now.mtime_ns) return "it was changed since";
  return "";
}

Result<> copy_content(int from, const std::string& to) {
  XB_TRY(UniqueFd out, open_file(to, O_WRONLY | O_CREAT | O_EXCL, 0666));
  auto filled = fill(from, out.get());
  if (filled && ::close(out.release()) != 0) filled = os_error("close it");
  if (filled) return Ok{};
  (void)::unlink(to.c_str());
  return std::move(filled).error().context("write " + to);
}

Result<std::uint64_t> file_checksum(const std::string& path) {
  XB_TRY(const UniqueFd fd, open_regular(path));
  struct Free {
    void operator()(XXH64_state_t* state) const { XXH64_freeState(state); }
  };
  const std::unique_ptr<XXH64_state_t, Free> state(XXH64_createState());
  XXH64_reset(state.get(), 0);
  const auto block = std::make_unique<std::array<char, kBlock>>();
  while (true) {
    const ssize_t got = ::read(fd.get(), block->data(), block->size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os_error("read " + path);
    if (got == 0) return XXH64_digest(state.get());
    XXH64_update(state.get(), block->data(), static_cast<std::size_t>(got));
  }
}

std::uint64_t disk_usage(const std::string& dir) {
  namespace fs = std::filesystem;
  std::uint64_t bytes = 0;
  std::error_code failed;
  for (auto it = fs::recursive_directory_iterator(dir, failed); !failed && it != fs::recursive_directory_iterator();
       it.increment(failed)) {
    struct stat status {};
    if (::lstat(it->path().c_str(), &status) == 0) bytes += static_cast<std::uint64_t>(status.st_blocks) * 512;
  }
  return bytes;
}

}  // namespace xbdbg
