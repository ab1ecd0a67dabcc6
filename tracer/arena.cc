#include "tracer/arena.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <cstring>
#include <new>

namespace xbdbg {

namespace {

constexpr std::uint64_t kMaxJournalBytes = std::uint64_t{16} << 30;
constexpr std::uint32_t kAsked = 1, kAnswered = 2;  // agent::Request::state

Error scribbled(const std::string& what) {
  return Error{Errc::bad_input, "the memory shared with the target is damaged: " + what,
               "the program probably wrote through a wild pointer"};
}

Result<agent::Config> checked_config(agent::Config config, std::size_t schedule_count, const ReplayInput* replay) {
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
  config.journal_bytes = replay != nullptr ? replay->journal_bytes : 0;
  config.files_bytes = 0;
  if (config.journal_bytes > kMaxJournalBytes) {
    return Error{Errc::bad_input, "a journal of " + std::to_string(config.journal_bytes) + " bytes is too long",
                 "the most is " + std::to_string(kMaxJournalBytes)};
  }
  if (replay == nullptr) return config;
  for (const std::string& path : replay->files) {
    if (path.find('\0') != std::string::npos) return Error{Errc::bad_input, "a file's path has a 0 in it", {}};
    config.files_bytes += path.size() + 1;
  }
  return config;
}

// The journal, and behind it the list of files.
Result<> fill(agent::Arena& arena, agent::Config& config, const ReplayInput& replay) {
  const std::span<std::byte> room(reinterpret_cast<std::byte*>(arena.journal()), config.journal_bytes);
  XB_TRY(const std::uint64_t bytes, replay.read_journal(room));
  XB_ASSERT(bytes <= config.journal_bytes);
  config.journal_bytes = arena.config.journal_bytes = bytes;
  char* to = arena.files();
  for (const std::string& path : replay.files) {
    std::memcpy(to, path.c_str(), path.size() + 1);
    to += path.size() + 1;
  }
  return Ok{};
}

// A text that the target wrote, ended by a 0 or by the end of the array. It may change while we look.
template <std::size_t N>
std::string text_of(const char (&shared)[N]) {
  std::string copy(shared, N);
  copy.resize(::strnlen(copy.data(), N));
  return copy;
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

Result<SharedArena> SharedArena::create(const agent::Config& wanted, std::span<const agent::Choice> schedule,
                                        const ReplayInput* replay) {
  XB_TRY(agent::Config config, checked_config(wanted, schedule.size(), replay));
  const std::size_t bytes =
      sizeof(agent::Arena) + config.stream_bytes + schedule.size_bytes() + config.journal_bytes + config.files_bytes;
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
  SharedArena made(std::move(fd), arena, bytes, config);
  if (replay != nullptr) XB_CHECK(fill(*arena, made.config_, *replay));
  return made;
}

std::span<const std::byte> SharedArena::stream_ring() const {
  return {reinterpret_cast<const std::byte*>(arena_ + 1), config_.stream_bytes};
}

std::span<const std::byte> SharedArena::journal() const {
  const std::byte* schedule = stream_ring().data() + config_.stream_bytes;
  return {schedule + config_.schedule_count * sizeof(agent::Choice), config_.journal_bytes};
}

Result<AgentStatus> SharedArena::status() const {
  const agent::Status& shared = arena_->status;
  AgentStatus status;
  status.state = shared.state.load(std::memory_order_acquire);
  if (status.state > agent::State::journal_ended) return scribbled("the agent's state");
  status.current_slot = shared.current_slot.load(std::memory_order_relaxed);
  if (status.current_slot >= agent::kMaxThreads) return scribbled("the running thread's number");
  status.events = shared.events.load(std::memory_order_relaxed);
  status.choices = shared.choices.load(std::memory_order_relaxed);
  status.failed_step = shared.failed_step;
  status.journal_offset = shared.journal_offset;
  if (status.journal_offset > config_.journal_bytes) return scribbled("the place in the journal");
  status.images = shared.images;
  status.message = text_of(shared.message);
  return status;
}

Result<AgentDivergence> SharedArena::divergence() const {
  const agent::Divergence& shared = arena_->status.divergence;
  AgentDivergence divergence;
  divergence.offset = shared.offset;
  const std::uint32_t actual_bytes = shared.actual_bytes;
  if (divergence.offset > config_.journal_bytes) return scribbled("the place of the divergence");
  if (actual_bytes > sizeof shared.actual) return scribbled("the record that diverges");
  const auto* from = reinterpret_cast<const std::byte*>(shared.actual);
  divergence.actual.assign(from, from + actual_bytes);
  return divergence;
}

Result<std::optional<AgentRequest>> SharedArena::request() const {
  const agent::Request& shared = arena_->request;
  if (shared.state.load(std::memory_order_acquire) != kAsked) return std::optional<AgentRequest>();
  AgentRequest request;
  request.kind = shared.kind;
  if (request.kind == agent::RequestKind::modules) return std::optional(std::move(request));
  if (request.kind != agent::RequestKind::keep_file) return scribbled("a request");
  const std::int64_t fd = shared.args[0];
  if (fd < -1 || fd > INT_MAX) return scribbled("the descriptor of a request");
  request.fd = static_cast<int>(fd);
  request.is_module = shared.args[1] == 1;
  request.path = text_of(shared.text);
  return std::optional(std::move(request));
}

void SharedArena::answer(std::int64_t value, std::string_view why_not) {
  agent::Request& shared = arena_->request;
  const std::size_t size = std::min(why_not.size(), sizeof shared.text - 1);
  std::copy_n(why_not.data(), size, shared.text);
  shared.text[size] = '\0';
  shared.answer = value;
  shared.state.store(kAnswered, std::memory_order_release);
  (void)::syscall(SYS_futex, &shared.state, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
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
