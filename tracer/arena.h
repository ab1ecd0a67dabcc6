// tracer/arena.h — xbdbg's side of the memory shared with the agent (layout: tracer/agent/protocol.h).
//
// A SharedArena owns the memfd and its mapping. The file is sealed, so the target cannot shrink it under us; its
// contents, though, are the target's to scribble on: what is read here is checked and copied, and the sizes used
// are those we asked for, never those found in the shared pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tracer/agent/protocol.h"
#include "tracer/base/result.h"
#include "tracer/base/unique_fd.h"

namespace xbdbg {

inline constexpr std::uint64_t kDefaultStreamBytes = 1u << 20;
inline constexpr std::uint64_t kMaxStreamBytes = 1u << 30;
inline constexpr std::uint64_t kMaxScheduleChoices = 1u << 28;

// A checked copy of agent::Status.
struct AgentStatus {
  agent::State state = agent::State::launching;
  std::uint32_t current_slot = 0;
  std::uint64_t events = 0;
  std::uint64_t choices = 0;
  std::uint64_t failed_step = 0;
  std::string message{};
};

// Is it one of XB_FOR_EACH_OPERATION? What comes from the target may be any byte.
bool is_known(agent::Operation operation);

class SharedArena {
 public:
  // `config.stream_bytes` 0 means the default; `config.schedule_count` is taken from `schedule`.
  static Result<SharedArena> create(const agent::Config& config, std::span<const agent::Choice> schedule);
  SharedArena(SharedArena&& other) noexcept;
  SharedArena& operator=(SharedArena&& other) noexcept;
  SharedArena(const SharedArena&) = delete;
  SharedArena& operator=(const SharedArena&) = delete;
  ~SharedArena();

  int fd() const { return fd_.get(); }
  const agent::Config& config() const { return config_; }  // our copy
  agent::Arena& shared() { return *arena_; }
  std::span<const std::byte> stream_ring() const;

  Result<AgentStatus> status() const;
  // The thread slots in use (state != free), copied and checked.
  Result<std::vector<agent::ThreadView>> threads() const;

 private:
  SharedArena(UniqueFd fd, agent::Arena* arena, std::size_t bytes, const agent::Config& config);

  UniqueFd fd_;
  agent::Arena* arena_ = nullptr;
  std::size_t bytes_ = 0;
  agent::Config config_{};
};

}  // namespace xbdbg
