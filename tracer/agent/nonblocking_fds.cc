#include "tracer/agent/nonblocking_fds.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace xbdbg::agent {

void NonblockingFds::after(const Call& c, long result) {
  if (c.number == SYS_close) return set(c.args[0], false);
  if (result < 0) return;
  switch (c.number) {
    case SYS_fcntl:
      if (c.args[1] == F_SETFL) set(c.args[0], (c.args[2] & O_NONBLOCK) != 0);
      if (c.args[1] == F_DUPFD || c.args[1] == F_DUPFD_CLOEXEC) set(result, known(c.args[0]));
      return;
    case SYS_ioctl:
      if (c.args[1] == FIONBIO) set(c.args[0], *reinterpret_cast<const int*>(c.args[2]) != 0);
      return;
    case SYS_socket:
      return set(result, (c.args[1] & SOCK_NONBLOCK) != 0);
    case SYS_accept4:
      return set(result, (c.args[3] & SOCK_NONBLOCK) != 0);
    case SYS_dup:
    case SYS_dup2:
    case SYS_dup3:
      return set(result, known(c.args[0]));
    case SYS_close_range:
      for (long fd = c.args[0] & 0xffffffff; fd < kMax && fd <= (c.args[1] & 0xffffffff); fd++) set(fd, false);
      return;
    default:
      return;
  }
}

}  // namespace xbdbg::agent
