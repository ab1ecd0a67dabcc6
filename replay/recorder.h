// replay/recorder.h — the thread of xbdbg that writes a trace while its program runs.
//
// It takes the journal out of the arena's ring as the agent writes it, and answers the agent's requests to keep a
// file. It looks when the agent rings the doorbell (the ring fills, or there is a request), and otherwise a few times
// a second, so that hardly anything is lost if xbdbg is killed. While it lives, nobody else may touch the ring.
//
//   XB_TRY(auto recorder, Recorder::start(arena, std::move(writer), pid));
//   ...                                       // the target runs; look at recorder->error() now and then
//   XB_CHECK(recorder->finish(ending));       // after the target's end: takes the rest and ends the trace
//
// What goes wrong (the disk is full) ends the recording: error() says why. The agent then waits for room that does
// not come; its owner must end the target. Dropped without finish(), a Recorder leaves the trace incomplete.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "replay/trace.h"
#include "replay/trace_writer.h"
#include "tracer/arena.h"
#include "tracer/base/ids.h"
#include "tracer/base/result.h"
#include "tracer/stream.h"

namespace xbdbg {

class Recorder {
 public:
  // `arena` must outlive the recorder; `target` is whose descriptors and modules the requests are about.
  static Result<std::unique_ptr<Recorder>> start(SharedArena& arena, TraceWriter writer, Pid target);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder();

  std::optional<Error> error() const;  // what ended the recording early

  Result<> add_start(const StartImage& start);  // a program was started: TraceWriter::add_start

  // Takes what is still in the ring, ends the thread, and gives the trace its ending and its name. The error, if one
  // ended the recording before.
  Result<> finish(const TraceEnding& ending);

  const TraceWriter& writer() const { return writer_; }  // after finish()

 private:
  using Clock = std::chrono::steady_clock;

  Recorder(SharedArena& arena, TraceWriter writer, Pid target);
  void work();
  Result<> look();
  Result<> flush_if_due();
  void wait_at_doorbell(std::uint32_t rung);
  void answer(const AgentRequest& request);
  Result<std::uint32_t> keep(const AgentRequest& request);
  void note_modules();
  void stop();

  SharedArena& arena_;
  TraceWriter writer_;
  Pid target_;
  StreamRing ring_;
  bool unflushed_ = false;
  Clock::time_point last_flush_{};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_{};            // writer_
  std::optional<Error> error_{};  // written once, before failed_
  std::atomic<bool> failed_{false};
  std::thread thread_{};
};

}  // namespace xbdbg
