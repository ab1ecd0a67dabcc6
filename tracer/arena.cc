#include "tracer/arena.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace xbdbg {

namespace {

Error scribbled(const std::string& what) {
  return Error{Errc::bad_input, "the memory shared with the target is damaged: " + what,
               "the program probably wrote through a wild pointer"};
}

Result<agent::Config> checked_config(agent::Config config, std::size_t schedule_count) {
  if (config.stream_bytes == 0) config.stream_bytes = kDefaultStreamBytes;
  if (!std::has_single_bit(config.stream_bytes) || config.stream_bytes > kMaxStreamBytes ||
      config.stream_bytes < 4096) {
    return Error{Errc::bad_input, "stream size " + std::to_string(config.stream_bytes) + " is not usable",
                 "it must be a power of two from 4096 to " + std::to_string(kMaxStreamBytes)};
  }
  if (schedule_count > kMaxScheduleChoices) {
    return Error{Errc::bad_input, "a schedule of " + std::to_string(schedule_count) + " choices is too long",
                 "the most is " + std::to_string(kMaxScheduleChoices)};
  }
  config.schedule_count = schedule_count;
  return config;
}

Result<UniqueFd> make_sealed_memfd(std::size_t bytes) {
  UniqueFd fd(::memfd_create("xbdbg-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return os_error("memfd_create");
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) {
    return os_error("make " + std::to_string(bytes) + " bytes of shared memory");
  }
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return os_error("F_ADD_SEALS");
  return fd;
}

Result<> check_thread(const agent::ThreadView& view) {
  if (view.state > agent::ThreadState::ended) return scribbled("a thread's state");
  if (!is_known(view.waiting_in)) return scribbled("a thread's operation");
  const std::size_t listed = std::min<std::size_t>(view.held_count, agent::kMaxHeld);
  for (std::size_t i = 0; i < listed; ++i) {
    if (!is_known(view.held[i].operation)) return scribbled("a thread's list of locks");
  }
  return Ok{};
}

}  // namespace

bool is_known(agent::Operation operation) {
  constexpr unsigned kCount = 0
#define XB_COUNT(name) +1
      XB_FOR_EACH_OPERATION(XB_COUNT)
#undef XB_COUNT
      ;
  return static_cast<unsigned>(operation) < kCount;
}

SharedArena::SharedArena(UniqueFd fd, agent::Arena* arena, std::size_t bytes, const agent::Config& config)
    : fd_(std::move(fd)), arena_(arena), bytes_(bytes), config_(config) {}

SharedArena::SharedArena(SharedArena&& other) noexcept
    : fd_(std::move(other.fd_)),
      arena_(std::exchange(other.arena_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      config_(other.config_) {}

SharedArena& SharedArena::operator=(SharedArena&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(arena_, other.arena_);
  std::swap(bytes_, other.bytes_);
  std::swap(config_, other.config_);
  return *this;
}

SharedArena::~SharedArena() {
  if (arena_ != nullptr) (void)::munmap(arena_, bytes_);
}

Result<SharedArena> SharedArena::create(const agent::Config& wanted, std::span<const agent::Choice> schedule) {
  XB_TRY(const agent::Config config, checked_config(wanted, schedule.size()));
  const std::size_t bytes = sizeof(agent::Arena) + config.stream_bytes + schedule.size_bytes();
  XB_TRY(UniqueFd fd, make_sealed_memfd(bytes));
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) return os_error("map " + std::to_string(bytes) + " bytes of shared memory");
  auto* arena = new (memory) agent::Arena;  // the file is zero; default-initialisation leaves it so
  arena->magic = agent::kArenaMagic;
  arena->version = agent::kProtocolVersion;
  arena->arena_bytes = sizeof(agent::Arena);
  arena->config = config;
  arena->status.state.store(agent::State::launching, std::memory_order_relaxed);
  if (!schedule.empty()) std::memcpy(arena->schedule(), schedule.data(), schedule.size_bytes());
  return SharedArena(std::move(fd), arena, bytes, config);
}

std::span<const std::byte> SharedArena::stream_ring() const {
  return {reinterpret_cast<const std::byte*>(arena_ + 1), config_.stream_bytes};
}

Result<AgentStatus> SharedArena::status() const {
  const agent::Status& shared = arena_->status;
  AgentStatus status;
  status.state = shared.state.load(std::memory_order_acquire);
  if (status.state > agent::State::ended) return scribbled("the agent's state");
  status.current_slot = shared.current_slot.load(std::memory_order_relaxed);
  if (status.current_slot >= agent::kMaxThreads) return scribbled("the running thread's number");
  status.events = shared.events.load(std::memory_order_relaxed);
  status.choices = shared.choices.load(std::memory_order_relaxed);
  status.failed_step = shared.failed_step;
  char message[sizeof shared.message];
  std::memcpy(message, shared.message, sizeof message);
  status.message.assign(message, ::strnlen(message, sizeof message));
  return status;
}

Result<std::vector<agent::ThreadView>> SharedArena::threads() const {
  const std::uint32_t used = arena_->threads_used.load(std::memory_order_acquire);
  if (used > agent::kMaxThreads) return scribbled("the number of threads");
  std::vector<agent::ThreadView> views;
  for (std::uint32_t slot = 0; slot < used; ++slot) {
    agent::ThreadView view{};
    std::memcpy(&view, &arena_->threads[slot], sizeof view);
    if (view.state == agent::ThreadState::free) continue;
    XB_CHECK(check_thread(view));
    view.name[sizeof view.name - 1] = '\0';
    views.push_back(view);
  }
  return views;
}

}  // namespace xbdbg
