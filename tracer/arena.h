// tracer/arena.h — xbdbg's side of the memory shared with the agent (layout: tracer/agent/protocol.h).
//
// A SharedArena owns the memfd and its mapping. The file is sealed, so the target cannot shrink it under us; its
// contents, though, are the target's to scribble on: what is read here is checked and copied, and the sizes used
// are those we asked for, never those found in the shared pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/agent/protocol.h"
#include "tracer/base/result.h"
#include "tracer/base/unique_fd.h"

namespace xbdbg {

inline constexpr std::uint64_t kDefaultStreamBytes = 1u << 20;
inline constexpr std::uint64_t kMaxStreamBytes = 1u << 30;
inline constexpr std::uint64_t kMaxScheduleChoices = 1u << 28;

// What Mode::replay puts into the arena besides the rest.
struct ReplayInput {
  std::uint64_t journal_bytes = 0;  // room for the journal
  // Writes the journal there and returns how many bytes it has: as many, or fewer. It is called once; a large journal
  // is then never in memory twice.
  std::function<Result<std::uint64_t>(std::span<std::byte>)> read_journal{};
  std::vector<std::string> files{};  // for each file of the trace: the path to map
};

// A checked copy of agent::Status.
struct AgentStatus {
  agent::State state = agent::State::launching;
  std::uint32_t current_slot = 0;
  std::uint64_t events = 0;
  std::uint64_t choices = 0;
  std::uint64_t failed_step = 0;
  std::uint64_t journal_offset = 0;
  std::uint32_t images = 0;
  std::string message{};
};

// A checked copy of agent::Divergence.
struct AgentDivergence {
  std::uint64_t offset = 0;
  std::vector<std::byte> actual{};
};

// A checked copy of a question the agent waits with (agent::Request).
struct AgentRequest {
  agent::RequestKind kind = agent::RequestKind::none;
  int fd = -1;
  bool is_module = false;
  std::string path{};
};

// Is it one of XB_FOR_EACH_OPERATION? What comes from the target may be any byte.
bool is_known(agent::Operation operation);

class SharedArena {
 public:
  // `config.stream_bytes` 0 means the default; the sizes of schedule, journal and list of files are those given here.
  static Result<SharedArena> create(const agent::Config& config, std::span<const agent::Choice> schedule,
                                    const ReplayInput* replay = nullptr);
  SharedArena(SharedArena&& other) noexcept;
  SharedArena& operator=(SharedArena&& other) noexcept;
  SharedArena(const SharedArena&) = delete;
  SharedArena& operator=(const SharedArena&) = delete;
  ~SharedArena();

  int fd() const { return fd_.get(); }
  const agent::Config& config() const { return config_; }  // our copy
  agent::Arena& shared() { return *arena_; }
  std::span<const std::byte> stream_ring() const;
  std::span<const std::byte> journal() const;  // of a replay; the target may have changed it

  Result<AgentStatus> status() const;
  Result<AgentDivergence> divergence() const;
  // The question that waits for an answer, if there is one. Then exactly one call of answer() must follow.
  Result<std::optional<AgentRequest>> request() const;
  void answer(std::int64_t value, std::string_view why_not = {});
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
