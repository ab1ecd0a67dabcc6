#include "explorer/core/arena.h"

namespace xbdbg::explore {

namespace {
constexpr std::size_t kMinimum = 16;
constexpr std::size_t kChunk = std::size_t{1} << 20;  // what is asked of the grow function at least
}  // namespace

Arena::Arena(void* memory, std::size_t bytes, GrowFunction grow, void* context)
    : next_(static_cast<std::uint8_t*>(memory)), end_(next_ + bytes), grow_(grow), context_(context) {
  const std::uintptr_t skew = reinterpret_cast<std::uintptr_t>(next_) % kMinimum;
  if (skew != 0 && bytes >= kMinimum) next_ += kMinimum - skew;
}

// Classes 4i .. 4i+3 hold 16*2^i * {1, 1.25, 1.5, 1.75} bytes, rounded up to 16.
std::size_t Arena::class_bytes(std::size_t index) {
  const std::size_t base = kMinimum << (index / 4);
  const std::size_t bytes = base + base / 4 * (index % 4);
  return (bytes + kMinimum - 1) / kMinimum * kMinimum;
}

std::size_t Arena::class_of(std::size_t bytes) {
  if (bytes <= kMinimum) return 0;
  const std::size_t doubling = 63 - static_cast<std::size_t>(__builtin_clzll((bytes - 1) / kMinimum | 1));
  std::size_t index = 4 * doubling;
  while (class_bytes(index) < bytes) ++index;
  return index;
}

bool Arena::refill(std::size_t bytes) {
  if (grow_ == nullptr) return false;
  const std::size_t wanted = bytes > kChunk ? bytes : kChunk;
  void* more = grow_(context_, wanted);
  if (more == nullptr) return false;
  next_ = static_cast<std::uint8_t*>(more);
  end_ = next_ + wanted;
  return true;
}

void* Arena::allocate(std::size_t& bytes) {
  const std::size_t index = class_of(bytes);
  XB_CORE_CHECK(index < kClasses);
  bytes = class_bytes(index);
  if (Free* piece = free_[index]) {
    free_[index] = piece->next;
    in_use_ += bytes;
    return piece;
  }
  if (static_cast<std::size_t>(end_ - next_) < bytes && !refill(bytes)) {
    exhausted_ = true;
    return nullptr;
  }
  void* piece = next_;
  next_ += bytes;
  in_use_ += bytes;
  return piece;
}

void Arena::release(void* piece, std::size_t bytes) {
  const std::size_t index = class_of(bytes);
  Free* freed = static_cast<Free*>(piece);
  freed->next = free_[index];
  free_[index] = freed;
  in_use_ -= bytes;
}

}  // namespace xbdbg::explore
