// tracer/agent/io_calls.cc — reading, writing and moving bytes, and opening: only the thread that has to wait does.
//
// Nothing but pipes, stream sockets and their like makes a call wait in its middle. What is longer than such a
// descriptor takes at once goes in pieces, each of which does not block.

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "tracer/agent/blocking.h"

namespace xbdbg::agent {

namespace {

bool would_block(int fd, short events) {
  pollfd p{fd, events, 0};
  if (world(SYS_poll, &p, 1, 0) != 0) return false;
  return (world(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK) == 0;
}

bool nonblocking(int fd) { return (world(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK) != 0; }

long until_ready(const Call& c, short events) {
  if (!rt.scheduler.others_may_run()) return block_for_real(c);
  if (rt.nonblocking_fds.known(c.args[0])) return pass(c);
  long error = wait_ready(static_cast<int>(c.args[0]), events, c.caller);
  return error ? error : pass(c);
}

enum class Kind { other, pipe, stream };  // what takes a part of what it is given, and lets the rest wait

Kind kind_of(int fd) {
  struct stat s {};
  if (world(SYS_fstat, fd, &s) != 0) return Kind::other;
  if (S_ISFIFO(s.st_mode)) return Kind::pipe;
  if (!S_ISSOCK(s.st_mode)) return Kind::other;
  int type = 0;
  socklen_t size = sizeof type;
  long r = world(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &size);
  return r == 0 && type == SOCK_STREAM ? Kind::stream : Kind::other;
}

// The flags of a call about messages: which argument they are, -1: it has none.
int flags_argument(long number) {
  switch (number) {
    case SYS_recvfrom:
    case SYS_sendto:
      return 3;
    case SYS_recvmsg:
    case SYS_sendmsg:
      return 2;
    default:
      return -1;
  }
}

long message_flags(const Call& c) {
  int argument = flags_argument(c.number);
  return argument < 0 ? 0 : c.args[argument];
}

bool never_waits(const Call& c) {
  constexpr long kNow = 8;  // RWF_NOWAIT
  bool placed = c.number == SYS_preadv2 || c.number == SYS_pwritev2;
  if (placed) return c.args[3] != -1 || (c.args[5] & kNow) != 0;  // at an offset: a file, which is always ready
  return (message_flags(c) & (MSG_DONTWAIT | MSG_OOB | MSG_ERRQUEUE)) != 0;
}

// Less than one number from an eventfd or its like (they have no type) is an error, and nothing is nothing.
bool too_small(const Call& c) {
  if (c.args[2] == 0) return true;
  if (c.args[2] >= 8) return false;
  pollfd p{static_cast<int>(c.args[0]), POLLIN, 0};
  if (world(SYS_poll, &p, 1, 0) != 0) return true;  // it does not have to wait, whatever it is
  struct stat s {};
  return world(SYS_fstat, c.args[0], &s) == 0 && (s.st_mode & S_IFMT) == 0;
}

// recv with MSG_WAITALL on a stream.
long receive_all(const Call& c) {
  long size = c.args[2], done = 0;
  while (done < size) {
    long r = wait_ready(static_cast<int>(c.args[0]), POLLIN, c.caller);
    if (r == 0) {
      Call piece = c;
      piece.args[1] += done;
      piece.args[2] -= done;
      piece.args[3] = (c.args[3] & ~MSG_WAITALL) | MSG_DONTWAIT;
      r = pass(piece);
    }
    if (r <= 0) return done ? done : r;
    done += r;
  }
  return done;
}

// What a call writes, wherever it keeps its iovec array.
struct Source {
  const iovec* parts;
  std::uint64_t count;
  iovec whole;

  explicit Source(const Call& c) : parts(&whole), count(1), whole{} {
    if (c.number == SYS_write || c.number == SYS_sendto) {
      whole = {reinterpret_cast<void*>(c.args[1]), static_cast<std::size_t>(c.args[2])};
    } else if (c.number == SYS_sendmsg) {
      const auto* message = reinterpret_cast<const msghdr*>(c.args[1]);
      parts = message->msg_iov;
      count = message->msg_iovlen;
    } else {
      parts = reinterpret_cast<const iovec*>(c.args[1]);
      count = static_cast<std::uint64_t>(c.args[2]);
    }
  }
  Source(const Source&) = delete;

  std::uint64_t size() const {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < count; i++) sum += parts[i].iov_len;
    return sum;
  }
  // From `done` to the end of the part that this byte is in.
  iovec at(std::uint64_t done) const {
    std::uint64_t i = 0;
    for (; done >= parts[i].iov_len; i++) done -= parts[i].iov_len;
    return {static_cast<char*>(parts[i].iov_base) + done, parts[i].iov_len - done};
  }
};

// A pipe that is writable takes PIPE_BUF bytes without blocking, and no more for sure.
constexpr std::uint64_t kPiece = 4096;
constexpr std::uint64_t kMaxParts = 1024;  // more is an error, which the kernel reports

long write_piece(const Call& c, const Source& source, std::uint64_t done, bool pipe) {
  long flags = message_flags(c) | MSG_DONTWAIT;
  if (c.number == SYS_sendmsg && done == 0) return world(SYS_sendmsg, c.args[0], c.args[1], flags);
  iovec part = source.at(done);
  if (pipe) return world(SYS_write, c.args[0], part.iov_base, part.iov_len < kPiece ? part.iov_len : kPiece);
  return world(SYS_sendto, c.args[0], part.iov_base, part.iov_len, flags, 0, 0);
}

long write_in_pieces(const Call& c, const Source& source, bool pipe) {
  int fd = static_cast<int>(c.args[0]);
  std::uint64_t done = 0, size = source.size();
  while (done < size) {
    long r = wait_ready(fd, POLLOUT, c.caller);
    if (r == 0) {
      r = write_piece(c, source, done, pipe);
      if (r == -EAGAIN) {  // ready, but not for this
        r = park(Operation::io_wait, static_cast<std::uint64_t>(fd), kNever, kLookAgain, true, c.caller);
        if (r == 0) continue;
      }
    }
    if (r <= 0) return done ? static_cast<long>(done) : r;
    done += static_cast<std::uint64_t>(r);
  }
  return static_cast<long>(done);
}

}  // namespace

std::uint64_t socket_deadline(int fd, int option) {
  timeval t{};
  socklen_t size = sizeof t;
  if (world(SYS_getsockopt, fd, SOL_SOCKET, option, &t, &size) != 0) return kNever;
  std::uint64_t ns =
      static_cast<std::uint64_t>(t.tv_sec) * kNsPerSecond + static_cast<std::uint64_t>(t.tv_usec) * 1000;
  return ns == 0 ? kNever : rt.clock.now() + ns;
}

long wait_ready(int fd, short events, const Caller& caller) {
  bool asked = false;
  std::uint64_t deadline = kNever;
  while (would_block(fd, events)) {
    if (!asked) deadline = socket_deadline(fd, events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO);
    asked = true;
    pollfd p{fd, events, 0};
    long error = park(Operation::io_wait, static_cast<std::uint64_t>(fd), deadline,
                      {ExternalWait::Kind::fds, &p, 1, 0}, deadline == kNever, caller);
    if (error == -ETIMEDOUT) return would_block(fd, events) ? -EAGAIN : 0;
    if (error) return error;
  }
  return 0;
}

long call_read_like(const Call& c) {
  if (never_waits(c) || (c.number == SYS_read && too_small(c))) return pass(c);
  bool all = c.number == SYS_recvfrom && (c.args[3] & (MSG_WAITALL | MSG_PEEK)) == MSG_WAITALL;
  if (all && kind_of(static_cast<int>(c.args[0])) == Kind::stream) return receive_all(c);
  return until_ready(c, POLLIN);
}

long call_write_like(const Call& c) {
  int fd = static_cast<int>(c.args[0]);
  if (never_waits(c) || !rt.scheduler.others_may_run()) return block_for_real(c);
  Source source(c);
  if (source.count > kMaxParts || source.size() == 0) return pass(c);
  if (source.size() <= kPiece) return until_ready(c, POLLOUT);
  Kind kind = kind_of(fd);
  if (kind == Kind::other) return until_ready(c, POLLOUT);
  return nonblocking(fd) ? pass(c) : write_in_pieces(c, source, kind == Kind::pipe);
}

// Several messages are one after the other.
long call_sendmmsg(const Call& c) {
  auto* messages = reinterpret_cast<mmsghdr*>(c.args[1]);
  for (long i = 0; i < c.args[2]; i++) {
    Call one = c;
    one.number = SYS_sendmsg;
    one.args[1] = reinterpret_cast<long>(&messages[i].msg_hdr);
    one.args[2] = c.args[3];
    long r = call_write_like(one);
    if (r < 0) return i ? i : r;
    messages[i].msg_len = static_cast<unsigned>(r);
  }
  return c.args[2];
}

// As the kernel does: the time limit is looked at only when a message has come.
long call_recvmmsg(const Call& c) {
  auto* messages = reinterpret_cast<mmsghdr*>(c.args[1]);
  const auto* timeout = reinterpret_cast<const timespec*>(c.args[4]);
  if (timeout && (!valid_ns(*timeout) || timeout->tv_sec < 0)) return -EINVAL;
  std::uint64_t deadline = timeout ? rt.clock.from_relative(*timeout) : kNever;
  long i = 0;
  for (; i < c.args[2]; i++) {
    Call one = c;
    one.number = SYS_recvmsg;
    one.args[1] = reinterpret_cast<long>(&messages[i].msg_hdr);
    one.args[2] = c.args[3] & ~MSG_WAITFORONE;
    if (i > 0 && (c.args[3] & MSG_WAITFORONE)) one.args[2] |= MSG_DONTWAIT;
    long r = call_read_like(one);
    if (r < 0) return i ? i : r;
    messages[i].msg_len = static_cast<unsigned>(r);
    if (deadline <= rt.clock.now()) return i + 1;
  }
  return i;
}

// ---------------------------------------------------------------------------------------------------------------
// Moving bytes between descriptors.

// Makes the call, which does not wait at pipes, until it has done something.
static long when_both_ready(const Call& attempt, int in, int out) {
  for (;;) {
    long error = in < 0 ? 0 : wait_ready(in, POLLIN, attempt.caller);
    if (!error && out >= 0) error = wait_ready(out, POLLOUT, attempt.caller);
    if (error) return error;
    long r = pass(attempt);
    if (r != -EAGAIN || (in >= 0 && nonblocking(in)) || (out >= 0 && nonblocking(out))) return r;
    error = park(Operation::io_wait, static_cast<std::uint64_t>(attempt.args[0]), kNever, kLookAgain, true,
                 attempt.caller);
    if (error) return error;
  }
}

long call_splice(const Call& c) {
  int out = c.number == SYS_tee ? 1 : 2, flags = c.number == SYS_tee ? 3 : 5;
  if ((c.args[flags] & SPLICE_F_NONBLOCK) || !rt.scheduler.others_may_run()) return block_for_real(c);
  Call attempt = c;
  attempt.args[flags] |= SPLICE_F_NONBLOCK;
  return when_both_ready(attempt, static_cast<int>(c.args[0]), static_cast<int>(c.args[out]));
}

long call_vmsplice(const Call& c) {
  int fd = static_cast<int>(c.args[0]);
  if ((c.args[3] & SPLICE_F_NONBLOCK) || !rt.scheduler.others_may_run()) return block_for_real(c);
  Call attempt = c;
  attempt.args[3] |= SPLICE_F_NONBLOCK;
  bool writes = (world(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) == O_WRONLY;
  return when_both_ready(attempt, writes ? -1 : fd, writes ? fd : -1);
}

// A page of the file takes one slot of a pipe, however little of it is sent.
static long send_file_piece(const Call& c, long size, bool pipe) {
  constexpr long kPage = 4096, kForSocket = 4 * kPage;
  Call piece = c;
  long room = kForSocket;
  if (pipe) {
    long position = c.args[2] ? *reinterpret_cast<long*>(c.args[2]) : world(SYS_lseek, c.args[1], 0, SEEK_CUR);
    room = kPage - (position & (kPage - 1));
  }
  piece.args[3] = size < room ? size : room;
  return pass(piece);
}

long call_sendfile(const Call& c) {
  int out = static_cast<int>(c.args[0]);
  if (!rt.scheduler.others_may_run()) return block_for_real(c);
  Kind kind = kind_of(out);
  if (kind == Kind::other || nonblocking(out)) return pass(c);
  long done = 0;
  while (done < c.args[3]) {
    long r = wait_ready(out, POLLOUT, c.caller);
    if (r == 0) r = send_file_piece(c, c.args[3] - done, kind == Kind::pipe);
    if (r <= 0) return done ? done : r;
    done += r;
  }
  return done;
}

// ---------------------------------------------------------------------------------------------------------------
// Opening a FIFO waits for its other side.

// Without a writer and without data, tee says 0; with one, EAGAIN. A writer that has come and gone is a hang-up.
static bool has_writer(int fd) {
  pollfd p{fd, POLLIN, 0};
  int scratch[2] = {-1, -1};
  if (world(SYS_poll, &p, 1, 0) != 0 || world(SYS_pipe2, scratch, O_CLOEXEC | O_NONBLOCK) != 0) return true;
  long r = world(SYS_tee, fd, scratch[1], 1, SPLICE_F_NONBLOCK);
  world(SYS_close, scratch[0]);
  world(SYS_close, scratch[1]);
  return r != 0;
}

// Opened without waiting, the reading side always succeeds, and the writing side not before there is a reader.
static long open_fifo(const Call& c, int flags) {
  Call attempt = c;
  attempt.args[flags] |= O_NONBLOCK;
  bool reads = (c.args[flags] & O_ACCMODE) == O_RDONLY;
  for (long fd = -1;;) {
    if (fd < 0) fd = pass(attempt);
    if (fd < 0 && fd != -ENXIO) return fd;
    if (fd >= 0 && (!reads || has_writer(static_cast<int>(fd)))) {
      world(SYS_fcntl, fd, F_SETFL, world(SYS_fcntl, fd, F_GETFL) & ~O_NONBLOCK);
      return fd;
    }
    long error = park(Operation::io_wait, static_cast<std::uint64_t>(fd), kNever, kLookAgain, true, c.caller);
    if (error && fd >= 0) world(SYS_close, fd);
    if (error) return error;
  }
}

long call_open(const Call& c) {
  int flags = c.number == SYS_open ? 1 : 2;
  bool waits = (c.args[flags] & (O_NONBLOCK | O_PATH | O_DIRECTORY)) == 0 && (c.args[flags] & O_ACCMODE) != O_RDWR;
  if (!waits || !rt.scheduler.others_may_run()) return pass(c);
  struct stat s {};
  long found =
      c.number == SYS_open ? world(SYS_stat, c.args[0], &s) : world(SYS_newfstatat, c.args[0], c.args[1], &s, 0);
  return found == 0 && S_ISFIFO(s.st_mode) ? open_fifo(c, flags) : pass(c);
}

}  // namespace xbdbg::agent
