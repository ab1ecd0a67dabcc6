#include "ui-tui/cli/run_options.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "tracer/base/str.h"

namespace xbdbg {
namespace {

constexpr std::uint32_t kStackBytes = 4096;             // enough to get out of a library's few frames
constexpr std::uint64_t kEventStreamBytes = 64u << 20;  // with the stacks, some 15,000 events between two looks
constexpr std::uint64_t kChoiceStreamBytes = 4u << 20;

Error conflict(const RunOptions& options, std::string what) {
  return Error{Errc::bad_input, std::move(what), fmt::format("see: xbdbg {} --help", options.command)};
}

Result<std::uint64_t> random_seed() {
  // Short, so that it can be read out and typed; a campaign of many seeds counts up from its own.
  std::uint32_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) return os_error("make a random seed");
  return std::uint64_t{seed};
}

Result<> plan_policy(const RunOptions& options, RunPlan& plan) {
  const std::string name = !options.policy.empty() ? options.policy : options.seed ? "random" : "first";
  const auto policy = policy_from_name(name);
  if (!policy) {
    return conflict(
        options, fmt::format("--policy {}: there is no such policy; there are first, round-robin and random", name));
  }
  plan.config.policy = plan.made_by = *policy;
  if (options.seed) {
    if (*policy != agent::PolicyKind::random)
      return conflict(options, fmt::format("--seed has no meaning with --policy {}", name));
    XB_TRY(plan.config.seed, parse_u64(*options.seed, "--seed"));
  } else if (*policy == agent::PolicyKind::random) {
    XB_TRY(plan.config.seed, random_seed());
  }
  return Ok{};
}

Result<> plan_follow(const RunOptions& options, RunPlan& plan) {
  if (!options.policy.empty() || options.seed) {
    return conflict(options, "--schedule says what every thread does: --policy and --seed cannot be given with it");
  }
  auto text = read_whole_file(options.schedule, ScheduleLimits{}.file_bytes);
  if (!text) {
    Error error = std::move(text).error().context("read the schedule");
    if (error.hint.empty()) error.hint = "schedules are made by: xbdbg run --save-schedule FILE -- PROG";
    return error;
  }
  XB_TRY(plan.follow, parse_schedule(*text, options.schedule));
  plan.follow_path = options.schedule;
  const ScheduleHeader& header = plan.follow->header;
  plan.made_by = header.policy;
  plan.config.policy = agent::PolicyKind::follow;
  plan.config.seed = header.seed;
  plan.config.follow_every_operation = header.policy == agent::PolicyKind::first ? 0 : 1;
  return Ok{};
}

Result<> check_can_save(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0) return Ok{};
  return os_error("save a schedule as " + path, "its folder must exist and be writable");
}

}  // namespace

void declare_schedule_options(CLI::App& app, RunOptions& options) {
  const auto text = [&](const char* name, auto& value, const char* type, const char* help) {
    app.add_option(name, value, help)->type_name(type)->group("Schedule");
  };
  text("--policy", options.policy, "POLICY",
       "who runs next: `first` (the oldest thread that can; the default), `round-robin`, or `random`");
  text("--seed", options.seed, "N",
       "the random schedule number N, always the same; without it --policy random takes another one each time");
  text("--schedule", options.schedule, "FILE",
       "do exactly what the saved schedule says; where that is not possible, stop");
}

void declare_output_options(CLI::App& app, RunOptions& options) {
  const auto text = [&](const char* name, auto& value, const char* type, const char* help) {
    app.add_option(name, value, help)->type_name(type)->group("Output");
  };
  text("--save-schedule", options.save_schedule, "FILE",
       "write down all choices, also when the program crashes or deadlocks");
  text("--events", options.events, "FILE",
       "write one JSON object per event (thread, operation, object, result, place) to FILE, or with `-` to stdout");
}

void declare_message_options(CLI::App& app, bool& verbose, std::string& log) {
  app.add_flag("-v,--verbose", verbose, "say what is done: policy, seed, number of events")->group("Output");
  app.add_option("--log", log, "log lines for those who debug xbdbg: a level, or module=level,...: tracer=debug")
      ->type_name("SPEC")
      ->group("Output");
}

Result<UniqueFd> open_events(const std::string& path) {
  if (path != "-") {
    auto fd = open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
    if (!fd) return std::move(fd).error().context("write events");
    return fd;
  }
  UniqueFd fd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!fd) return os_error("write events to stdout");
  return fd;
}

void want_events(agent::Config& config) {
  config.want_events = 1;
  config.stack_bytes = kStackBytes;
  config.stream_bytes = kEventStreamBytes;
}

Result<LogFilter> parse_log_option(const std::string& spec) {
  if (spec.empty()) return LogFilter{};
  auto filter = LogFilter::parse(spec);
  if (!filter) return std::move(filter).error().context("--log");
  return filter;
}

std::vector<agent::Choice> choices_of(const std::optional<Schedule>& schedule) {
  std::vector<agent::Choice> choices(schedule ? schedule->choices() : 0);
  if (schedule) expand_choices(*schedule, choices);
  return choices;
}

std::string describe_plan(const RunPlan& plan) {
  if (plan.follow) return fmt::format("{} choices of schedule {}", plan.follow->choices(), plan.follow_path);
  std::string text = fmt::format("policy {}", policy_name(plan.made_by));
  if (plan.made_by == agent::PolicyKind::random) text += fmt::format(", seed {}", plan.config.seed);
  return text;
}

Result<RunPlan> plan_run(const RunOptions& options) {
  RunPlan plan;
  XB_TRY(plan.log, parse_log_option(options.log));
  if (options.schedule.empty()) {
    XB_CHECK(plan_policy(options, plan));
  } else {
    XB_CHECK(plan_follow(options, plan));
  }
  if (!options.save_schedule.empty()) {
    XB_CHECK(check_can_save(options.save_schedule));
    plan.save_to = options.save_schedule;
    plan.config.want_choices = 1;
    plan.config.stream_bytes = kChoiceStreamBytes;
  }
  if (!options.events.empty()) {
    XB_TRY(plan.events, open_events(options.events));
    want_events(plan.config);
  }
  return plan;
}

}  // namespace xbdbg
