#include "tracer/agent/policy.h"

#include "tracer/agent/journal.h"

namespace xbdbg::agent {

void Policy::init(const Config& config, const Choice* schedule, Journal* journal) {
  journal_ = journal;
  replaying_ = journal->replaying();
  kind_ = config.policy;
  every_operation_ = kind_ == PolicyKind::round_robin || kind_ == PolicyKind::random ||
                     (kind_ == PolicyKind::follow && config.follow_every_operation != 0);
  random_state_ = config.seed;
  schedule_ = schedule;
  schedule_count_ = config.schedule_count;
  step_ = 0;
}

// splitmix64: every seed, 0 included, gives a good sequence.
std::uint64_t Policy::random() {
  std::uint64_t z = random_state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

const Choice* Policy::expected() const { return step_ < schedule_count_ ? &schedule_[step_] : nullptr; }

std::int64_t Policy::follow(const Question& q) const {
  const Choice& c = schedule_[step_];
  std::uint32_t count = q.count < 65535 ? q.count : 65535;
  if (c.kind != q.kind || c.alternatives != count) return -1;
  for (std::uint32_t i = 0; i < q.count; i++)
    if (q.candidates[i] == c.chosen) return i;
  return -1;
}

// `first`: the running thread goes on while its time slice lasts (a thread that polls with operations would otherwise
// go on for ever); if it cannot, the one that is ready longest.
std::uint32_t Policy::first(const Question& q) const {
  if (q.current >= q.count) return 0;
  return q.kind == ChoiceKind::thread && q.slice_over ? (q.current + 1) % q.count : q.current;
}

std::int64_t Policy::choose(const Question& q) {
  std::int64_t answer = 0;
  if (replaying_) {  // only answers that differ from `first`'s are in the journal
    answer = journal_->take_choice(q, step_++);
    return answer >= 0 ? answer : first(q);
  }
  switch (kind_) {
    case PolicyKind::first:
      answer = first(q);
      break;
    case PolicyKind::round_robin:
      if (q.kind == ChoiceKind::thread && q.current < q.count) answer = (q.current + 1) % q.count;
      break;
    case PolicyKind::random:
      // A timed wait expires early only when a schedule says so: programs rightly expect that it rarely does.
      if (q.kind != ChoiceKind::timeout) answer = static_cast<std::int64_t>(random() % q.count);
      break;
    case PolicyKind::follow:
      answer = step_ < schedule_count_ ? follow(q) : first(q);
      break;
  }
  if (answer >= 0) step_++;
  return answer;
}

}  // namespace xbdbg::agent
