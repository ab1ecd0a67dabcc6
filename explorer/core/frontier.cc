#include "explorer/core/frontier.h"

namespace xbdbg::explore {

namespace {
std::uint32_t clamp(std::uint32_t value) { return value < Frontier::kLevels ? value : Frontier::kLevels - 1; }
}  // namespace

std::uint8_t* Frontier::push(std::uint32_t preemptions, std::uint32_t deviations, bool conflict, std::size_t bytes) {
  std::size_t capacity = sizeof(Record) + bytes;
  Record* record = static_cast<Record*>(arena_.allocate(capacity));
  if (record == nullptr) return nullptr;
  *record = Record{nullptr, bytes, capacity};
  const std::uint32_t level = clamp(preemptions);
  Queue& queue = queues_[level][clamp(deviations)][conflict ? 0 : 1];
  if (queue.last != nullptr) {
    queue.last->next = record;
  } else {
    queue.first = record;
  }
  queue.last = record;
  ++per_level_[level];
  ++count_;
  return reinterpret_cast<std::uint8_t*>(record + 1);
}

Frontier::Queue* Frontier::promising(std::uint32_t level) {
  for (auto& by_conflict : queues_[level]) {
    for (Queue& queue : by_conflict) {
      if (queue.first != nullptr) return &queue;
    }
  }
  return nullptr;
}

std::uint32_t Frontier::lowest_level() const {
  std::uint32_t level = 0;
  while (level < kLevels && per_level_[level] == 0) ++level;
  return level;
}

Frontier::Taken Frontier::pop() {
  recycle();
  if (count_ == 0) return {};
  ++turn_;
  std::uint32_t skip = static_cast<std::uint32_t>(__builtin_ctzll(turn_));
  std::uint32_t level = lowest_level();
  for (std::uint32_t next = level + 1; next < kLevels && skip != 0; ++next) {
    if (per_level_[next] == 0) continue;
    level = next;
    --skip;
  }
  Queue* queue = promising(level);
  taken_ = queue->first;
  queue->first = taken_->next;
  if (queue->first == nullptr) queue->last = nullptr;
  --per_level_[level];
  --count_;
  return {reinterpret_cast<const std::uint8_t*>(taken_ + 1), taken_->size};
}

void Frontier::recycle() {
  if (taken_ != nullptr) arena_.release(taken_, taken_->capacity);
  taken_ = nullptr;
}

void Frontier::clear() {
  while (count_ != 0) (void)pop();
  recycle();
  turn_ = 0;
}

}  // namespace xbdbg::explore
