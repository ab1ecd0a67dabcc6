#include "tracer/agent/maps.h"

#include <fcntl.h>

#include "tracer/agent/gate.h"

namespace xbdbg::agent {

namespace {

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

// "begin-end rwxp offset dev inode   name\n"
bool read_line(ByteSource& in, Mapping& m) {
  int c = 0;
  m.begin = hex(in, c);
  if (c == -1) return false;
  m.end = hex(in, c);
  for (char& p : m.permissions) p = static_cast<char>(in.next());
  int spaces = 0, length = 0;
  bool in_name = false;
  while ((c = in.next()) != '\n' && c != -1) {
    if (!in_name && c == ' ') spaces++;
    if (!in_name && c != ' ' && spaces > 4) in_name = true;
    if (in_name && length < static_cast<int>(sizeof m.name) - 1) m.name[length++] = static_cast<char>(c);
  }
  m.name[length] = 0;
  return c != -1;
}

}  // namespace

void find_mapping(bool (*visit)(void*, const Mapping&), void* context) {
  int fd = static_cast<int>(sys(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0));
  if (fd < 0) return;
  ByteSource in(fd);
  Mapping m;
  while (read_line(in, m))
    if (visit(context, m)) break;
  sys(SYS_close, fd);
}

}  // namespace xbdbg::agent
