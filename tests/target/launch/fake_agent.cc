// A target that does what the agent does with the arena: says that it runs, streams records through the ring, waiting
// where it is full, checks the schedule, and says that it ends.
//
//   launch_fake_agent COUNT
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "tracer/agent/protocol.h"

using namespace xbdbg::agent;

namespace {

void wait_for_room(Arena& arena, std::uint64_t bytes) {
  for (;;) {
    const std::uint32_t seen = arena.tail_futex.load();
    if (arena.head.load() + bytes - arena.tail.load() <= arena.config.stream_bytes) return;
    syscall(SYS_futex, &arena.tail_futex, FUTEX_WAIT, seen, nullptr, nullptr, 0);
  }
}

void put(Arena& arena, const void* record, std::uint64_t bytes) {
  wait_for_room(arena, bytes);
  const std::uint64_t head = arena.head.load();
  for (std::uint64_t i = 0; i < bytes; ++i) {
    arena.stream()[(head + i) % arena.config.stream_bytes] = static_cast<const std::uint8_t*>(record)[i];
  }
  arena.head.store(head + bytes);
}

}  // namespace

int main(int argc, char** argv) {
  const char* number = std::getenv(kArenaFdVariable);
  if (argc != 2 || number == nullptr) return 90;
  const int fd = std::atoi(number);
  struct stat info {};
  if (fstat(fd, &info) != 0) return 91;
  void* memory = mmap(nullptr, static_cast<std::size_t>(info.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return 92;
  Arena& arena = *static_cast<Arena*>(memory);
  if (arena.magic != kArenaMagic || arena.status.state != State::launching) return 93;
  if (arena.config.schedule_count != 1 || arena.schedule()[0].chosen != 7) return 94;
  arena.status.state = State::running;
  const auto count = static_cast<std::uint64_t>(std::atoi(argv[1]));
  for (std::uint64_t i = 0; i < count; ++i) {
    EventRecord event{};
    event.header = {sizeof event, RecordType::event, {}};
    event.index = i;
    put(arena, &event, sizeof event);
  }
  arena.status.state = State::ended;
  return 0;
}
