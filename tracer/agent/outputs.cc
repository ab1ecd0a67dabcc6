#include "tracer/agent/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "tracer/agent/output_walk.h"

namespace xbdbg::agent {
namespace {

constexpr std::uint64_t kPage = 4096;

// Before the call nobody has looked at the program's pointers yet.
bool readable(AskKernel ask, long address, std::uint64_t size) {
  constexpr long kNoSuchHow = -1, kSetBytes = 8, kPageMask = kPage - 1;
  if (address == 0) return false;
  const long last = address + static_cast<long>(size) - 1;
  for (long at = address; at <= last; at = (at | kPageMask) + 1) {
    // The kernel reads the set first, and then finds that it does not know what to do with it.
    const long args[6] = {kNoSuchHow, at & -kSetBytes, 0, kSetBytes, 0, 0};
    if (ask(SYS_rt_sigprocmask, args) == -EFAULT) return false;
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------------------
// Buffers of several pieces.

void iovec_outputs(const OutputWalk& w, long array, std::uint64_t count, std::uint64_t bytes) {
  for (std::uint64_t i = 0; i < count && bytes != 0; ++i) {
    const auto piece = value_at<iovec>(array, i * sizeof(iovec));
    const std::uint64_t size = piece.iov_len < bytes ? piece.iov_len : bytes;
    w.area(reinterpret_cast<long>(piece.iov_base), size);
    bytes -= size;
  }
}

// Lengths and flags in the header are outputs, too.
void message_outputs(const OutputWalk& w, long header, std::uint64_t header_bytes, std::uint32_t name_bytes,
                     std::uint64_t bytes) {
  const auto message = value_at<msghdr>(header);
  w.area(header, header_bytes);
  w.area(reinterpret_cast<long>(message.msg_name),
         message.msg_namelen < name_bytes ? message.msg_namelen : name_bytes);
  w.area(reinterpret_cast<long>(message.msg_control), message.msg_controllen);
  iovec_outputs(w, reinterpret_cast<long>(message.msg_iov), message.msg_iovlen, bytes);
}

void messages_outputs(const OutputWalk& w, long array) {
  const long count = w.result < OutputLimits::kMaxMessages ? w.result : OutputLimits::kMaxMessages;
  for (long i = 0; i < count; ++i) {
    const long at = array + i * static_cast<long>(sizeof(mmsghdr));
    const std::uint32_t name_bytes = i < w.before.count ? w.before.names[i] : 0;
    message_outputs(w, at, sizeof(mmsghdr), name_bytes, value_at<mmsghdr>(at).msg_len);
  }
}

void value_result_outputs(const OutputWalk& w, long address, long length) {
  if (address == 0) return;  // then the length is not looked at
  const auto bytes = value_at<socklen_t>(length);
  w.area(address, bytes < w.before.length ? bytes : w.before.length);
  w.area(length, sizeof bytes);
}

// The kernel looks at no more bits than there are places for files in its table, whatever it is told. A program that
// says "as many as there could be" has a set of the usual size; what lies beyond that must prove to be there.
void bit_set_outputs(const OutputWalk& w, long address, int bits) {
  constexpr int kUsual = FD_SETSIZE, kLongest = 65536, kLongBits = 64;
  if (address == 0 || bits <= 0) return;
  auto bytes = static_cast<std::uint64_t>((bits + kLongBits - 1L) / kLongBits * 8);
  if (bits > kUsual && (bits > kLongest || !readable(w.before.ask, address, bytes))) bytes = kUsual / 8;
  w.area(address, bytes);
}

// ---------------------------------------------------------------------------------------------------------------

bool is_written(When when, long result) {
  if (result == -EFAULT) return false;
  switch (when) {
    case When::success:
      return result >= 0;
    case When::positive:
      return result > 0;
    case When::interrupted:
      return result >= 0 || result == -EINTR;
    case When::too_small:
      return result >= 0 || result == -E2BIG || result == -ERANGE || result == -EOVERFLOW;
    case When::any:
      return true;
  }
  return false;
}

void walk(const OutputWalk& w, const Output& o) {
  const long address = w.args[o.argument], other = w.args[o.other];
  const auto count = static_cast<std::uint64_t>(other);
  switch (o.extent) {  // clang-format off
    case Extent::none: return;
    case Extent::fixed: return w.area(address, o.unit);
    case Extent::result: return w.area(address, w.result_of(other) * o.unit);
    case Extent::argument: return w.area(address, count * o.unit);
    case Extent::bits: return bit_set_outputs(w, address, static_cast<int>(other));
    case Extent::pages: return w.area(address, (count + kPage - 1) / kPage);
    case Extent::node_mask: return w.area(address, (count + 62) / 64 * 8);  // one bit less than it says
    case Extent::message: return w.area(address, sizeof(long) + w.result_of(other));
    case Extent::value_result: return value_result_outputs(w, address, other);
    case Extent::iovec: return iovec_outputs(w, address, count, static_cast<std::uint64_t>(w.result));
    case Extent::own_iovec:
    case Extent::pipe_iovec:
      return iovec_outputs(w, address, w.before.count != 0 ? count : 0, static_cast<std::uint64_t>(w.result));
    case Extent::msghdr:
      return message_outputs(w, address, sizeof(msghdr), w.before.length, static_cast<std::uint64_t>(w.result));
    case Extent::mmsghdr: return messages_outputs(w, address);
    case Extent::arch_prctl: return arch_prctl_outputs(w);
    case Extent::capget: return capget_outputs(w);
    case Extent::capset: return capset_outputs(w);
    case Extent::clone: return clone_outputs(w);
    case Extent::clone3: return clone3_outputs(w);
    case Extent::fcntl: return fcntl_outputs(w);
    case Extent::file_handle: return file_handle_outputs(w);
    case Extent::ioctl: return ioctl_outputs(w);
    case Extent::keyctl: return keyctl_outputs(w);
    case Extent::msgctl: return msgctl_outputs(w);
    case Extent::prctl: return prctl_outputs(w);
    case Extent::quotactl: return quotactl_outputs(w, other);
    case Extent::seccomp: return seccomp_outputs(w);
    case Extent::semctl: return semctl_outputs(w);
    case Extent::shmctl: return shmctl_outputs(w);
    case Extent::sysfs: return sysfs_outputs(w);
    case Extent::syslog: return syslog_outputs(w);
    case Extent::xattr_args: return xattr_outputs(w);
  }  // clang-format on
}

// ---------------------------------------------------------------------------------------------------------------
// Before the call.

std::uint32_t semaphores_of(AskKernel ask, long set) {
  constexpr long kStat = 2;
  semid_ds info;
  const long args[6] = {set, 0, kStat, reinterpret_cast<long>(&info), 0, 0};
  return ask(SYS_semctl, args) < 0 ? 0 : static_cast<std::uint32_t>(info.sem_nsems);
}

bool is_read_only(AskKernel ask, long fd) {
  const long args[6] = {fd, F_GETFL, 0, 0, 0, 0};
  const long flags = ask(SYS_fcntl, args);
  return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY;
}

bool is_our_pid(AskKernel ask, long pid) {
  const long args[6] = {};
  return ask(SYS_getpid, args) == static_cast<int>(pid);
}

// An address has at most 128 bytes, so that one byte holds its length.
void keep_name_lengths(OutputLimits& limits, long array, std::uint32_t messages) {
  constexpr std::uint32_t kLongestName = sizeof(sockaddr_storage);
  const std::uint32_t count = messages < OutputLimits::kMaxMessages ? messages : OutputLimits::kMaxMessages;
  const bool all_readable = readable(limits.ask, array, count * sizeof(mmsghdr));
  for (std::uint32_t i = 0; i < count; ++i) {
    const long at = array + static_cast<long>(i * sizeof(mmsghdr));
    if (!all_readable && !readable(limits.ask, at, sizeof(mmsghdr))) return;
    const auto length = value_at<mmsghdr>(at).msg_hdr.msg_namelen;
    limits.names[i] = static_cast<std::uint8_t>(length < kLongestName ? length : kLongestName);
    limits.count = i + 1;
  }
}

void look(OutputLimits& limits, const Output& o, const long* args) {
  const long address = args[o.argument], other = args[o.other];
  if (o.extent == Extent::value_result && address != 0 && readable(limits.ask, other, sizeof(socklen_t)))
    limits.length = value_at<socklen_t>(other);
  if (o.extent == Extent::msghdr && readable(limits.ask, address, sizeof(msghdr)))
    limits.length = value_at<msghdr>(address).msg_namelen;
  if (o.extent == Extent::mmsghdr) keep_name_lengths(limits, address, static_cast<std::uint32_t>(other));
  if (o.extent == Extent::semctl && (args[2] & 0xff) == kSemGetAll) limits.count = semaphores_of(limits.ask, args[0]);
  if (o.extent == Extent::pipe_iovec) limits.count = is_read_only(limits.ask, args[0]);
  if (o.extent == Extent::own_iovec) limits.count = is_our_pid(limits.ask, args[0]);
}

}  // namespace

OutputLimits limits_before(const SyscallInfo& info, const long* args, AskKernel ask) {
  OutputLimits limits;  // the names are set where there are any
  limits.ask = ask;
  limits.length = limits.count = 0;
  for (const Output& o : info.outputs) look(limits, o, args);
  return limits;
}

void for_each_output(const SyscallInfo& info, const long* args, long result, const OutputLimits& before,
                     OutputVisitor visit, void* context) {
  const OutputWalk w{args, result, before, visit, context};
  for (const Output& o : info.outputs) {
    if (is_written(o.when, result)) walk(w, o);
  }
}

bool outputs_known(const SyscallInfo& info, const long* args) {
  const Output& first = info.outputs[0];
  if (first.extent == Extent::ioctl) return ioctl_known(static_cast<std::uint32_t>(args[1]));
  if (first.extent == Extent::fcntl) return fcntl_known(static_cast<int>(args[1]));
  if (first.extent == Extent::prctl) return prctl_known(static_cast<int>(args[0]));
  return true;
}

}  // namespace xbdbg::agent
