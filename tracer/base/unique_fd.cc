#include "tracer/base/unique_fd.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdlib>

namespace xbdbg {

Result<UniqueFd> open_file(const std::string& path, int flags, unsigned mode) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);  // opening a FIFO can be interrupted
  if (fd >= 0) return UniqueFd(fd);
  const int err = errno;
  Error error = os_error("open " + path, {}, err);
  if (err == ENOENT) error.code = Errc::not_found;
  return error;
}

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return os_error("make a pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<std::string> read_whole_file(const std::string& path, std::size_t max_bytes) {
  XB_TRY(UniqueFd fd, open_file(path, O_RDONLY));
  std::string content;
  std::array<char, 16384> buffer{};
  // The size is not asked for beforehand: files of /proc have none, and a file may grow while it is read.
  while (true) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os_error("read " + path);
    if (got == 0) return content;
    const auto bytes = static_cast<std::size_t>(got);
    if (bytes > max_bytes - content.size()) {
      return Error{Errc::bad_input, "read " + path + ": larger than " + std::to_string(max_bytes) + " bytes",
                   "is this the right file?"};
    }
    content.append(buffer.data(), bytes);
  }
}

Result<> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return os_error("write to file descriptor " + std::to_string(fd));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return Ok{};
}

namespace {

Result<> fill_and_rename(UniqueFd fd, const std::string& temporary, const std::string& path, std::string_view bytes) {
  // mkostemp makes the file private; what we write is an ordinary file, subject to the umask.
  const mode_t mask = ::umask(0);
  (void)::umask(mask);
  if (::fchmod(fd.get(), 0666 & ~mask) != 0) return os_error("set the mode of " + temporary);
  if (auto written = write_all(fd.get(), bytes); !written) {
    return std::move(written).error().context("write " + path);
  }
  if (::fsync(fd.get()) != 0) return os_error("write " + path);
  if (::close(fd.release()) != 0) return os_error("write " + path);
  if (::rename(temporary.c_str(), path.c_str()) != 0) return os_error("rename " + temporary + " to " + path);
  return Ok{};
}

}  // namespace

Result<> write_file_atomically(const std::string& path, std::string_view bytes) {
  std::string temporary = path + ".XXXXXX";
  UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) return os_error("write " + path, "can files be made in its folder?");
  auto done = fill_and_rename(std::move(fd), temporary, path, bytes);
  if (!done) (void)::unlink(temporary.c_str());
  return done;
}

}  // namespace xbdbg
