// tracer/agent/policy.h — who decides what the program leaves open.
//
// A policy is asked three questions: which of the runnable threads goes on, which waiter a signal wakes, and whether
// a timed wait expires although other threads could run. It sees indices only. Every answer among more than one
// alternative is a Choice; the list of choices is the schedule.
#pragma once

#include <cstdint>

#include "tracer/agent/protocol.h"

namespace xbdbg::agent {

class Journal;

struct Question {
  ChoiceKind kind;
  std::uint32_t count;              // of alternatives; > 1
  const std::uint32_t* candidates;  // their ThreadIndex; kind timeout: {0, 1}
  std::uint32_t current;            // position of the running thread among them; count: it is not
  bool slice_over;                  // the running thread has run for long while others were ready
};

class Policy {
 public:
  void init(const Config&, const Choice* schedule, Journal*);

  // Is the policy asked before every operation, or only where an atomic block ends?
  bool every_operation() const { return every_operation_; }

  // Would the answer be that the running thread goes on, as long as its time slice lasts? Then the question of a
  // thread need not be put together: going_on() counts it.
  bool goes_on() const {
    return !replaying_ && (kind_ == PolicyKind::first || (kind_ == PolicyKind::follow && step_ >= schedule_count_));
  }
  void going_on() { step_++; }

  // What the policy `first` says: a position in `candidates`.
  std::uint32_t first(const Question&) const;

  // A position in `candidates`, or -1: the schedule does not fit (see step()).
  std::int64_t choose(const Question&);

  std::uint64_t step() const { return step_; }  // choices made so far
  const Choice* expected() const;               // the choice of the followed schedule at this step

 private:
  std::int64_t follow(const Question&) const;
  std::uint64_t random();

  PolicyKind kind_;
  Journal* journal_;
  bool every_operation_;
  bool replaying_;  // the answers are in the journal
  std::uint64_t random_state_;
  const Choice* schedule_;
  std::uint64_t schedule_count_;
  std::uint64_t step_;
};

}  // namespace xbdbg::agent
