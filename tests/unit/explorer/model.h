// tests/unit/explorer/model.h — invented programs, and an interpreter that runs them for the search core.
//
// A program is one list of operations per thread; thread 0 is main. Synchronisation has pthread semantics. An
// operation of kind `act` computes on the shared variables and the thread's locals and names what it reads and
// writes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "explorer/core/search.h"

namespace xbdbg::explore::model {

inline constexpr int kVariables = 8;
inline constexpr int kLocals = 4;
inline constexpr int kObjects = 1200;  // locks; far fewer of the others
inline constexpr int kNext = -1;       // results of an act: go on,
inline constexpr int kFail = -2;       //   the assertion failed, go on,
inline constexpr int kAbort = -3;      //   it failed and the process ends; >= 0: jump there

enum class Kind : std::uint8_t {
  act,
  lock,
  unlock,
  trylock,
  wait,
  timed_wait,
  signal,
  broadcast,
  create,
  join,
  yield,
  sem_wait,
  sem_post,
  barrier,
  atomic,
  exit,
};

using Act = std::function<int(int* shared, int* local)>;

struct Op {
  Kind kind{};
  int object = 0;
  int object2 = 0;  // wait: the lock; barrier: how many threads
  std::vector<int> reads{};
  std::vector<int> writes{};
  Act act{};
};

inline Op lock(int l) { return {Kind::lock, l}; }
inline Op unlock(int l) { return {Kind::unlock, l}; }
inline Op trylock(int l) { return {Kind::trylock, l}; }  // local 3 = 1: got it
inline Op wait(int c, int l) { return {Kind::wait, c, l}; }
inline Op timed_wait(int c, int l) { return {Kind::timed_wait, c, l}; }  // local 3 = 1: it expired
inline Op signal(int c) { return {Kind::signal, c}; }
inline Op broadcast(int c) { return {Kind::broadcast, c}; }
inline Op create(int t) { return {Kind::create, t}; }
inline Op join(int t) { return {Kind::join, t}; }
inline Op yield() { return {Kind::yield}; }
inline Op sem_wait(int s) { return {Kind::sem_wait, s}; }
inline Op sem_post(int s) { return {Kind::sem_post, s}; }
inline Op barrier(int b, int n) { return {Kind::barrier, b, n}; }
inline Op exit_process() { return {Kind::exit}; }
inline Op act(std::vector<int> reads, std::vector<int> writes, Act f) {
  return {Kind::act, 0, 0, std::move(reads), std::move(writes), std::move(f)};
}
Op load(int local, int variable);
Op store(int variable, int local, int plus);         // variable = (local + plus) mod 8
Op jump_if_local(int local, int value, int target);  // no shared access
Op check_equal(int variable, int local);             // fails, and goes on, when they differ

using Code = std::vector<Op>;

struct Program {
  std::vector<Code> threads{};
  bool born_together = false;  // no main: threads 1.. live at the snapshot, thread 0 does not exist
  std::vector<int> semaphores = std::vector<int>(4, 0);
};

Program with_main(const std::vector<Code>& threads);  // main creates them all and ends with pthread_exit

struct ThreadState {
  int pc = 0;
  int local[kLocals] = {};
  int waits_for = -1;  // a condition (or barrier + 100)
  int reacquire = -1;  // the lock to take after a wait
  bool exists = false;
  bool ended = false;
};

struct State {
  int shared[kVariables] = {};
  unsigned failed = 0;  // bit per thread
  bool exited = false;
  std::vector<int> owner{};  // per lock, -1: free
  std::vector<int> semaphores{};
  int arrived[4] = {};
  std::vector<ThreadState> threads{};

  std::string final_values() const;
  bool all_ended() const;
};

State initial_state(const Program& program);

struct Path {
  PathEnd end{};
  State state{};
  std::vector<std::uint32_t> schedule{};  // threads as they were picked
};
using OnPath = std::function<void(const Path&)>;

// Memory for a Search, from malloc in pieces of at least a MiB; `limit` bytes at most.
class TestArena {
 public:
  explicit TestArena(std::size_t limit = std::size_t{1} << 30);
  ~TestArena();
  TestArena(const TestArena&) = delete;
  TestArena& operator=(const TestArena&) = delete;
  Arena& arena() { return arena_; }

 private:
  static void* grow(void* self, std::size_t bytes);

  std::size_t left_;
  std::vector<void*> pieces_{};
  Arena arena_;
};

// Runs a program under a search, from the snapshot.
class Runner {
 public:
  Runner(const Program& program, Search& search, bool record = true);
  bool run_one(const OnPath& on_path = {});  // false: the search is over

 private:
  Verdict run_thread(std::uint32_t thread, Wake wake);
  Verdict step(std::uint32_t thread);
  Verdict step_lock(std::uint32_t thread, int object, bool is_try);
  Verdict step_wait(std::uint32_t thread, const Op& op);
  Verdict step_signal(std::uint32_t thread, const Op& op);
  Verdict step_barrier(std::uint32_t thread, const Op& op);
  Verdict step_semaphore(std::uint32_t thread, const Op& op);
  Verdict step_act(std::uint32_t thread, const Op& op);
  Verdict tell(std::uint32_t thread, EventKind kind, ObjectKind object_kind, std::uint64_t object, unsigned flags = 0,
               std::uint64_t object2 = 0);
  void wake(std::uint32_t thread);

  const Program& program_;
  Search& search_;
  bool record_;
  State start_;
  Path path_;
};

Result explore(const Program& program, const Options& options, const OnPath& on_path = {});

}  // namespace xbdbg::explore::model
