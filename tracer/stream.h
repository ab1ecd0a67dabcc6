// tracer/stream.h — the agent's output stream (events, choices, thread names), read from the shared ring as hostile
// input.
//
// StreamDecoder is pure: bytes in, records out, any malformed byte is an Error and ends it. StreamRing takes bytes
// out of a SharedArena's ring and makes room for the agent; it does not look at them (a recorder keeps them as they
// are). StreamReader is both. Call drain() often enough while the target runs (the agent waits when the ring is
// full), and once more after its end, followed by finish().
//
//   StreamReader reader(arena, sink);
//   XB_CHECK(reader.drain());
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tracer/agent/protocol.h"
#include "tracer/arena.h"
#include "tracer/base/result.h"

namespace xbdbg {

class StreamSink {
 public:
  virtual ~StreamSink() = default;
  virtual void on_event(const agent::EventRecord& event, std::span<const std::byte> stack) = 0;
  virtual void on_choice(const agent::ChoiceRecord& choice) = 0;
  virtual void on_name(const agent::NameRecord& name) { (void)name; }
  // Addresses mean something else from here on. The target stands still until the drain has ended.
  virtual void on_modules_changed() {}
};

class StreamDecoder {
 public:
  // `max_stack_bytes`: Config::stack_bytes. Events must be numbered 0, 1, 2, ...
  StreamDecoder(std::uint32_t max_stack_bytes, StreamSink& sink) : max_stack_bytes_(max_stack_bytes), sink_(sink) {}

  // Any piece of the stream; a record may be split between two pieces. After an error all further calls fail.
  Result<> feed(std::span<const std::byte> bytes);
  Result<> finish() const;  // an error when the stream ends within a record

 private:
  Result<std::size_t> decode_one(std::span<const std::byte> bytes);  // its size; 0: the record is not yet whole
  Result<> decode_event(std::span<const std::byte> record);
  Result<> decode_choice(std::span<const std::byte> record);
  Result<> decode_name(std::span<const std::byte> record);

  std::uint32_t max_stack_bytes_;
  StreamSink& sink_;
  std::vector<std::byte> pending_{};
  std::uint64_t next_event_ = 0;
  bool broken_ = false;
};

class StreamRing {
 public:
  // Must copy the bytes before it looks at them: the target can change them at any time.
  using Taker = std::function<Result<>(std::span<const std::byte>)>;

  explicit StreamRing(SharedArena& arena) : arena_(arena) {}

  // Hands over whatever is there now, in pieces, each of which makes room for the agent; never waits. Returns how
  // many bytes there were. Only one thread may do it.
  Result<std::uint64_t> drain(const Taker& taker);

 private:
  void advance(std::uint64_t bytes);

  SharedArena& arena_;
  std::uint64_t tail_ = 0;  // ours; the one in the arena is for the agent
};

class StreamReader {
 public:
  StreamReader(SharedArena& arena, StreamSink& sink) : ring_(arena), decoder_(arena.config().stack_bytes, sink) {}

  Result<> drain();  // whatever is there now; never waits
  Result<> finish() const { return decoder_.finish(); }

 private:
  StreamRing ring_;
  StreamDecoder decoder_;
};

}  // namespace xbdbg
