#include "tracer/memory.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "tracer/base/unique_fd.h"

namespace xbdbg {

namespace {

std::string describe(const char* doing, Pid pid, Addr at, std::size_t size) {
  char text[128];
  std::snprintf(text, sizeof text, "%s %zu bytes at 0x%llx of process %d", doing, size,
                static_cast<unsigned long long>(at.raw()), pid.raw());
  return text;
}

Error access_error(const char* doing, Pid pid, Addr at, std::size_t size, int err) {
  const std::string attempted = describe(doing, pid, at, size);
  if (err == ESRCH) return Error{Errc::target_gone, attempted + ": the process is gone", {}};
  const char* hint = err == EPERM ? "this system restricts ptrace; see `xbdbg doctor`" : "";
  return os_error(attempted, hint, err);
}

iovec remote_range(Addr at, std::size_t size) { return {reinterpret_cast<void*>(at.raw()), size}; }

// /proc/PID/mem ignores page protection, which process_vm_readv honours. Returns bytes done, sets errno when 0.
Result<std::size_t> through_proc_mem(Pid pid, int flags, auto transfer) {
  XB_TRY(UniqueFd mem, open_file("/proc/" + std::to_string(pid.raw()) + "/mem", flags));
  const ssize_t done = transfer(mem.get());
  return done < 0 ? std::size_t{0} : static_cast<std::size_t>(done);
}

}  // namespace

Result<std::size_t> read_memory(Pid pid, Addr from, std::span<std::byte> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const auto rest = into.subspan(done);
    iovec local{rest.data(), rest.size()};
    iovec remote = remote_range(from + done, rest.size());
    const ssize_t n = ::process_vm_readv(pid.raw(), &local, 1, &remote, 1, 0);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
      continue;
    }
    const int err = n == 0 ? EFAULT : errno;
    if (err == ESRCH) return access_error("read", pid, from + done, rest.size(), err);
    auto by_proc = through_proc_mem(pid, O_RDONLY, [&](int fd) {
      return ::pread(fd, rest.data(), rest.size(), static_cast<off_t>((from + done).raw()));
    });
    if (by_proc && *by_proc > 0) {
      done += *by_proc;
      continue;
    }
    if (done > 0) break;
    return access_error("read", pid, from, into.size(), err);
  }
  return done;
}

Result<> read_memory_exactly(Pid pid, Addr from, std::span<std::byte> into) {
  XB_TRY(const std::size_t done, read_memory(pid, from, into));
  if (done < into.size()) return access_error("read", pid, from, into.size(), EFAULT);
  return Ok{};
}

Result<> write_memory(Pid pid, Addr to, std::span<const std::byte> bytes) {
  iovec local{const_cast<std::byte*>(bytes.data()), bytes.size()};
  iovec remote = remote_range(to, bytes.size());
  const ssize_t n = ::process_vm_writev(pid.raw(), &local, 1, &remote, 1, 0);
  if (n >= 0 && static_cast<std::size_t>(n) == bytes.size()) return Ok{};
  const int err = n >= 0 ? EFAULT : errno;
  if (err == ESRCH) return access_error("write", pid, to, bytes.size(), err);
  auto by_proc = through_proc_mem(
      pid, O_WRONLY, [&](int fd) { return ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(to.raw())); });
  if (by_proc && *by_proc == bytes.size()) return Ok{};
  return access_error("write", pid, to, bytes.size(), err);
}

}  // namespace xbdbg
