// watch LOG COMMAND... — runs the command and writes down each system call, of it and of all its descendants, that
// could change the world: a line "PID CALL PATH" for each file opened for writing, made, renamed or removed, and
// "PID CALL" for each call on the network. The command's exit status is ours; 125: we could not watch it.
//
// Why not strace: xbdbg traces its target with ptrace, and nobody can be traced by two. A seccomp filter that
// notifies sees the same calls, is inherited, and needs no privileges.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kNoPath = -1, kFromCwd = -1;

struct Watched {
  long number;
  const char* name;
  int path;       // which argument is the path
  int directory;  // which argument is the directory it is relative to
  int flags;      // which argument has flags that must say "write", or -1: the call always counts
};

// Of the network's calls those that make and connect sockets: without them there is nothing to send on but a
// socketpair.
const std::vector<Watched> kWatched = {
    {SYS_open, "open", 0, kFromCwd, 1},
    {SYS_openat, "openat", 1, 0, 2},
    {SYS_openat2, "openat2", 1, 0, -1},
    {SYS_creat, "creat", 0, kFromCwd, -1},
    {SYS_truncate, "truncate", 0, kFromCwd, -1},
    {SYS_mkdir, "mkdir", 0, kFromCwd, -1},
    {SYS_mkdirat, "mkdirat", 1, 0, -1},
    {SYS_rmdir, "rmdir", 0, kFromCwd, -1},
    {SYS_unlink, "unlink", 0, kFromCwd, -1},
    {SYS_unlinkat, "unlinkat", 1, 0, -1},
    {SYS_rename, "rename", 1, kFromCwd, -1},
    {SYS_renameat, "renameat", 3, 2, -1},
    {SYS_renameat2, "renameat2", 3, 2, -1},
    {SYS_link, "link", 1, kFromCwd, -1},
    {SYS_linkat, "linkat", 3, 2, -1},
    {SYS_symlink, "symlink", 1, kFromCwd, -1},
    {SYS_symlinkat, "symlinkat", 2, 1, -1},
    {SYS_chmod, "chmod", 0, kFromCwd, -1},
    {SYS_fchmodat, "fchmodat", 1, 0, -1},
    {SYS_chown, "chown", 0, kFromCwd, -1},
    {SYS_mknodat, "mknodat", 1, 0, -1},
    {SYS_utimensat, "utimensat", 1, 0, -1},
    {SYS_socket, "socket", kNoPath, kFromCwd, -1},
    {SYS_connect, "connect", kNoPath, kFromCwd, -1},
    {SYS_bind, "bind", kNoPath, kFromCwd, -1},
    {SYS_listen, "listen", kNoPath, kFromCwd, -1},
    {SYS_accept, "accept", kNoPath, kFromCwd, -1},
    {SYS_accept4, "accept4", kNoPath, kFromCwd, -1},
};

[[noreturn]] void give_up(const char* what) {
  fprintf(stderr, "watch: %s: %s\n", what, strerror(errno));
  _exit(125);
}

std::vector<sock_filter> filter() {
  constexpr std::uint32_t kWrites = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
  std::vector<sock_filter> code = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const Watched& watched : kWatched) {
    const auto number = static_cast<std::uint32_t>(watched.number);
    if (watched.flags < 0) {
      code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ, number, 0, 1));
    } else {  // the number is loaded again only where it was replaced by the flags, and then it is decided
      const auto at = static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8u * unsigned(watched.flags));
      code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ, number, 0, 4));
      code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at));
      code.push_back(BPF_JUMP(BPF_JMP | BPF_JSET, kWrites, 1, 0));
      code.push_back(BPF_STMT(BPF_RET, SECCOMP_RET_ALLOW));
    }
    code.push_back(BPF_STMT(BPF_RET, SECCOMP_RET_USER_NOTIF));
  }
  code.push_back(BPF_STMT(BPF_RET, SECCOMP_RET_ALLOW));
  return code;
}

[[noreturn]] void become_watched(int tell, int go, char** argv) {
  std::vector<sock_filter> code = filter();
  sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up("no_new_privs");
  const int listener =
      static_cast<int>(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
  if (listener < 0) give_up("seccomp");
  (void)!write(tell, &listener, sizeof listener);
  char byte;
  (void)!read(go, &byte, 1);  // until the other side has it
  close(listener);
  close(tell);
  close(go);
  execvp(argv[0], argv);
  give_up(argv[0]);
}

std::string link_text(const std::string& path) {
  char text[4096];
  const ssize_t size = readlink(path.c_str(), text, sizeof text);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : "?";
}

std::string string_at(const std::string& process, std::uint64_t address) {
  const int memory = open((process + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  char text[4097] = "?";
  // Up to the end of the page first: the next one may not be there.
  const std::uint64_t here = 4096 - address % 4096;
  const ssize_t size = pread(memory, text, here, static_cast<off_t>(address));
  if (size > 0 && memchr(text, 0, static_cast<std::size_t>(size)) == nullptr) {
    (void)!pread(memory, text + size, sizeof text - 1 - static_cast<std::size_t>(size),
                 static_cast<off_t>(address) + size);
  }
  close(memory);
  return text;
}

std::string path_of(const seccomp_notif& call, const Watched& watched) {
  const std::string process = "/proc/" + std::to_string(call.pid);
  std::string path = string_at(process, call.data.args[watched.path]);
  if (path.starts_with("/")) return path;
  const int directory = watched.directory < 0 ? AT_FDCWD : static_cast<int>(call.data.args[watched.directory]);
  const std::string base =
      link_text(directory == AT_FDCWD ? process + "/cwd" : process + "/fd/" + std::to_string(directory));
  return path.empty() ? base : base + "/" + path;
}

void write_down(FILE* log, const seccomp_notif& call) {
  for (const Watched& watched : kWatched) {
    if (watched.number != call.data.nr) continue;
    const std::string path = watched.path == kNoPath ? "" : " " + path_of(call, watched);
    fprintf(log, "%d %s%s\n", static_cast<int>(call.pid), watched.name, path.c_str());
    fflush(log);
  }
}

// Until all that have the filter are gone.
void watch(int listener, FILE* log) {
  for (;;) {
    pollfd ready{listener, POLLIN, 0};
    if (poll(&ready, 1, -1) < 0 && errno != EINTR) return;
    if ((ready.revents & POLLIN) == 0) {
      if ((ready.revents & (POLLHUP | POLLERR)) != 0) return;
      continue;
    }
    seccomp_notif call{};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) continue;  // it was killed meanwhile
    write_down(log, call);
    seccomp_notif_resp answer{};
    answer.id = call.id;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fputs("usage: watch LOG COMMAND...\n", stderr);
    return 125;
  }
  FILE* log = fopen(argv[1], "we");
  int tell[2], go[2];
  if (log == nullptr || pipe(tell) != 0 || pipe(go) != 0) give_up(argv[1]);
  const pid_t child = fork();
  if (child < 0) give_up("fork");
  if (child == 0) {
    close(tell[0]);
    close(go[1]);
    become_watched(tell[1], go[0], argv + 2);
  }
  close(tell[1]);
  int theirs = -1;
  if (read(tell[0], &theirs, sizeof theirs) != sizeof theirs) return 125;  // it has said why
  const int process = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  const int listener = static_cast<int>(syscall(SYS_pidfd_getfd, process, theirs, 0));
  if (listener < 0) give_up("pidfd_getfd");
  close(go[1]);
  watch(listener, log);
  int status = 0;
  (void)waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
