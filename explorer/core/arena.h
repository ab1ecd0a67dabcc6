// explorer/core/arena.h — the only memory the search core has.
//
// The core lives inside the target process, in pages that a restored schedule does not undo, and may not call malloc
// there. It is given one span of bytes and, optionally, a function that finds more. Arena cuts pieces from it and
// takes them back by size; Array is the one container. Nothing here throws: an Arena that runs out says so
// (`exhausted`), an Array that cannot grow refuses the element, and the search then ends and reports memory as its
// bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// A broken invariant of ours: stop at once, without needing any library to say so.
#define XB_CORE_CHECK(condition) (static_cast<bool>(condition) ? void(0) : __builtin_trap())

namespace xbdbg::explore {

// Returns at least `bytes` of zeroed or unused memory aligned to 16, or nullptr when there is no more.
using GrowFunction = void* (*)(void* context, std::size_t bytes);

class Arena {
 public:
  Arena(void* memory, std::size_t bytes, GrowFunction grow = nullptr, void* context = nullptr);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // `bytes` is rounded up to the size of its class (written back), so that containers can use the slack.
  void* allocate(std::size_t& bytes);
  void release(void* piece, std::size_t bytes);  // `bytes` as allocate() wrote it back

  bool exhausted() const { return exhausted_; }
  std::size_t in_use() const { return in_use_; }

 private:
  struct Free {
    Free* next;
  };
  static constexpr std::size_t kClasses = 160;  // four per doubling, up to 2^40

  static std::size_t class_of(std::size_t bytes);
  static std::size_t class_bytes(std::size_t index);
  bool refill(std::size_t bytes);

  std::uint8_t* next_;
  std::uint8_t* end_;
  GrowFunction grow_;
  void* context_;
  std::size_t in_use_ = 0;
  bool exhausted_ = false;
  Free* free_[kClasses] = {};
};

// A growing array of plain values.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Array(Arena& arena) : arena_(&arena) {}
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::uint32_t i) { return data_[i]; }
  const T& operator[](std::uint32_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }

  bool reserve(std::uint32_t capacity) { return capacity <= capacity_ || grow(capacity); }

  bool push(const T& value) {
    if (size_ == capacity_ && !grow(size_ + 1)) return false;
    data_[size_++] = value;
    return true;
  }

  // Room for `count` more at the end, not yet written; nullptr when there is no memory.
  T* extend(std::uint32_t count) {
    if (!reserve(size_ + count)) return nullptr;
    T* first = data_ + size_;
    size_ += count;
    return first;
  }

  void truncate(std::uint32_t size) { size_ = size < size_ ? size : size_; }
  void clear() { size_ = 0; }

  bool assign(const T* values, std::uint32_t count) {
    clear();
    T* first = extend(count);
    if (first == nullptr && count != 0) return false;
    if (count != 0) std::memcpy(first, values, count * sizeof(T));
    return true;
  }

  // Takes element `i` out and keeps the order of the others.
  T take(std::uint32_t i) {
    T value = data_[i];
    std::memmove(data_ + i, data_ + i + 1, (size_ - i - 1) * sizeof(T));
    --size_;
    return value;
  }

  // Moves element `i` to position `to`, shifting those between.
  void move_to(std::uint32_t i, std::uint32_t to) {
    T value = data_[i];
    if (i < to) std::memmove(data_ + i, data_ + i + 1, (to - i) * sizeof(T));
    if (i > to) std::memmove(data_ + to + 1, data_ + to, (i - to) * sizeof(T));
    data_[to] = value;
  }

 private:
  bool grow(std::uint32_t needed) {
    std::size_t bytes = sizeof(T) * (needed < 2 * capacity_ ? 2 * std::size_t{capacity_} : std::size_t{needed} + 7);
    void* fresh = arena_->allocate(bytes);
    if (fresh == nullptr) return false;
    if (size_ != 0) std::memcpy(fresh, data_, size_ * sizeof(T));
    if (data_ != nullptr) arena_->release(data_, bytes_);
    data_ = static_cast<T*>(fresh);
    bytes_ = bytes;
    capacity_ = static_cast<std::uint32_t>(bytes / sizeof(T));
    return true;
  }

  Arena* arena_;
  T* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace xbdbg::explore
