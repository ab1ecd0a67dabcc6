// tracer/agent/command_outputs.cc — what calls write whose first arguments say what they are to do.
//
// Numbers of commands that are not in every header are written out.

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/prctl.h>

#include "tracer/agent/output_walk.h"

namespace xbdbg::agent {
namespace {

constexpr CommandSize kFcntl[] = {{F_GETLK, 32}, {36, 32},  // F_OFD_GETLK
                                  {16, 8},                  // F_GETOWN_EX
                                  {17, 8},                  // F_GETOWNER_UIDS
                                  {1035, 8},                // F_GET_RW_HINT
                                  {1037, 8}};               // F_GET_FILE_RW_HINT

constexpr CommandSize kPrctl[] = {{PR_GET_PDEATHSIG, 4}, {PR_GET_UNALIGN, 4},     {PR_GET_FPEMU, 4},
                                  {PR_GET_FPEXC, 4},     {PR_GET_NAME, 16},       {PR_GET_ENDIAN, 4},
                                  {PR_GET_TSC, 4},       {PR_GET_TID_ADDRESS, 8}, {PR_GET_CHILD_SUBREAPER, 4}};
constexpr int kNewestPrctl = 79;
constexpr int kPrGetAuxv = 0x41555856, kPrSetVma = 0x53564d41, kPrSetPtracer = 0x59616d61;

constexpr CommandSize kArchPrctl[] = {{0x1003, 8},   // ARCH_GET_FS
                                      {0x1004, 8},   // ARCH_GET_GS
                                      {0x1021, 8},   // ARCH_GET_XCOMP_SUPP
                                      {0x1022, 8},   // ARCH_GET_XCOMP_PERM
                                      {0x1024, 8},   // ARCH_GET_XCOMP_GUEST_PERM
                                      {0x4001, 8},   // ARCH_GET_UNTAG_MASK
                                      {0x4003, 8},   // ARCH_GET_MAX_TAG_BITS
                                      {0x5005, 8}};  // ARCH_SHSTK_STATUS

// IPC_STAT and its kin, then IPC_INFO and its kin.
constexpr CommandSize kShmctl[] = {{2, 112}, {13, 112}, {15, 112}, {3, 72}, {14, 48}};
constexpr CommandSize kMsgctl[] = {{2, 120}, {11, 120}, {13, 120}, {3, 32}, {12, 32}};
constexpr CommandSize kSemctl[] = {{2, 104}, {18, 104}, {20, 104}, {3, 40}, {19, 40}};
constexpr long kIpc64 = 0x100;  // may be added to a command

constexpr CommandSize kQuotactl[] = {{0x800004, 4},   // Q_GETFMT
                                     {0x800005, 24},  // Q_GETINFO
                                     {0x800007, 72},  // Q_GETQUOTA
                                     {0x800009, 72},  // Q_GETNEXTQUOTA
                                     {0x5803, 112},   // Q_XGETQUOTA
                                     {0x5805, 80},    // Q_XGETQSTAT
                                     {0x5808, 160},   // Q_XGETQSTATV
                                     {0x5809, 112}};  // Q_XGETNEXTQUOTA

template <std::size_t n>
void by_command(const OutputWalk& w, const CommandSize (&table)[n], long command, long address) {
  if (const CommandSize* row = find_command(table, command)) w.area(address, row->size);
}

}  // namespace

void arch_prctl_outputs(const OutputWalk& w) { by_command(w, kArchPrctl, w.args[0], w.args[1]); }

void fcntl_outputs(const OutputWalk& w) { by_command(w, kFcntl, w.args[1], w.args[2]); }

bool fcntl_known(int command) {
  constexpr int kFirstLinux = 1024, kNewestLinux = 1040, kOfdSetLockWait = 38;
  return (command >= 0 && command <= kOfdSetLockWait) || (command >= kFirstLinux && command <= kNewestLinux);
}

void msgctl_outputs(const OutputWalk& w) { by_command(w, kMsgctl, w.args[1] & ~kIpc64, w.args[2]); }

void shmctl_outputs(const OutputWalk& w) { by_command(w, kShmctl, w.args[1] & ~kIpc64, w.args[2]); }

void semctl_outputs(const OutputWalk& w) {
  const long command = static_cast<int>(w.args[2]) & ~kIpc64;
  if (command == kSemGetAll) w.area(w.args[3], std::uint64_t{w.before.count} * sizeof(unsigned short));
  by_command(w, kSemctl, command, w.args[3]);
}

void quotactl_outputs(const OutputWalk& w, long command) {
  constexpr int kTypeBits = 8;
  by_command(w, kQuotactl, static_cast<std::uint32_t>(command) >> kTypeBits, w.args[3]);
}

void prctl_outputs(const OutputWalk& w) {
  constexpr long kMapSize = 15, kSchedCoreGet = 0;
  const int option = static_cast<int>(w.args[0]);
  by_command(w, kPrctl, option, w.args[1]);
  if (option == kPrGetAuxv) w.area(w.args[1], w.result_of(w.args[2]));
  if (option == PR_SCHED_CORE && w.args[1] == kSchedCoreGet) w.area(w.args[4], 8);
  if (option == PR_SET_MM && w.args[1] == kMapSize) w.area(w.args[2], 4);
}

bool prctl_known(int option) {
  return (option >= 0 && option <= kNewestPrctl) || option == kPrGetAuxv || option == kPrSetVma ||
         option == kPrSetPtracer;
}

// A header with an unknown version gets the one that the kernel prefers.
void capset_outputs(const OutputWalk& w) {
  if (w.result == -EINVAL) w.area(w.args[0], sizeof(__u32));
}

void capget_outputs(const OutputWalk& w) {
  if (w.result == -EINVAL || (w.result >= 0 && w.args[1] == 0)) w.area(w.args[0], sizeof(__u32));
  if (w.result < 0 || w.args[1] == 0) return;
  const bool first = value_at<__u32>(w.args[0]) == _LINUX_CAPABILITY_VERSION_1;
  w.area(w.args[1], sizeof(__user_cap_data_struct) * (first ? 1 : 2));
}

constexpr std::uint64_t kClonePidfd = 0x1000, kCloneParentSetTid = 0x100000;

void clone_outputs(const OutputWalk& w) {
  if (static_cast<std::uint64_t>(w.args[0]) & (kClonePidfd | kCloneParentSetTid)) w.area(w.args[2], sizeof(int));
}

void clone3_outputs(const OutputWalk& w) {
  struct Arguments {  // what they begin with, in every version
    std::uint64_t flags, pidfd, child_tid, parent_tid;
  };
  const auto a = value_at<Arguments>(w.args[0]);
  if (a.flags & kClonePidfd) w.area(static_cast<long>(a.pidfd), sizeof(int));
  if (a.flags & kCloneParentSetTid) w.area(static_cast<long>(a.parent_tid), sizeof(int));
}

// A handle that is too small learns the size it should have.
void file_handle_outputs(const OutputWalk& w) {
  constexpr long kUniqueMountId = 1;  // AT_HANDLE_MNT_ID_UNIQUE
  constexpr std::uint64_t kHeader = 8;
  w.area(w.args[2], kHeader + (w.result >= 0 ? value_at<std::uint32_t>(w.args[2]) : 0));
  w.area(w.args[3], w.args[4] & kUniqueMountId ? 8 : 4);
}

void keyctl_outputs(const OutputWalk& w) {
  constexpr int kDescribe = 6, kRead = 11, kGetSecurity = 17, kDhCompute = 23, kQuery = 24, kEncrypt = 25, kSign = 27,
                kCapabilities = 31;
  const int operation = static_cast<int>(w.args[0]);
  if (operation == kDescribe || operation == kRead || operation == kGetSecurity || operation == kDhCompute)
    w.area(w.args[2], w.result_of(w.args[3]));
  if (operation == kQuery) w.area(w.args[4], 56);
  if (operation >= kEncrypt && operation <= kSign) w.area(w.args[4], static_cast<std::uint64_t>(w.result));
  if (operation == kCapabilities) w.area(w.args[1], static_cast<std::uint64_t>(w.args[2]));
}

void seccomp_outputs(const OutputWalk& w) {
  constexpr int kGetNotifSizes = 3;
  if (static_cast<int>(w.args[0]) == kGetNotifSizes) w.area(w.args[2], 3 * sizeof(__u16));
}

void sysfs_outputs(const OutputWalk& w) {
  constexpr int kNameOfIndex = 2;
  if (static_cast<int>(w.args[0]) != kNameOfIndex) return;
  w.area(w.args[2], __builtin_strlen(reinterpret_cast<const char*>(w.args[2])) + 1);
}

void syslog_outputs(const OutputWalk& w) {
  constexpr int kRead = 2, kReadClear = 4;
  const int type = static_cast<int>(w.args[0]);
  if (type >= kRead && type <= kReadClear) w.area(w.args[1], w.result_of(w.args[2]));
}

void xattr_outputs(const OutputWalk& w) {
  struct Arguments {
    std::uint64_t value;
    std::uint32_t size, flags;
  };
  const auto a = value_at<Arguments>(w.args[4]);
  w.area(static_cast<long>(a.value), w.result_of(a.size));
}

}  // namespace xbdbg::agent
