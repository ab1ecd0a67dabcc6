#include "tests/unit/explorer/naive.h"

#include <unordered_set>

namespace xbdbg::explore::model {

namespace {

class Enumerator {
 public:
  Enumerator(const Program& program, std::size_t max_states) : program_(program), max_states_(max_states) {}

  Behaviours run() {
    std::vector<State> open{initial_state(program_)};
    while (!open.empty() && !found_.too_many) {
      const State state = open.back();
      open.pop_back();
      if (!seen_.insert(key(state)).second) continue;
      found_.too_many = seen_.size() > max_states_;
      found_.failures |= state.failed;
      next_.clear();
      for (std::size_t t = 0; t < state.threads.size() && !state.exited; ++t) expand(state, t);
      if (next_.empty() && state.all_ended()) found_.finals.insert(state.final_values());
      if (next_.empty() && !state.exited && !state.all_ended()) found_.deadlock = true;
      open.insert(open.end(), next_.begin(), next_.end());
    }
    return found_;
  }

 private:
  static std::string key(const State& state) {
    std::string text = state.final_values();
    auto add = [&](int value) { text += static_cast<char>(value + 1); };
    for (int owner : state.owner) add(owner);
    for (int value : state.semaphores) add(value);
    for (int value : state.arrived) add(value);
    for (const ThreadState& t : state.threads) {
      add(t.pc);
      for (int value : t.local) add(value);
      add(t.waits_for);
      add(t.reacquire);
      add(t.exists);
      add(t.ended);
    }
    return text;
  }

  void take_lock(const State& state, std::size_t thread, int object, bool after_wait) {
    if (state.owner[static_cast<std::size_t>(object)] >= 0) return;
    State s = state;
    s.owner[static_cast<std::size_t>(object)] = static_cast<int>(thread);
    if (after_wait) {
      s.threads[thread].reacquire = -1;
    } else {
      ++s.threads[thread].pc;
    }
    next_.push_back(s);
  }

  void expand(const State& state, std::size_t thread) {
    const ThreadState& t = state.threads[thread];
    if (!t.exists || t.ended) return;
    const Code& code = program_.threads[thread];
    if (t.waits_for >= 0) {
      const bool timed = t.pc > 0 && code[static_cast<std::size_t>(t.pc) - 1].kind == Kind::timed_wait;
      if (!timed) return;
      State s = state;
      s.threads[thread].waits_for = -1;
      s.threads[thread].local[3] = 1;
      next_.push_back(s);
      return;
    }
    if (t.reacquire >= 0) return take_lock(state, thread, t.reacquire, true);
    State s = state;
    ThreadState& me = s.threads[thread];
    if (static_cast<std::size_t>(t.pc) == code.size()) {
      me.ended = true;
      next_.push_back(s);
      return;
    }
    const Op& op = code[static_cast<std::size_t>(t.pc)];
    if (op.kind == Kind::lock) return take_lock(state, thread, op.object, false);
    ++me.pc;
    perform(s, thread, op);
  }

  void perform(State& s, std::size_t thread, const Op& op) {
    ThreadState& me = s.threads[thread];
    const std::size_t object = static_cast<std::size_t>(op.object);
    switch (op.kind) {
      case Kind::act:
      case Kind::atomic: {
        const int result = op.act(s.shared, me.local);
        if (result >= 0) me.pc = result;
        if (result == kFail || result == kAbort) s.failed |= 1u << (thread % 32);
        s.exited = result == kAbort;
        break;
      }
      case Kind::trylock:
        me.local[3] = s.owner[object] < 0 ? 1 : 0;
        if (me.local[3] == 1) s.owner[object] = static_cast<int>(thread);
        break;
      case Kind::unlock:
        s.owner[object] = -1;
        break;
      case Kind::wait:
      case Kind::timed_wait:
        s.owner[static_cast<std::size_t>(op.object2)] = -1;
        me.waits_for = op.object;
        me.reacquire = op.object2;
        break;
      case Kind::signal:
        if (signal_each(s, op.object)) return;
        break;
      case Kind::broadcast:
        for (ThreadState& other : s.threads) {
          if (other.waits_for == op.object) wake(other);
        }
        break;
      case Kind::create:
        s.threads[object].exists = true;
        break;
      case Kind::join:
        if (!s.threads[object].ended) return;
        break;
      case Kind::sem_wait:
        if (s.semaphores[object] == 0) return;
        --s.semaphores[object];
        break;
      case Kind::sem_post:
        ++s.semaphores[object];
        break;
      case Kind::barrier:
        arrive(s, me, op);
        break;
      case Kind::exit:
        s.exited = true;
        break;
      case Kind::lock:
      case Kind::yield:
        break;
    }
    next_.push_back(s);
  }

  static void wake(ThreadState& thread) {
    thread.waits_for = -1;
    thread.local[3] = 0;
  }

  bool signal_each(const State& s, int condition) {
    bool any = false;
    for (std::size_t i = 0; i < s.threads.size(); ++i) {
      if (s.threads[i].waits_for != condition) continue;
      State woken = s;
      wake(woken.threads[i]);
      next_.push_back(woken);
      any = true;
    }
    return any;
  }

  static void arrive(State& s, ThreadState& me, const Op& op) {
    constexpr int kBarrierWait = 100;
    if (++s.arrived[op.object] < op.object2) {
      me.waits_for = kBarrierWait + op.object;
      return;
    }
    s.arrived[op.object] = 0;
    for (ThreadState& other : s.threads) {
      if (other.waits_for == kBarrierWait + op.object) other.waits_for = -1;
    }
  }

  const Program& program_;
  std::size_t max_states_;
  std::unordered_set<std::string> seen_{};
  std::vector<State> next_{};
  Behaviours found_{};
};

}  // namespace

Behaviours enumerate_naively(const Program& program, std::size_t max_states) {
  return Enumerator(program, max_states).run();
}

}  // namespace xbdbg::explore::model
