// ui-tui/cli/record_session.h — `xbdbg record`: one execution, written to a trace.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/recorder.h"
#include "replay/trace_writer.h"
#include "ui-tui/cli/run_options.h"
#include "ui-tui/cli/target_session.h"

namespace xbdbg {

class RecordSession : private SessionRole {
 public:
  // `output`: the directory of the trace; empty: a new one in the store.
  RecordSession(const Context& context, RunPlan plan, std::string output, std::vector<std::string> argv);

  Result<Ending> run();

  std::uint64_t events() const { return session_.events(); }  // after run()
  std::string directory() const;                              // of the trace; empty: there is none

 private:
  Result<TraceWriter> create_trace(const LaunchOptions& options);
  Result<> launched(Launched& target) override;
  Result<std::optional<TargetEnd>> look() override;
  std::optional<std::chrono::milliseconds> patience() const override;
  Result<> followed_exec(const FollowedExec& followed) override;
  bool repeatable() const override { return true; }
  Result<Ending> conclude(const TargetEnd& end) override { return session_.as_the_program(end, plan_.follow); }
  Result<> finish(const Result<TargetEnd>& end) override;

  RunPlan plan_;
  std::string output_;
  std::vector<std::string> argv_;
  TargetSession session_;
  std::optional<TraceWriter> writer_{};   // until the target is there
  std::unique_ptr<Recorder> recorder_{};  // from then on
};

}  // namespace xbdbg
