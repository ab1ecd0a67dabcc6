// ui-tui/cli/run_session.h — `xbdbg run`: one execution, whose events and choices are written down if asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "replay/schedule_file.h"
#include "ui-tui/cli/run_options.h"
#include "ui-tui/cli/stream_watch.h"
#include "ui-tui/cli/target_session.h"

namespace xbdbg {

class RunSession : private SessionRole {
 public:
  RunSession(const Context& context, RunPlan plan, std::vector<std::string> argv);

  Result<Ending> run();

  std::uint64_t events() const { return session_.events(); }  // after run()
  std::uint64_t choices() const { return session_.choices(); }

 private:
  Result<> launched(Launched& target) override;
  Result<std::optional<TargetEnd>> look() override;
  std::optional<std::chrono::milliseconds> patience() const override { return stream_.patience(); }
  bool repeatable() const override;
  Result<Ending> conclude(const TargetEnd& end) override { return session_.as_the_program(end, plan_.follow); }
  Result<> finish(const Result<TargetEnd>& end) override;
  Result<> save_schedule();

  RunPlan plan_;
  std::vector<std::string> argv_;
  TargetSession session_;
  Schedule schedule_{};
  StreamWatch stream_;
  std::string build_id_{};
};

}  // namespace xbdbg
