#include "tests/unit/explorer/thesis_programs.h"

namespace xbdbg::explore::model {

namespace {

Code nested(int outer, int inner) { return {lock(outer), lock(inner), unlock(inner), unlock(outer)}; }

constexpr int kFirst = 0;
constexpr int kLast = 1;
constexpr int kElements = 2;
constexpr int kSlots = 2;  // of the ring: capacity 1

bool is_full(const int* s) { return (s[kLast] + 1) % kSlots == s[kFirst]; }
bool is_empty(const int* s) { return s[kLast] == s[kFirst]; }

// synchronized enq(): if/while (full) wait(); put; notify. The assertion is the invariant behind the wait.
void enqueue(Code& code, bool recheck, bool notify_all) {
  const int start = static_cast<int>(code.size());
  code.push_back(lock(0));
  code.push_back(
      act({kFirst, kLast}, {}, [=](int* s, int*) { return is_full(s) ? kNext : start + (recheck ? 4 : 3); }));
  code.push_back(wait(0, 0));
  if (recheck) code.push_back(act({}, {}, [=](int*, int*) { return start + 1; }));
  code.push_back(act({kFirst, kLast}, {kLast, kElements}, [](int* s, int*) {
    const int result = is_full(s) ? kFail : kNext;
    s[kLast] = (s[kLast] + 1) % kSlots;
    return result;
  }));
  code.push_back(notify_all ? broadcast(0) : signal(0));
  code.push_back(unlock(0));
}

void dequeue(Code& code, bool notify_all) {
  const int start = static_cast<int>(code.size());
  code.push_back(lock(0));
  code.push_back(act({kFirst, kLast}, {}, [=](int* s, int*) { return is_empty(s) ? kNext : start + 4; }));
  code.push_back(wait(0, 0));
  code.push_back(act({}, {}, [=](int*, int*) { return start + 1; }));
  code.push_back(act({kFirst, kElements}, {kFirst}, [](int* s, int*) {
    s[kFirst] = (s[kFirst] + 1) % kSlots;
    return kNext;
  }));
  code.push_back(notify_all ? broadcast(0) : signal(0));
  code.push_back(unlock(0));
}

Code producer(int items, bool recheck, bool notify_all) {
  Code code;
  for (int i = 0; i < items; ++i) enqueue(code, recheck, notify_all);
  return code;
}

Code consumer(int items, bool notify_all) {
  Code code;
  for (int i = 0; i < items; ++i) dequeue(code, notify_all);
  return code;
}

}  // namespace

Program performance(int threads, int locks) {
  Code code;
  for (int i = 0; i < locks; ++i) {
    code.push_back(lock(i));
    code.push_back(unlock(i));
  }
  return with_main(std::vector<Code>(static_cast<std::size_t>(threads), code));
}

Program sections_on_one_lock(int threads, int sections) {
  Program program;
  program.born_together = true;
  Code code;
  for (int i = 0; i < sections; ++i) {
    code.push_back(lock(0));
    code.push_back(unlock(0));
  }
  program.threads.assign(static_cast<std::size_t>(threads) + 1, code);
  return program;
}

Program split_sync() {
  const Code code = {lock(0), load(0, 0), unlock(0), lock(0), check_equal(0, 0), store(0, 0, 1), unlock(0)};
  return with_main({code, code});
}

Program deadlock() { return with_main({nested(0, 1), nested(1, 0)}); }
Program deadlock3() { return with_main({nested(0, 1), nested(1, 2), nested(2, 0)}); }

Program deadlock_wait() {
  return with_main(
      {{lock(0), lock(1), wait(1, 1), unlock(1), unlock(0)}, {lock(0), unlock(0), lock(1), signal(1), unlock(1)}});
}

Program buffer_if() { return with_main({producer(2, false, true), consumer(4, true), producer(2, false, true)}); }
Program buffer_notify() {
  return with_main({producer(2, true, false), producer(2, true, false), consumer(4, false)});
}

}  // namespace xbdbg::explore::model
