// A target that says how it was started, or ends as it is told.
//
//   launch_probe report FILE    writes what it finds (auxv, addresses, descriptors, signals) to FILE
//   launch_probe exit N | raise SIGNAL | stop (and wait, when continued)
#include <dirent.h>
#include <signal.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

namespace {

int data_object = 1;

void report_auxv(FILE* out) {
  std::fprintf(out, "vdso %lu\nrandom", getauxval(AT_SYSINFO_EHDR));
  const auto* bytes = reinterpret_cast<const unsigned char*>(getauxval(AT_RANDOM));
  for (int i = 0; i < 16; ++i) std::fprintf(out, " %02x", bytes[i]);
}

void report_addresses(FILE* out) {
  int on_stack = 0;
  void* on_heap = std::malloc(100);
  std::fprintf(out, "\nstack %p\nheap %p\ndata %p\nlibc %p\n", static_cast<void*>(&on_stack), on_heap,
               static_cast<void*>(&data_object), reinterpret_cast<void*>(&std::puts));
  std::free(on_heap);
}

void report_descriptors(FILE* out) {
  DIR* folder = opendir("/proc/self/fd");
  std::set<int> fds;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.') fds.insert(std::atoi(entry->d_name));
  }
  fds.erase(dirfd(folder));
  fds.erase(fileno(out));
  closedir(folder);
  std::fprintf(out, "fds");
  for (int fd : fds) std::fprintf(out, " %d", fd);
  std::fprintf(out, "\n");
}

void report_signals(FILE* out) {
  FILE* status = std::fopen("/proc/self/status", "r");
  char line[256];
  while (std::fgets(line, sizeof line, status) != nullptr) {
    if (std::strncmp(line, "SigBlk", 6) == 0 || std::strncmp(line, "SigIgn", 6) == 0) std::fputs(line, out);
  }
  std::fclose(status);
}

int report(const char* path) {
  FILE* out = std::fopen(path, "w");
  if (out == nullptr) return 1;
  report_auxv(out);
  report_addresses(out);
  report_descriptors(out);
  report_signals(out);
  return std::fclose(out);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "report") == 0) return report(argv[2]);
  if (argc == 3 && std::strcmp(argv[1], "exit") == 0) return std::atoi(argv[2]);
  if (argc == 3 && std::strcmp(argv[1], "raise") == 0) return raise(std::atoi(argv[2]));
  if (argc == 2 && std::strcmp(argv[1], "stop") == 0) {
    raise(SIGSTOP);
    for (;;) pause();
  }
  return 99;
}
