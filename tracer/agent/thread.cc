#include "tracer/agent/thread.h"

#include <string.h>

#include "tracer/agent/places.h"
#include "tracer/agent/runtime.h"

namespace xbdbg::agent {

void ThreadTable::init(Arena* arena) {
  arena_ = arena;
  threads_ = static_cast<Thread*>(
      map_at(kThreadTableAt, sizeof(Thread) * kMaxThreads, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE));
  if (!threads_) fail("the address %x, where the table of threads belongs, is taken", kThreadTableAt);
  std::uint32_t before = arena->threads_used.exchange(0, std::memory_order_relaxed);  // by the program before an exec
  for (std::uint32_t slot = 0; slot < before && slot < kMaxThreads; slot++)
    arena->threads[slot].state = ThreadState::free;
}

Thread* ThreadTable::make() {
  std::uint32_t slot = 0;
  if (free_count_ > 0) {
    slot = free_[--free_count_];
  } else if (used_ < kMaxThreads) {
    slot = used_++;
    arena_->threads_used.store(used_, std::memory_order_relaxed);
  } else if (Thread* old = reclaim_ended()) {
    release(old);
    slot = free_[--free_count_];
  } else {
    return nullptr;
  }
  Thread* t = &threads_[slot];
  memset(t, 0, sizeof *t);
  t->view = &arena_->threads[slot];
  memset(t->view, 0, sizeof *t->view);
  t->index = t->view->index = next_index_++;
  t->deadline = t->view->deadline_ns = kNever;
  t->tid = kFirstTid + static_cast<int>(t->index);
  t->alt_stack.ss_flags = SS_DISABLE;
  live_++;
  return t;
}

void ThreadTable::release(Thread* t) {
  t->view->state = ThreadState::free;
  free_[free_count_++] = static_cast<std::uint32_t>(t - threads_);
  t->view = nullptr;
}

// A thread that ended and is never joined keeps its slot only for its name in reports.
Thread* ThreadTable::reclaim_ended() {
  Thread* oldest = nullptr;
  for (std::uint32_t i = 0; i < used_; i++) {
    Thread* t = &threads_[i];
    if (t->view && t->ended && (!oldest || t->index < oldest->index)) oldest = t;
  }
  return oldest;
}

Thread* ThreadTable::by_handle(pthread_t handle) {
  for (std::uint32_t i = 0; i < used_; i++)
    if (threads_[i].view && threads_[i].handle() == handle) return &threads_[i];
  return nullptr;
}

Thread* ThreadTable::by_tid(int tid) {
  return find_live([&](Thread& t) { return t.tid == tid; });
}

Thread* ThreadTable::by_clear_tid(std::uint64_t address) {
  return find_live([&](Thread& t) { return reinterpret_cast<std::uint64_t>(t.clear_tid) == address; });
}

}  // namespace xbdbg::agent
