// tracer/base/unique_fd.h — every file descriptor has one owner and is CLOEXEC from birth.
#pragma once

#include <unistd.h>

#include <string>
#include <utility>

#include "tracer/base/result.h"

namespace xbdbg {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  void reset() {
    if (fd_ >= 0) (void)::close(std::exchange(fd_, -1));
  }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

struct Pipe {
  UniqueFd read_end{};
  UniqueFd write_end{};
};

Result<UniqueFd> open_file(const std::string& path, int flags, unsigned mode = 0666);  // adds O_CLOEXEC
Result<Pipe> make_pipe();                                                              // O_CLOEXEC
Result<std::string> read_whole_file(const std::string& path, std::size_t max_bytes);   // more is an error
Result<> write_all(int fd, std::string_view bytes);
// Writes to a temporary file beside `path` and renames it: the file is whole or not there.
Result<> write_file_atomically(const std::string& path, std::string_view bytes);

}  // namespace xbdbg
