#include "tracer/agent/shared_memory.h"

#include <fcntl.h>

#include "tracer/agent/gate.h"

namespace xbdbg::agent {

namespace {

// Reads a file byte by byte through a small buffer, without libc.
class ByteSource {
 public:
  explicit ByteSource(int fd) : fd_(fd) {}
  int next() {
    if (at_ == have_) {
      have_ = sys(SYS_read, fd_, buffer_, sizeof buffer_);
      at_ = 0;
      if (have_ <= 0) return -1;
    }
    return static_cast<unsigned char>(buffer_[at_++]);
  }

 private:
  int fd_;
  long at_ = 0, have_ = 0;
  char buffer_[512];
};

std::uint64_t hex(ByteSource& in, int& end) {
  std::uint64_t value = 0;
  for (;;) {
    int c = in.next();
    if (c >= '0' && c <= '9')
      value = value * 16 + static_cast<std::uint64_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value * 16 + static_cast<std::uint64_t>(c - 'a' + 10);
    else {
      end = c;
      return value;
    }
  }
}

}  // namespace

bool is_shared_memory(std::uint64_t address) {
  int fd = static_cast<int>(sys(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0));
  if (fd < 0) return false;
  ByteSource in(fd);
  bool shared = false;
  for (int c = 0; c != -1;) {
    std::uint64_t lo = hex(in, c), hi = hex(in, c);
    if (c == -1) break;
    char perms[4] = {};
    for (char& p : perms) p = static_cast<char>(in.next());
    if (address >= lo && address < hi) {
      shared = perms[3] == 's';
      break;
    }
    while (c != '\n' && c != -1) c = in.next();
  }
  sys(SYS_close, fd);
  return shared;
}

}  // namespace xbdbg::agent
