#include "replay/kept_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "replay/trace_files.h"

namespace xbdbg {

namespace {

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

// File times advance with the timer tick: two changes within one of these have the same time.
constexpr std::int64_t kTimeGrainNs = 20'000'000;

// Does `path` lead to the file that `status` is of? (Not if the program lives in another mount namespace or root, or
// the file was replaced since.)
bool leads_to(const std::string& path, const struct stat& status) {
  struct stat found {};
  return path.starts_with('/') && ::stat(path.c_str(), &found) == 0 && found.st_dev == status.st_dev &&
         found.st_ino == status.st_ino;
}

}  // namespace

bool KeptFiles::Version::same_as(const Version& other) const {
  return device == other.device && inode == other.inode && size == other.size && mtime_ns == other.mtime_ns &&
         ctime_ns == other.ctime_ns && how == other.how;
}

KeptFiles::Version KeptFiles::version_of(const struct stat& status, KeepFile how) {
  timespec now{};
  (void)::clock_gettime(CLOCK_REALTIME, &now);
  Version version{.device = status.st_dev,
                  .inode = status.st_ino,
                  .size = static_cast<std::uint64_t>(status.st_size),
                  .mtime_ns = nanoseconds(status.st_mtim),
                  .ctime_ns = nanoseconds(status.st_ctim),
                  .how = how};
  version.settled = nanoseconds(now) - std::max(version.mtime_ns, version.ctime_ns) > kTimeGrainNs;
  return version;
}

Result<KeptFiles::Answer> KeptFiles::keep(int fd, const std::string& path, KeepFile how,
                                          const std::string& directory) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return os_error("look at " + path);
  if (!S_ISREG(status.st_mode)) {
    return Error{Errc::unsupported, "keep " + path + " in the trace: not a regular file",
                 "devices and other special files that are mapped cannot be recorded"};
  }
  const Version version = version_of(status, how);
  for (std::uint32_t i = 0; i < versions_.size(); ++i) {
    if (versions_[i].settled && versions_[i].same_as(version)) return Answer{i, false};
  }
  if (files_.size() == TraceLimits{}.files) {
    return Error{Errc::unsupported, fmt::format("keep {} in the trace: more than {} files", path, files_.size())};
  }
  KeptFile file;
  if (how == KeepFile::reference && leads_to(path, status)) {
    XB_TRY(file.original, reference_to(path));
  } else {
    file.original = {.path = path.starts_with('/') ? path : "", .size = version.size, .mtime_ns = version.mtime_ns};
    file.copy = fmt::format("files/{}", files_.size());
    XB_CHECK(copy_content(fd, directory + "/" + file.copy));
    XB_TRY(file.checksum, file_checksum(directory + "/" + file.copy));
  }
  files_.push_back(std::move(file));
  versions_.push_back(version);
  return Answer{static_cast<std::uint32_t>(files_.size() - 1), true};
}

}  // namespace xbdbg
