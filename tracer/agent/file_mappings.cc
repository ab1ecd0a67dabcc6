#include "tracer/agent/file_mappings.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "tracer/agent/requests.h"
#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

namespace {

std::uint64_t word(long v) { return static_cast<std::uint64_t>(v); }

bool is_module(const Call& c) { return (c.args[3] & MAP_DENYWRITE) != 0 && (c.args[3] & MAP_ANONYMOUS) == 0; }

const char* path_of(std::uint32_t file) {
  const char *p = rt.arena->files(), *end = p + rt.arena->config.files_bytes;
  for (std::uint32_t i = 0; p < end; i++, p += strnlen(p, static_cast<std::size_t>(end - p)) + 1)
    if (i == file) return p;
  fail("the recording maps file %d, which the trace does not have", std::uint64_t{file});
}

int open_kept(std::uint32_t file) {
  long fd = sys(SYS_openat, AT_FDCWD, path_of(file), O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) fail("cannot open %s, which the program maps (error %d)", path_of(file), word(-fd));
  return static_cast<int>(fd);
}

void map_exactly(long address, std::uint64_t size, long protection, long flags, long fd, std::uint64_t offset) {
  if ((flags & MAP_FIXED) == 0) flags |= MAP_FIXED_NOREPLACE;
  long r = sys(SYS_mmap, address, size, protection, flags, fd, offset);
  if (r != address) fail("cannot map %d bytes at %x as the recording did", size, word(address));
}

}  // namespace

std::uint32_t FileMappings::group_of(std::uint64_t device, std::uint64_t inode) {
  for (std::uint32_t i = 1; i <= group_count_; i++)
    if (groups_[i].device == device && groups_[i].inode == inode) return i;
  if (group_count_ == kMaxGroups) fail("more than %d files are mapped shared", std::uint64_t{kMaxGroups});
  groups_[++group_count_] = {device, inode, 0};
  return group_count_;
}

// Of a file that was just mapped.
JournalMapping FileMappings::describe(const Call& c) {
  JournalMapping m{kNoFile, 0, word(c.args[5]), word(c.args[1])};
  struct stat s {};
  sys(SYS_fstat, c.args[4], &s);
  if (S_ISCHR(s.st_mode)) {
    constexpr unsigned kMemoryDevices = 1, kZero = 5;
    if (major(s.st_rdev) != kMemoryDevices || minor(s.st_rdev) != kZero)
      fail("the program maps the memory of a device (%d:%d), which cannot be recorded",
           std::uint64_t{major(s.st_rdev)}, std::uint64_t{minor(s.st_rdev)});
    return m;
  }
  bool shared = (c.args[3] & MAP_TYPE) != MAP_PRIVATE;
  if (shared) m.group = group_of(s.st_dev, s.st_ino);
  std::int64_t file = ask_xbdbg(RequestKind::keep_file, c.args[4], is_module(c));
  if (file < 0) fail("cannot keep a file that the program maps: %s", rt.arena->request.text);
  m.file = static_cast<std::uint32_t>(file);
  return m;
}

long FileMappings::record(const Call& c) {
  long r = sys(SYS_mmap, c.args[0], c.args[1], c.args[2], c.args[3], c.args[4], c.args[5]);
  bool failed = r < 0 && r > -4096;
  if (failed || (c.args[3] & MAP_ANONYMOUS)) {
    rt.journal.write_answer(c.number, r, nullptr, 0, nullptr);
    return r;
  }
  JournalMapping m = describe(c);
  rt.journal.write_answer(c.number, r, nullptr, 0, &m);
  if (m.group > 0 && (c.args[2] & PROT_WRITE)) rt.shared_watch.file_mapped(word(r), m.size);
  if (is_module(c) && (c.args[2] & PROT_EXEC)) ask_xbdbg(RequestKind::modules);
  return r;
}

// The file that stands in for one that is mapped shared, with the content that it had when this mapping was made.
int FileMappings::shared_file(const JournalMapping& m) {
  if (m.group > kMaxGroups) fail("the recording shares memory of group %d, which it cannot have", word(m.group));
  Group& g = groups_[m.group];
  if (g.fd == 0) {
    long fd = sys(SYS_memfd_create, "xbdbg-shared", 1 /* MFD_CLOEXEC */);
    if (fd < 0) fail("cannot make memory to share (error %d)", word(-fd));
    g.fd = static_cast<int>(fd);
  }
  struct stat s {};
  sys(SYS_fstat, g.fd, &s);
  auto least = static_cast<long>(m.offset + m.size);
  if (m.file == kNoFile) {
    if (s.st_size < least) sys(SYS_ftruncate, g.fd, least);
    return g.fd;
  }
  int kept = open_kept(m.file);
  sys(SYS_fstat, kept, &s);
  sys(SYS_ftruncate, g.fd, s.st_size);
  long from = 0, to = 0;
  sys(SYS_lseek, g.fd, 0, SEEK_SET);
  while (to < s.st_size) {
    long n = sys(SYS_sendfile, g.fd, kept, &from, s.st_size - to);
    if (n <= 0) fail("cannot fill shared memory from %s (error %d)", path_of(m.file), word(-n));
    to += n;
  }
  sys(SYS_close, kept);
  return g.fd;
}

long FileMappings::replay(const Call& c) {
  JournalMapping m{kNoFile, 0, 0, 0};
  long r = rt.journal.take_answer(c.number, &m);
  if (r < 0 && r > -4096) return r;
  long fixed = c.args[3] & MAP_FIXED;
  if (c.args[3] & MAP_ANONYMOUS) {
    map_exactly(r, word(c.args[1]), c.args[2], c.args[3], -1, 0);
  } else if (m.group > 0) {
    map_exactly(r, word(c.args[1]), c.args[2], MAP_SHARED | fixed, shared_file(m), m.offset);
    if (c.args[2] & PROT_WRITE) rt.shared_watch.file_mapped(word(r), m.size);
  } else if (m.file == kNoFile) {
    map_exactly(r, word(c.args[1]), c.args[2], (c.args[3] & MAP_TYPE) | MAP_ANONYMOUS | fixed, -1, 0);
  } else {
    int fd = open_kept(m.file);
    map_exactly(r, word(c.args[1]), c.args[2], MAP_PRIVATE | fixed, fd, m.offset);
    sys(SYS_close, fd);
  }
  return r;
}

long FileMappings::map(const Call& c) {
  if (c.args[3] & MAP_FIXED) rt.shared_watch.forget(word(c.args[0]), word(c.args[0] + c.args[1]));
  bool module = is_module(c) && (c.args[2] & PROT_EXEC) != 0;
  if (module) rt.modules_changed = true;
  if (rt.journal.recording()) return record(c);
  if (rt.journal.replaying()) return replay(c);
  return pass(c);
}

// ---------------------------------------------------------------------------------------------------------------
// Segments of System V.

long FileMappings::attach(const Call& c) {
  if (!rt.journal.active()) return pass(c);
  JournalMapping m{kNoFile, 0, 0, 0};
  long r = 0;
  if (rt.journal.recording()) {
    constexpr std::uint64_t kSegments = ~std::uint64_t{0};  // no device has this number
    r = sys(SYS_shmat, c.args[0], c.args[1], c.args[2]);
    shmid_ds info{};
    sys(SYS_shmctl, c.args[0], IPC_STAT, &info);
    m = {kNoFile, group_of(kSegments, word(c.args[0])), 0, (info.shm_segsz + 4095) & ~std::uint64_t{4095}};
    rt.journal.write_answer(c.number, r, nullptr, 0, &m);
  } else {
    r = rt.journal.take_answer(c.number, &m);
  }
  if (r < 0 && r > -4096) return r;
  if (rt.journal.replaying())
    map_exactly(r, m.size, (c.args[2] & SHM_RDONLY) ? PROT_READ : PROT_READ | PROT_WRITE,
                MAP_SHARED | (c.args[2] & SHM_REMAP ? MAP_FIXED : 0), shared_file(m), 0);
  for (Segment& s : segments_)
    if (s.size == 0) {
      s = {word(r), m.size};
      break;
    }
  iovec content{reinterpret_cast<void*>(r), m.size};
  if (rt.journal.recording())
    rt.journal.write_answer(c.number, r, &content, (c.args[2] & SHM_RDONLY) ? 0 : 1, nullptr);
  else
    rt.journal.take_answer(c.number);
  return r;
}

long FileMappings::detach(const Call& c) {
  long r = pass(c);
  if (r != 0) return r;
  for (Segment& s : segments_)
    if (s.size != 0 && s.address == word(c.args[0])) {
      if (rt.journal.replaying()) sys(SYS_munmap, s.address, s.size);
      s = {};
      break;
    }
  return r;
}

long call_mmap(const Call& c) { return rt.mappings.map(c); }
long call_shmat(const Call& c) { return rt.mappings.attach(c); }
long call_shmdt(const Call& c) { return rt.mappings.detach(c); }

}  // namespace xbdbg::agent
