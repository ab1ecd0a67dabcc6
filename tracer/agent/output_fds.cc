#include "tracer/agent/output_fds.h"

#include <fcntl.h>

#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

void OutputFds::init() {
  streams_[1] = 1;
  streams_[2] = 2;
}

void OutputFds::bequeath(Heritage& h) const {
  for (int fd = 0; fd < kMax; fd++) {
    h.output_streams[fd] = 0;
    if (!rt.journal.active() || streams_[fd] == 0) continue;
    long flags = world(SYS_fcntl, fd, F_GETFD, 0);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) h.output_streams[fd] = streams_[fd];
  }
}

void OutputFds::inherit(const Heritage& h) {
  for (int fd = 0; fd < kMax; fd++) streams_[fd] = h.output_streams[fd];
}

bool OutputFds::must_fail(const Call& c) const {
  switch (c.number) {
    case SYS_sendfile:
    case SYS_vmsplice:
      return stream_of(c.args[0]) != 0;
    case SYS_tee:
      return stream_of(c.args[1]) != 0;
    case SYS_splice:
    case SYS_copy_file_range:
      return stream_of(c.args[2]) != 0;
    default:
      return false;
  }
}

void OutputFds::print(int stream, const iovec* pieces, int count, std::uint64_t left) {
  for (int i = 0; i < count && left > 0; i++) {
    const char* from = static_cast<const char*>(pieces[i].iov_base);
    std::uint64_t size = pieces[i].iov_len < left ? pieces[i].iov_len : left;
    left -= size;
    while (size > 0) {
      long n = sys(SYS_write, stream, from, size);
      if (n <= 0) return;  // whoever reads it has gone
      from += n;
      size -= static_cast<std::uint64_t>(n);
    }
  }
}

void OutputFds::written(int stream, const iovec* pieces, int count, long result) {
  if (stream == 0 || result <= 0) return;
  auto bytes = static_cast<std::uint64_t>(result);
  rt.journal.output(stream, pieces, count, bytes);
  if (rt.journal.replaying()) print(stream, pieces, count, bytes);
}

void OutputFds::unanswered(const Call& c) {
  int stream = stream_of(c.args[0]);
  iovec whole{reinterpret_cast<void*>(c.args[1]), static_cast<std::size_t>(c.args[2])};
  if (stream == 0) return;
  if (c.number == SYS_write) print(stream, &whole, 1, whole.iov_len);
  if (c.number == SYS_writev)
    print(stream, reinterpret_cast<const iovec*>(c.args[1]), static_cast<int>(c.args[2]), ~std::uint64_t{0});
}

void OutputFds::after(const Call& c, long result) {
  iovec whole{reinterpret_cast<void*>(c.args[1]), static_cast<std::size_t>(c.args[2])};
  switch (c.number) {
    case SYS_write:
    case SYS_pwrite64:
    case SYS_sendto:
      return written(stream_of(c.args[0]), &whole, 1, result);
    case SYS_writev:
    case SYS_pwritev:
    case SYS_pwritev2:
      return written(stream_of(c.args[0]), reinterpret_cast<const iovec*>(c.args[1]), static_cast<int>(c.args[2]),
                     result);
    case SYS_dup:
      return set(result, stream_of(c.args[0]));
    case SYS_dup2:
    case SYS_dup3:
      if (result >= 0) set(result, stream_of(c.args[0]));
      return;
    case SYS_fcntl:
      if (c.args[1] == F_DUPFD || c.args[1] == F_DUPFD_CLOEXEC) set(result, stream_of(c.args[0]));
      return;
    case SYS_close:
      return set(c.args[0], 0);
    case SYS_close_range:
      if (result == 0 && (c.args[2] & 4 /* CLOSE_RANGE_CLOEXEC */) == 0)
        for (long fd = c.args[0] & 0xffffffff; fd < kMax && fd <= (c.args[1] & 0xffffffff); fd++) set(fd, 0);
      return;
    default:
      return;
  }
}

}  // namespace xbdbg::agent
