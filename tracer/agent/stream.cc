#include "tracer/agent/stream.h"

#include <stdarg.h>
#include <string.h>

#include "tracer/agent/ring.h"
#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

// How much of the stack above `sp` may be read: up to the end of its mapping, which we only know for sure page by
// page; mincore() tells whether a page is mapped without touching it.
static std::uint32_t readable_above(std::uint64_t sp, std::uint32_t wanted) {
  if (wanted == 0) return 0;
  constexpr std::uint64_t kPage = 4096;
  std::uint64_t end = sp & ~(kPage - 1);
  unsigned char resident = 0;
  while (end < sp + wanted && sys(SYS_mincore, end, kPage, &resident) == 0) end += kPage;
  std::uint64_t n = end > sp ? end - sp : 0;
  return static_cast<std::uint32_t>(n < wanted ? n : wanted) & ~7u;
}

static void put_event(const EventRecord& head, std::uint32_t stack_bytes) {
  EventRecord r = head;
  r.stack_bytes = readable_above(r.sp, stack_bytes);
  r.header = {static_cast<std::uint32_t>(sizeof r + r.stack_bytes), RecordType::event, {}};
  std::uint64_t at = ring_reserve(r.header.size);
  ring_put(at, &r, sizeof r);
  ring_put(at + sizeof r, reinterpret_cast<const void*>(r.sp), r.stack_bytes);
  ring_publish(at + r.header.size);
}

// Waits (for real) until xbdbg has drained everything, this record included, and knows the modules of now.
static void announce_modules() {
  rt.modules_changed = false;
  ring_wait_until_read(ring_append(RecordHeader{sizeof(RecordHeader), RecordType::modules, {}}));
}

void write_event(std::uint64_t index, Operation operation, std::uint64_t object, std::int32_t result,
                 const Caller& caller, std::uint64_t object2) {
  if (rt.journal.active()) rt.journal.event(operation, object, result, caller.pc);
  // A thread that does nothing but lock and unlock lets time pass, too: its slice ends.
  constexpr std::uint64_t kEventsBetween = 16;
  if (index % kEventsBetween == 0) rt.clock.catch_up();
  if (rt.arena->config.want_events == 0) return;
  if (rt.modules_changed) announce_modules();
  EventRecord r{};
  r.index = index;
  r.thread = self().index;
  r.operation = operation;
  r.result = result;
  r.object = object;
  r.object2 = object2;
  r.pc = caller.pc;
  r.sp = caller.sp;
  r.bp = caller.bp;
  put_event(r, rt.arena->config.stack_bytes);
}

void set_name(Thread& t, const char* name) {
  t.named = true;
  memset(t.view->name, 0, kNameBytes);
  memcpy(t.view->name, name, strnlen(name, kNameBytes - 1));
  write_name(t);
}

void write_name(const Thread& t) {
  if (rt.arena->config.want_events == 0) return;
  NameRecord r{};
  r.header = {sizeof r, RecordType::name, {}};
  r.thread = t.index;
  memcpy(r.name, t.view->name, kNameBytes);
  ring_append(r);
}

void write_choice(const Question& q, std::uint32_t answer) {
  Status& status = rt.arena->status;
  status.choices.store(status.choices.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (rt.journal.recording() && answer != rt.policy.first(q))
    rt.journal.choice(q, rt.policy.step() - 1, q.candidates[answer]);
  if (rt.arena->config.want_choices == 0) return;
  ChoiceRecord r{};
  r.header = {sizeof r, RecordType::choice, {}};
  r.event_index = status.events.load(std::memory_order_relaxed);
  r.choice.kind = q.kind;
  r.choice.alternatives = static_cast<std::uint16_t>(q.count < 65535 ? q.count : 65535);
  r.choice.chosen = q.candidates[answer];
  ring_append(r);
}

// ---------------------------------------------------------------------------------------------------------------
// Last words.

static char* append(char* out, const char* end, const char* text) {
  while (*text && out < end) *out++ = *text++;
  return out;
}

static char* append_number(char* out, const char* end, std::uint64_t value, unsigned base) {
  char digits[24];
  int n = 0;
  do {
    digits[n++] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value);
  while (n > 0 && out < end) *out++ = digits[--n];
  return out;
}

void fail(const char* format, ...) {
  rt.in_agent = true;
  va_list args;
  va_start(args, format);
  Status& status = rt.arena->status;
  char* out = status.message;
  const char* end = status.message + sizeof status.message - 1;
  for (const char* f = format; *f; f++) {
    if (*f != '%') {
      if (out < end) *out++ = *f;
      continue;
    }
    f++;
    if (*f == 's') out = append(out, end, va_arg(args, const char*));
    if (*f == 'd') out = append_number(out, end, va_arg(args, std::uint64_t), 10);
    if (*f == 'x') out = append_number(append(out, end, "0x"), end, va_arg(args, std::uint64_t), 16);
  }
  *out = 0;
  va_end(args);
  stop_for_xbdbg(State::failed);
}

void stop_for_xbdbg(State state) {
  rt.arena->status.state.store(state, std::memory_order_release);
  for (;;) sys(SYS_kill, sys(SYS_getpid), SIGSTOP);
}

void report_schedule_mismatch(const Question& q) {
  static const char* const names[] = {"thread", "waiter", "timeout"};
  const Choice* c = rt.policy.expected();
  rt.arena->status.failed_step = rt.policy.step();
  fail(
      "schedule mismatch at step %d: the schedule chooses %s T%d of %d, the program offers a choice of kind %s among "
      "%d",
      rt.policy.step(), names[static_cast<int>(c->kind) % 3], std::uint64_t{c->chosen},
      std::uint64_t{c->alternatives}, names[static_cast<int>(q.kind)], std::uint64_t{q.count});
}

}  // namespace xbdbg::agent
