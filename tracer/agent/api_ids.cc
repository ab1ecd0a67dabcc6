// tracer/agent/api_ids.cc — setuid and its kin.
//
// The kernel keeps credentials per kernel thread, so glibc interrupts every thread to repeat the call. Here the one
// kernel thread makes the call once, for all.

#include "tracer/agent/interpose.h"

namespace xbdbg::agent {

namespace {

int result(long r) {
  if (r == 0) return 0;
  errno = static_cast<int>(-r);
  return -1;
}

}  // namespace

XB_EXPORT int setuid(uid_t uid) noexcept { return engaged() ? result(world(SYS_setuid, uid)) : rt.real.setuid(uid); }

XB_EXPORT int setgid(gid_t gid) noexcept { return engaged() ? result(world(SYS_setgid, gid)) : rt.real.setgid(gid); }

XB_EXPORT int seteuid(uid_t uid) noexcept {
  if (!engaged() || uid == ~uid_t{0}) return rt.real.seteuid(uid);
  return result(world(SYS_setresuid, -1, uid, -1));
}

XB_EXPORT int setegid(gid_t gid) noexcept {
  if (!engaged() || gid == ~gid_t{0}) return rt.real.setegid(gid);
  return result(world(SYS_setresgid, -1, gid, -1));
}

XB_EXPORT int setreuid(uid_t real, uid_t effective) noexcept {
  return engaged() ? result(world(SYS_setreuid, real, effective)) : rt.real.setreuid(real, effective);
}

XB_EXPORT int setregid(gid_t real, gid_t effective) noexcept {
  return engaged() ? result(world(SYS_setregid, real, effective)) : rt.real.setregid(real, effective);
}

XB_EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved) noexcept {
  return engaged() ? result(world(SYS_setresuid, real, effective, saved)) : rt.real.setresuid(real, effective, saved);
}

XB_EXPORT int setresgid(gid_t real, gid_t effective, gid_t saved) noexcept {
  return engaged() ? result(world(SYS_setresgid, real, effective, saved)) : rt.real.setresgid(real, effective, saved);
}

XB_EXPORT int setgroups(size_t count, const gid_t* groups) noexcept {
  return engaged() ? result(world(SYS_setgroups, count, groups)) : rt.real.setgroups(count, groups);
}

}  // namespace xbdbg::agent
