// tracer/agent/journal.h — the agent's side of recording and replaying (format: journal_format.h).
//
// Everything the agent learns from outside passes through here: `world` for what the kernel answers, `observed`
// (runtime.h) for a number, `Journal` for the rest. Running, they only ask. Recording, they ask and write the answer
// down. Replaying, they ask nobody and take the answer from the journal. The agent has no other source of chance, so
// that what it does with the answers is the same in all three. What the program does in between is written, too, and
// compared on replay: the first difference stops the process (State::diverged).
#pragma once

#include <sys/uio.h>

#include "tracer/agent/calls.h"
#include "tracer/agent/journal_format.h"
#include "tracer/agent/policy.h"

namespace xbdbg::agent {

class Journal {
 public:
  void init(Arena*);
  bool recording() const { return mode_ == Mode::record; }
  bool replaying() const { return mode_ == Mode::replay; }
  bool applying() const { return applying_; }  // writes memory that the journal says
  bool active() const { return mode_ != Mode::run; }

  // What the program did. Recording: written; replaying: compared.
  void event(Operation, std::uint64_t object, std::int32_t result, std::uint64_t pc);
  void call(const Call&);
  void thread(std::uint32_t index);
  void fault(int signo, std::uint64_t pc, std::uint64_t address);
  void state_hash(std::uint64_t hash);
  // The program wrote this to its standard output or error; replaying, it is written there again.
  void output(int stream, const iovec* pieces, int count, std::uint64_t written);

  // What came from outside. `kernel` asks the kernel, with the memory it writes; `result` is for calls that a replay
  // makes again (their result must be the same).
  long kernel(long number, const long* args);
  long result(long number, long result);
  std::uint64_t value(std::uint64_t observed);
  void start(JournalStart&);
  // Recording only: the answer to a call that was made elsewhere; `more` memory was written than the table says.
  void made(const Call&, long result, const iovec* more, int count);
  // Recording only: an answer, with the memory that was written.
  void write_answer(long number, long result, const iovec* memory, int count, const JournalMapping* mapping);
  // Replaying only: the counterpart of both.
  long take_answer(long number, JournalMapping* mapping = nullptr);
  bool next_is(JournalType type) const { return at_ < end_ && *at_ == static_cast<std::uint8_t>(type); }

  // A choice that the policy `first` would not have made, as the answer to this question; replaying: is there one?
  void choice(const Question&, std::uint64_t question, std::uint32_t chosen);
  std::int64_t take_choice(const Question&, std::uint64_t question);  // its position among the candidates, or -1

  void signal(const siginfo_t&, std::uint64_t point);
  bool take_signal(std::uint64_t point, siginfo_t*);

  // Memory that another process wrote: it now holds `content`.
  void outside_write(std::uint64_t point, const void* address, const void* content, std::uint64_t size);
  void take_outside_writes(std::uint64_t point);

  void preemption(const JournalPreemption&);
  bool take_preemption(JournalPreemption*);

 private:
  template <class Record>
  void write_or_compare(const Record&);
  template <class Record>
  Record take(JournalType type, const void* actual, std::uint32_t actual_bytes);
  void write_piece(std::uint64_t number, long result, std::uint8_t flags, const JournalMapping*, const void* address,
                   const void* content, std::uint32_t bytes);
  [[noreturn]] void diverge(const void* actual, std::uint32_t bytes);
  void want(std::uint64_t bytes);  // that many are left; else the journal ends here
  void advance(std::uint64_t bytes);

  Arena* arena_;
  Mode mode_;
  const std::uint8_t* begin_;
  const std::uint8_t* at_;  // replaying: the next record
  const std::uint8_t* end_;
  std::uint64_t output_stored_;
  bool applying_;
};

long ask_world(long number, const long* args);

// A system call whose answer comes from outside, and whose effects a replay leaves out.
template <class... A>
long world(long number, A... args) {
  static_assert(sizeof...(A) <= 6);
  long a[6] = {syscall_argument(args)...};
  return ask_world(number, a);
}

}  // namespace xbdbg::agent
