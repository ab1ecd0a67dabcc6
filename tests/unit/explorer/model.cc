#include "tests/unit/explorer/model.h"

#include <cstdlib>

namespace xbdbg::explore::model {

namespace {

constexpr std::uint64_t kLockAt = 0x10000;
constexpr std::uint64_t kConditionAt = 0x20000;
constexpr std::uint64_t kSemaphoreAt = 0x30000;
constexpr std::uint64_t kBarrierAt = 0x40000;
constexpr std::uint64_t kVariableAt = 0x50000;
constexpr int kBarrierWait = 100;  // ThreadState::waits_for of barrier 0

std::uint64_t at(std::uint64_t base, int i) { return base + 8 * static_cast<std::uint64_t>(i); }

}  // namespace

Op load(int local, int variable) {
  return act({variable}, {}, [=](int* s, int* l) { return l[local] = s[variable], kNext; });
}
Op store(int variable, int local, int plus) {
  return act({}, {variable}, [=](int* s, int* l) { return s[variable] = (l[local] + plus) % 8, kNext; });
}
Op jump_if_local(int local, int value, int target) {
  return act({}, {}, [=](int*, int* l) { return l[local] == value ? target : kNext; });
}
Op check_equal(int variable, int local) {
  return act({variable}, {}, [=](int* s, int* l) { return s[variable] == l[local] ? kNext : kFail; });
}

Program with_main(const std::vector<Code>& threads) {
  Program program;
  program.threads.emplace_back();
  for (const Code& code : threads) {
    program.threads[0].push_back(create(static_cast<int>(program.threads.size())));
    program.threads.push_back(code);
  }
  return program;
}

std::string State::final_values() const {
  std::string text;
  for (int value : shared) text += std::to_string(value) + ' ';
  text += "failed " + std::to_string(failed);
  return exited ? text + " exited" : text;
}

bool State::all_ended() const {
  for (const ThreadState& thread : threads) {
    if (thread.exists && !thread.ended) return false;
  }
  return true;
}

State initial_state(const Program& program) {
  State state;
  int locks = 1;
  for (const Code& code : program.threads) {
    for (const Op& op : code)
      locks =
          std::max({locks, op.object + 1, op.kind == Kind::wait || op.kind == Kind::timed_wait ? op.object2 + 1 : 0});
  }
  state.owner.assign(static_cast<std::size_t>(locks), -1);
  state.semaphores = program.semaphores;
  state.threads.resize(program.threads.size());
  for (std::size_t i = 0; i < state.threads.size(); ++i)
    state.threads[i].exists = program.born_together ? i != 0 : i == 0;
  return state;
}

TestArena::TestArena(std::size_t limit) : left_(limit), arena_(nullptr, 0, grow, this) {}
TestArena::~TestArena() {
  for (void* piece : pieces_) std::free(piece);
}
void* TestArena::grow(void* self, std::size_t bytes) {
  TestArena& me = *static_cast<TestArena*>(self);
  if (bytes > me.left_) return nullptr;
  me.left_ -= bytes;
  me.pieces_.push_back(std::malloc(bytes));
  return me.pieces_.back();
}

Runner::Runner(const Program& program, Search& search, bool record)
    : program_(program), search_(search), record_(record), start_(initial_state(program)) {
  path_.state = start_;
  for (std::uint32_t i = 0; i < start_.threads.size(); ++i) {
    if (start_.threads[i].exists) search_.add_thread(i);
  }
  // Main runs alone until it has created the second thread.
  while (!program_.born_together &&
         static_cast<std::size_t>(path_.state.threads[0].pc) < program_.threads[0].size()) {
    const bool creates =
        program_.threads[0][static_cast<std::size_t>(path_.state.threads[0].pc)].kind == Kind::create;
    (void)step(0);
    if (creates) break;
  }
  start_ = path_.state;
  search_.snapshot();
}

bool Runner::run_one(const OnPath& on_path) {
  if (!search_.begin()) return false;
  path_.state = start_;
  path_.schedule.clear();
  for (;;) {
    const Decision next = search_.pick();
    if (next.finished) break;
    if (record_) path_.schedule.push_back(next.thread);
    const Verdict verdict = run_thread(next.thread, next.wake);
    if (verdict == Verdict::abandon || verdict == Verdict::finished) break;
  }
  path_.end = search_.end();
  if (on_path) on_path(path_);
  return true;
}

void Runner::wake(std::uint32_t thread) {
  path_.state.threads[thread].waits_for = -1;
  path_.state.threads[thread].local[3] = 0;
}

Verdict Runner::run_thread(std::uint32_t thread, Wake how) {
  if (how != Wake::normal) {
    wake(thread);
    path_.state.threads[thread].local[3] = how == Wake::timeout ? 1 : 0;
  }
  for (;;) {
    const Verdict verdict = step(thread);
    if (verdict != Verdict::go_on) return verdict;
  }
}

Verdict Runner::tell(std::uint32_t thread, EventKind kind, ObjectKind object_kind, std::uint64_t object,
                     unsigned flags, std::uint64_t object2) {
  Event event;
  event.kind = kind;
  event.object_kind = object_kind;
  event.flags = static_cast<std::uint16_t>(flags);
  event.thread = thread;
  event.object = object;
  event.object2 = object2;
  event.site = thread * 1000 + static_cast<std::uint64_t>(path_.state.threads[thread].pc);
  return search_.on(event).verdict;
}

Verdict Runner::step(std::uint32_t thread) {
  ThreadState& t = path_.state.threads[thread];
  if (t.reacquire >= 0) return step_lock(thread, t.reacquire, false);
  const Code& code = program_.threads[thread];
  if (static_cast<std::size_t>(t.pc) == code.size()) {
    t.ended = true;
    return tell(thread, EventKind::end, ObjectKind::other, 0);
  }
  const Op& op = code[static_cast<std::size_t>(t.pc)];
  switch (op.kind) {
    case Kind::act:
    case Kind::atomic:
      return step_act(thread, op);
    case Kind::lock:
      return step_lock(thread, op.object, false);
    case Kind::trylock:
      return step_lock(thread, op.object, true);
    case Kind::unlock:
      path_.state.owner[static_cast<std::size_t>(op.object)] = -1;
      ++t.pc;
      return tell(thread, EventKind::release, ObjectKind::lock, at(kLockAt, op.object));
    case Kind::wait:
    case Kind::timed_wait:
      return step_wait(thread, op);
    case Kind::signal:
    case Kind::broadcast:
      return step_signal(thread, op);
    case Kind::create:
      path_.state.threads[static_cast<std::size_t>(op.object)].exists = true;
      ++t.pc;
      return tell(thread, EventKind::create, ObjectKind::other, static_cast<std::uint64_t>(op.object));
    case Kind::join: {
      const bool ended = path_.state.threads[static_cast<std::size_t>(op.object)].ended;
      const Verdict verdict = tell(thread, ended ? EventKind::acquire : EventKind::blocked, ObjectKind::join,
                                   static_cast<std::uint64_t>(op.object));
      if (ended && verdict != Verdict::again) ++t.pc;
      return verdict;
    }
    case Kind::yield:
      ++t.pc;
      return tell(thread, EventKind::yield, ObjectKind::other, 0);
    case Kind::sem_wait:
    case Kind::sem_post:
      return step_semaphore(thread, op);
    case Kind::barrier:
      return step_barrier(thread, op);
    case Kind::exit:
      path_.state.exited = true;
      return tell(thread, EventKind::exit, ObjectKind::other, 0);
  }
  return Verdict::go_on;
}

Verdict Runner::step_act(std::uint32_t thread, const Op& op) {
  ThreadState& t = path_.state.threads[thread];
  for (int v : op.reads) search_.read(at(kVariableAt, v));
  for (int v : op.writes) search_.write(at(kVariableAt, v));
  const int result = op.act(path_.state.shared, t.local);
  t.pc = result >= 0 ? result : t.pc + 1;
  if (result == kFail || result == kAbort) {
    path_.state.failed |= 1u << (thread % 32);
    search_.failed();
  }
  if (result == kAbort) {
    path_.state.exited = true;
    return tell(thread, EventKind::exit, ObjectKind::other, 0);
  }
  if (op.kind == Kind::atomic) return tell(thread, EventKind::atomic, ObjectKind::other, at(kVariableAt, op.object));
  return Verdict::go_on;
}

Verdict Runner::step_lock(std::uint32_t thread, int object, bool is_try) {
  ThreadState& t = path_.state.threads[thread];
  int& owner = path_.state.owner[static_cast<std::size_t>(object)];
  const std::uint64_t address = at(kLockAt, object);
  if (owner >= 0 && !is_try) return tell(thread, EventKind::blocked, ObjectKind::lock, address);
  if (owner >= 0) {
    t.local[3] = 0;
    ++t.pc;
    return tell(thread, EventKind::yield, ObjectKind::lock, address, kTry);
  }
  const Verdict verdict = tell(thread, EventKind::acquire, ObjectKind::lock, address, is_try ? kTry : 0u);
  if (verdict == Verdict::again || verdict == Verdict::abandon) return verdict;
  owner = static_cast<int>(thread);
  if (is_try) t.local[3] = 1;
  if (t.reacquire >= 0) {
    t.reacquire = -1;
  } else {
    ++t.pc;
  }
  return verdict;
}

Verdict Runner::step_wait(std::uint32_t thread, const Op& op) {
  ThreadState& t = path_.state.threads[thread];
  path_.state.owner[static_cast<std::size_t>(op.object2)] = -1;
  t.waits_for = op.object;
  t.reacquire = op.object2;
  ++t.pc;
  return tell(thread, EventKind::wait, ObjectKind::other, at(kConditionAt, op.object),
              op.kind == Kind::timed_wait ? kTimed : 0u, at(kLockAt, op.object2));
}

Verdict Runner::step_signal(std::uint32_t thread, const Op& op) {
  Event event;
  event.kind = op.kind == Kind::signal ? EventKind::signal : EventKind::broadcast;
  event.thread = thread;
  event.object = at(kConditionAt, op.object);
  ++path_.state.threads[thread].pc;
  const Reply reply = search_.on(event);
  if (op.kind == Kind::signal) {
    if (reply.waiter != kNoThread) wake(reply.waiter);
    return reply.verdict;
  }
  for (std::uint32_t i = 0; i < path_.state.threads.size(); ++i) {
    if (path_.state.threads[i].waits_for == op.object) wake(i);
  }
  return reply.verdict;
}

Verdict Runner::step_barrier(std::uint32_t thread, const Op& op) {
  ThreadState& t = path_.state.threads[thread];
  int& arrived = path_.state.arrived[op.object];
  ++t.pc;
  if (++arrived < op.object2) {
    t.waits_for = kBarrierWait + op.object;
    return tell(thread, EventKind::wait, ObjectKind::other, at(kBarrierAt, op.object));
  }
  arrived = 0;
  for (ThreadState& other : path_.state.threads) {
    if (other.waits_for == kBarrierWait + op.object) other.waits_for = -1;
  }
  return tell(thread, EventKind::broadcast, ObjectKind::other, at(kBarrierAt, op.object));
}

Verdict Runner::step_semaphore(std::uint32_t thread, const Op& op) {
  ThreadState& t = path_.state.threads[thread];
  int& value = path_.state.semaphores[static_cast<std::size_t>(op.object)];
  const std::uint64_t address = at(kSemaphoreAt, op.object);
  if (op.kind == Kind::sem_post) {
    ++value;
    ++t.pc;
    return tell(thread, EventKind::release, ObjectKind::semaphore, address);
  }
  if (value == 0) return tell(thread, EventKind::blocked, ObjectKind::semaphore, address);
  const Verdict verdict = tell(thread, EventKind::acquire, ObjectKind::semaphore, address);
  if (verdict == Verdict::again || verdict == Verdict::abandon) return verdict;
  --value;
  ++t.pc;
  return verdict;
}

Result explore(const Program& program, const Options& options, const OnPath& on_path) {
  TestArena memory;
  Search search(memory.arena(), options);
  Runner runner(program, search, static_cast<bool>(on_path));
  while (runner.run_one(on_path)) {
  }
  return search.result();
}

}  // namespace xbdbg::explore::model
