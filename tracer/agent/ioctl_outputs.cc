// tracer/agent/ioctl_outputs.cc — what an ioctl writes. Most requests say it themselves: direction and size are in
// their number. Older ones do not, and are listed here, and so are those whose number says something wrong. (lint:
// table)

#include <asm/ioctls.h>
#include <errno.h>
#include <linux/blkpg.h>
#include <linux/cdrom.h>
#include <linux/fb.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/hdreg.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/kd.h>
#include <linux/loop.h>
#include <linux/nsfs.h>
#include <linux/sockios.h>
#include <linux/vt.h>

#include "tracer/agent/output_walk.h"

namespace xbdbg::agent {
namespace {

constexpr std::uint16_t kIfreq = sizeof(ifreq);
constexpr std::uint32_t kFiemap = _IOWR('f', 11, struct fiemap);

constexpr CommandSize kRequests[] = {
    // Terminals.
    {TCGETS, 36},
    {TCSETS, 0},
    {TCSETSW, 0},
    {TCSETSF, 0},
    {TCGETA, 18},
    {TCSETA, 0},
    {TCSETAW, 0},
    {TCSETAF, 0},
    {TCSBRK, 0},
    {TCXONC, 0},
    {TCFLSH, 0},
    {TIOCEXCL, 0},
    {TIOCNXCL, 0},
    {TIOCSCTTY, 0},
    {TIOCGPGRP, 4},
    {TIOCSPGRP, 0},
    {TIOCOUTQ, 4},
    {TIOCSTI, 0},
    {TIOCGWINSZ, 8},
    {TIOCSWINSZ, 0},
    {TIOCMGET, 4},
    {TIOCMBIS, 0},
    {TIOCMBIC, 0},
    {TIOCMSET, 0},
    {TIOCGSOFTCAR, 4},
    {TIOCSSOFTCAR, 0},
    {FIONREAD, 4},
    {TIOCLINUX, 1},
    {TIOCCONS, 0},
    {TIOCGSERIAL, 72},
    {TIOCSSERIAL, 0},
    {TIOCPKT, 0},
    {FIONBIO, 0},
    {TIOCNOTTY, 0},
    {TIOCSETD, 0},
    {TIOCGETD, 4},
    {TCSBRKP, 0},
    {TIOCSBRK, 0},
    {TIOCCBRK, 0},
    {TIOCGSID, 4},
    {TIOCGRS485, 32},
    {TIOCSRS485, 32},
    {TCGETX, 16},
    {TCSETX, 0},
    {TCSETXF, 0},
    {TCSETXW, 0},
    {TIOCVHANGUP, 0},
    {TIOCGPTPEER, 0},
    {FIONCLEX, 0},
    {FIOCLEX, 0},
    {FIOASYNC, 0},
    {TIOCSERGETLSR, 4},
    {TIOCMIWAIT, 0},
    {TIOCGICOUNT, 80},
    {FIOQSIZE, 8},
    // Consoles.
    {KDGETLED, 1},
    {KDSETLED, 0},
    {KDGKBTYPE, 1},
    {KDSETMODE, 0},
    {KDGETMODE, 4},
    {KDGKBMODE, 4},
    {KDSKBMODE, 0},
    {KDGKBMETA, 4},
    {KDSKBMETA, 0},
    {KDGKBLED, 1},
    {KDSKBLED, 0},
    {KDGKBENT, 4},
    {KDSKBENT, 0},
    {KDGKBSENT, 513},
    {KDMKTONE, 0},
    {KIOCSOUND, 0},
    {GIO_CMAP, 48},
    {GIO_SCRNMAP, 256},
    {GIO_UNISCRNMAP, 512},
    {VT_OPENQRY, 4},
    {VT_GETMODE, 8},
    {VT_SETMODE, 0},
    {VT_GETSTATE, 6},
    {VT_RELDISP, 0},
    {VT_ACTIVATE, 0},
    {VT_WAITACTIVE, 0},
    {VT_DISALLOCATE, 0},
    {VT_RESIZE, 0},
    {VT_RESIZEX, 0},
    {VT_LOCKSWITCH, 0},
    {VT_UNLOCKSWITCH, 0},
    {VT_GETHIFONTMASK, 2},
    {FBIOGET_VSCREENINFO, 160},
    {FBIOPUT_VSCREENINFO, 160},
    {FBIOGET_FSCREENINFO, 80},
    // Sockets and network interfaces.
    {FIOSETOWN, 0},
    {SIOCSPGRP, 0},
    {FIOGETOWN, 4},
    {SIOCGPGRP, 4},
    {SIOCATMARK, 4},
    {0x8906, 16} /* SIOCGSTAMP */,
    {0x8907, 16} /* SIOCGSTAMPNS */,
    {SIOCGIFNAME, kIfreq},
    {SIOCGIFFLAGS, kIfreq},
    {SIOCSIFFLAGS, 0},
    {SIOCGIFADDR, kIfreq},
    {SIOCSIFADDR, 0},
    {SIOCGIFDSTADDR, kIfreq},
    {SIOCSIFDSTADDR, 0},
    {SIOCGIFBRDADDR, kIfreq},
    {SIOCSIFBRDADDR, 0},
    {SIOCGIFNETMASK, kIfreq},
    {SIOCSIFNETMASK, 0},
    {SIOCGIFMETRIC, kIfreq},
    {SIOCSIFMETRIC, 0},
    {SIOCGIFMEM, kIfreq},
    {SIOCGIFMTU, kIfreq},
    {SIOCSIFMTU, 0},
    {SIOCSIFNAME, 0},
    {SIOCSIFHWADDR, 0},
    {SIOCGIFENCAP, kIfreq},
    {SIOCGIFHWADDR, kIfreq},
    {SIOCGIFSLAVE, kIfreq},
    {SIOCADDMULTI, 0},
    {SIOCDELMULTI, 0},
    {SIOCGIFINDEX, kIfreq},
    {SIOCGIFPFLAGS, kIfreq},
    {SIOCSIFPFLAGS, 0},
    {SIOCGIFTXQLEN, kIfreq},
    {SIOCSIFTXQLEN, 0},
    {SIOCGIFMAP, kIfreq},
    {SIOCGMIIPHY, kIfreq},
    {SIOCGMIIREG, kIfreq},
    {SIOCOUTQNSD, 4},
    {SIOCGSKNS, 0},
    {SIOCADDRT, 0},
    {SIOCDELRT, 0},
    {SIOCGARP, 68},
    {SIOCSARP, 0},
    {SIOCDARP, 0},
    {SIOCBRADDBR, 0},
    {SIOCBRDELBR, 0},
    {0x8B01, 32} /* SIOCGIWNAME */,
    {TUNSETIFF, kIfreq},
    {TUNGETIFF, kIfreq},
    // Files and disks. The flags of a file are an int, although their request says long.
    {FIBMAP, 4},
    {FIGETBSZ, 4},
    {FIFREEZE, 0},
    {FITHAW, 0},
    {FS_IOC_GETFLAGS, 4},
    {FS_IOC_GETVERSION, 4},
    {FS_IOC_GET_ENCRYPTION_POLICY, 12},
    {FS_IOC_GET_ENCRYPTION_PWSALT, 16},
    {FS_IOC_GETFSLABEL, 256},
    {BLKROSET, 0},
    {BLKROGET, 4},
    {BLKRRPART, 0},
    {BLKGETSIZE, 8},
    {BLKFLSBUF, 0},
    {BLKRASET, 0},
    {BLKRAGET, 8},
    {BLKFRASET, 0},
    {BLKFRAGET, 8},
    {BLKSECTGET, 2},
    {BLKSSZGET, 4},
    {BLKBSZGET, 4},
    {BLKDISCARD, 0},
    {BLKIOMIN, 4},
    {BLKIOOPT, 4},
    {BLKALIGNOFF, 4},
    {BLKPBSZGET, 4},
    {BLKDISCARDZEROES, 4},
    {BLKSECDISCARD, 0},
    {BLKROTATIONAL, 2},
    {BLKZEROOUT, 0},
    {HDIO_GETGEO, 16},
    {HDIO_GET_IDENTITY, 512},
    {LOOP_SET_FD, 0},
    {LOOP_CLR_FD, 0},
    {LOOP_SET_STATUS, 0},
    {LOOP_GET_STATUS, 168},
    {LOOP_SET_STATUS64, 0},
    {LOOP_GET_STATUS64, 232},
    {LOOP_CTL_ADD, 0},
    {LOOP_CTL_REMOVE, 0},
    {LOOP_CTL_GET_FREE, 0},
    {CDROMEJECT, 0},
    {CDROM_DRIVE_STATUS, 0},
    {CDROM_DISC_STATUS, 0},
    {CDROM_GET_CAPABILITY, 0},
    {CDROM_LOCKDOOR, 0},
    {CDROM_MEDIA_CHANGED, 0},
    // Namespaces and processes. Some take a number where their request says that there is a pointer.
    {NS_GET_USERNS, 0},
    {NS_GET_PARENT, 0},
    {NS_GET_NSTYPE, 0},
    {NS_GET_OWNER_UID, 4},
    {_IOR(0xb7, 6, int), 0} /* NS_GET_PID_FROM_PIDNS */,
    {_IOR(0xb7, 7, int), 0},
    {_IOR(0xb7, 8, int), 0},
    {_IOR(0xb7, 9, int), 0},
    {0xff01, 0} /* PIDFD_GET_CGROUP_NAMESPACE */,
    {0xff02, 0},
    {0xff03, 0},
    {0xff04, 0},
    {0xff05, 0},
    {0xff06, 0},
    {0xff07, 0},
    {0xff08, 0},
    {0xff09, 0},
    {0xff0a, 0},
};

// Families of requests that carry pointers to more memory (graphics, video, sound, USB, virtual machines, ...).
constexpr std::uint8_t kDeep[] = {'A', 'C', 'M', 'N', 'U', 'V', 'b', 'd', 'k', ';', 0x12, 0x94, 0xae, 0xaf};

// These carry more than their size says, in a way we know (0x12 and 0x94: those without pointers).
constexpr std::uint32_t kFlat[] = {BLKGETSIZE64, BLKGETDISKSEQ, _IOR(0x12, 132, __u32), _IOR(0x12, 133, __u32),
                                   FICLONE,      FICLONERANGE,  FS_IOC_SETFSLABEL};

void interface_list_outputs(const OutputWalk& w) {
  struct List {
    int length;
    long buffer;
  };
  const auto list = value_at<List>(w.args[2]);
  w.area(w.args[2], sizeof list);
  if (list.length > 0) w.area(list.buffer, static_cast<std::uint64_t>(list.length));
}

void fiemap_outputs(const OutputWalk& w) {
  const auto header = value_at<struct fiemap>(w.args[2]);
  std::uint64_t extents = header.fm_mapped_extents;
  if (extents > header.fm_extent_count) extents = header.fm_extent_count;  // it may only have been counted
  w.area(w.args[2], sizeof header + extents * sizeof(fiemap_extent));
}

void dedupe_outputs(const OutputWalk& w) {
  const auto header = value_at<file_dedupe_range>(w.args[2]);
  w.area(w.args[2], sizeof header + header.dest_count * sizeof(file_dedupe_range_info));
}

bool is_deep(std::uint32_t request) {
  for (std::uint32_t flat : kFlat) {
    if (request == flat) return false;
  }
  for (std::uint8_t type : kDeep) {
    if (_IOC_TYPE(request) == type) return true;
  }
  return false;
}

bool has_own_way(std::uint32_t request) {
  return request == SIOCGIFCONF || request == kFiemap || request == FIDEDUPERANGE;
}

}  // namespace

bool ioctl_known(std::uint32_t request) {
  if (has_own_way(request) || find_command(kRequests, request)) return true;
  return _IOC_DIR(request) != _IOC_NONE && _IOC_SIZE(request) != 0 && !is_deep(request);
}

void ioctl_outputs(const OutputWalk& w) {
  const auto request = static_cast<std::uint32_t>(w.args[1]);
  if (request == kFiemap && (w.result >= 0 || w.result == -EBADR)) return fiemap_outputs(w);
  if (w.result < 0) return;
  if (request == SIOCGIFCONF) return interface_list_outputs(w);
  if (request == FIDEDUPERANGE) return dedupe_outputs(w);
  if (const CommandSize* row = find_command(kRequests, request)) return w.area(w.args[2], row->size);
  if (_IOC_DIR(request) & _IOC_READ) w.area(w.args[2], _IOC_SIZE(request));
}

}  // namespace xbdbg::agent
