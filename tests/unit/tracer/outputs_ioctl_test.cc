// What ioctl, fcntl, prctl and their like write, checked against the running kernel.
#include <asm/prctl.h>
#include <asm/termbits.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/prctl.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "tests/support/temp_dir.h"
#include "tests/unit/tracer/call_memory.h"
#include "tracer/base/unique_fd.h"

namespace xbdbg::test {
namespace {

TEST(IoctlOutputs, Terminals) {
  CallMemory m;
  const UniqueFd terminal{::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)};
  if (!terminal) GTEST_SKIP() << "no pseudo terminals here";
  const int fd = terminal.get();
  EXPECT_EQ(m.call(SYS_ioctl, fd, TCGETS, m.poisoned<termios>()), 0);
  EXPECT_EQ(m.call(SYS_ioctl, fd, TCGETS2, m.poisoned<termios2>()), 0);
  EXPECT_EQ(m.call(SYS_ioctl, fd, TCGETA, m.poisoned<termio>()), 0);
  EXPECT_EQ(m.call(SYS_ioctl, fd, TIOCGWINSZ, m.poisoned<winsize>()), 0);
  EXPECT_EQ(m.call(SYS_ioctl, fd, TIOCGPTN, m.poisoned<int>()), 0);
  EXPECT_EQ(m.call(SYS_ioctl, fd, TIOCGPTLCK, m.poisoned<int>()), 0);
  EXPECT_EQ(m.call(SYS_ioctl, fd, TIOCGPKT, m.poisoned<int>()), 0);
  EXPECT_EQ(m.call(SYS_ioctl, fd, TIOCGETD, m.poisoned<int>()), 0);
  EXPECT_EQ(m.call(SYS_ioctl, fd, TIOCOUTQ, m.poisoned<int>()), 0);
  EXPECT_EQ(m.call(SYS_ioctl, fd, FIONREAD, m.poisoned<int>()), 0);
  EXPECT_EQ(m.call(SYS_ioctl, fd, TIOCGPGRP, m.poisoned<int>()), 0);
  EXPECT_EQ(m.call(SYS_ioctl, fd, TIOCGEXCL, m.poisoned<int>()), 0);
  EXPECT_EQ(m.call(SYS_ioctl, fd, TIOCSPTLCK, m.holding(0)), 0);
  EXPECT_EQ(m.area_bytes(), 0u);
  EXPECT_EQ(m.call(SYS_ioctl, fd, 0x7a01, m.poisoned<int>()), -ENOTTY);
}

TEST(IoctlOutputs, PipesAndSockets) {
  CallMemory m;
  int fds[2];
  ASSERT_EQ(::pipe(fds), 0);
  ASSERT_EQ(::write(fds[1], "hello", 5), 5);
  auto* waiting = m.poisoned<int>();
  EXPECT_EQ(m.call(SYS_ioctl, fds[0], FIONREAD, waiting), 0);
  EXPECT_EQ(*waiting, 5);
  EXPECT_EQ(m.call(SYS_ioctl, fds[0], FIONBIO, m.holding(1)), 0);
  EXPECT_EQ(m.call(SYS_ioctl, fds[0], FIOCLEX, nullptr), 0);
  ::close(fds[0]);
  ::close(fds[1]);
}

TEST(IoctlOutputs, NetworkInterfaces) {
  CallMemory m;
  const UniqueFd socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  const int fd = socket.get();
  auto* list = m.poisoned<ifconf>();
  list->ifc_len = 10 * sizeof(ifreq);
  list->ifc_req = m.poisoned<ifreq>(10);
  EXPECT_EQ(m.call(SYS_ioctl, fd, SIOCGIFCONF, list), 0);
  EXPECT_GT(list->ifc_len, 0);
  auto loopback = [&] {
    auto* request = m.poisoned<ifreq>();
    std::memcpy(request->ifr_name, "lo", 3);
    return request;
  };
  for (const long request : {SIOCGIFFLAGS, SIOCGIFADDR, SIOCGIFNETMASK, SIOCGIFMTU, SIOCGIFHWADDR, SIOCGIFINDEX,
                             SIOCGIFTXQLEN, SIOCGIFMETRIC, SIOCGIFMAP}) {
    EXPECT_EQ(m.call(SYS_ioctl, fd, request, loopback()), 0) << std::hex << request;
  }
  EXPECT_EQ(m.call(SYS_ioctl, fd, FIOGETOWN, m.poisoned<int>()), 0);
}

TEST(IoctlOutputs, Files) {
  CallMemory m;
  const TempDir dir;
  const UniqueFd file{::open(dir.file("file", "content").c_str(), O_RDWR | O_CLOEXEC)};
  const int fd = file.get();
  auto works = [](long r) { return r == 0 || r == -ENOTTY || r == -EOPNOTSUPP || r == -EPERM; };
  EXPECT_EQ(m.call(SYS_ioctl, fd, FIGETBSZ, m.poisoned<int>()), 0);
  EXPECT_EQ(m.call(SYS_ioctl, fd, FIONREAD, m.poisoned<int>()), 0);
  EXPECT_EQ(m.call(SYS_ioctl, fd, FIOQSIZE, m.poisoned<std::int64_t>()), 0);
  EXPECT_TRUE(works(m.call(SYS_ioctl, fd, FS_IOC_GETFLAGS, m.poisoned<int>())));
  EXPECT_TRUE(works(m.call(SYS_ioctl, fd, FS_IOC_GETVERSION, m.poisoned<int>())));
  EXPECT_TRUE(works(m.call(SYS_ioctl, fd, FS_IOC_FSGETXATTR, m.poisoned<fsxattr>())));
  EXPECT_TRUE(works(m.call(SYS_ioctl, fd, FS_IOC_GETFSLABEL, m.poisoned<char>(256))));
  auto* map = reinterpret_cast<struct fiemap*>(m.poisoned<char>(sizeof(struct fiemap) + 3 * sizeof(fiemap_extent)));
  std::memset(map, 0, sizeof *map);
  map->fm_length = ~0ULL;
  map->fm_flags = FIEMAP_FLAG_SYNC;
  map->fm_extent_count = 3;
  EXPECT_TRUE(works(m.call(SYS_ioctl, fd, FS_IOC_FIEMAP, map)));
  map->fm_flags = 0x80000000;
  const long r = m.call(SYS_ioctl, fd, FS_IOC_FIEMAP, map);
  EXPECT_TRUE(r == -EBADR || works(r)) << r;
}

TEST(IoctlOutputs, LocksAndOwnersOfFiles) {
  CallMemory m;
  const TempDir dir;
  const UniqueFd file{::open(dir.file("file", "content").c_str(), O_RDWR | O_CLOEXEC)};
  auto* lock = m.poisoned<struct flock>();
  *lock = {};
  lock->l_type = F_WRLCK;
  EXPECT_EQ(m.call(SYS_fcntl, file.get(), F_GETLK, lock), 0);
  *lock = {};
  lock->l_type = F_WRLCK;
  EXPECT_EQ(m.call(SYS_fcntl, file.get(), F_OFD_GETLK, lock), 0);
  EXPECT_EQ(m.call(SYS_fcntl, file.get(), F_GETOWN_EX, m.poisoned<int>(2)), 0);
  constexpr int kGetHint = 1035;
  EXPECT_EQ(m.call(SYS_fcntl, file.get(), kGetHint, m.poisoned<std::uint64_t>()), 0);
  EXPECT_GE(m.call(SYS_fcntl, file.get(), F_GETFL, 0), 0);
  EXPECT_EQ(m.area_bytes(), 0u);
}

TEST(IoctlOutputs, Prctl) {
  CallMemory m;
  EXPECT_EQ(m.call(SYS_prctl, PR_GET_NAME, m.poisoned<char>(16), 0, 0, 0), 0);
  EXPECT_EQ(m.call(SYS_prctl, PR_GET_PDEATHSIG, m.poisoned<int>(), 0, 0, 0), 0);
  EXPECT_EQ(m.call(SYS_prctl, PR_GET_TSC, m.poisoned<int>(), 0, 0, 0), 0);
  EXPECT_EQ(m.call(SYS_prctl, PR_GET_CHILD_SUBREAPER, m.poisoned<int>(), 0, 0, 0), 0);
  EXPECT_GE(m.call(SYS_prctl, PR_GET_DUMPABLE, 0, 0, 0, 0), 0);
  const long tid = m.call(SYS_prctl, PR_GET_TID_ADDRESS, m.poisoned<void*>(), 0, 0, 0);
  EXPECT_TRUE(tid == 0 || tid == -EINVAL) << "a kernel may lack it";
  constexpr int kGetAuxv = 0x41555856;
  const long auxv = m.call(SYS_prctl, kGetAuxv, m.poisoned<char>(64), 64, 0, 0);
  EXPECT_TRUE(auxv > 64 || auxv == -EINVAL) << "cut to what fits";
  EXPECT_EQ(m.call(SYS_arch_prctl, ARCH_GET_FS, m.poisoned<long>()), 0);
  EXPECT_EQ(m.call(SYS_arch_prctl, ARCH_GET_GS, m.poisoned<long>()), 0);
}

}  // namespace
}  // namespace xbdbg::test
