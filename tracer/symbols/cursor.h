// tracer/symbols/cursor.h — a bounded walk over hostile bytes, for the inner loops of the DWARF readers.
//
// Unlike ByteReader (tracer/base/bytes.h) it reports failure once, at the end: after a read that does not fit every
// read gives 0 and ok() is false. That keeps decoding some millions of entries free of allocations and branches on
// Results. Little-endian.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace xbdbg {

class Cursor {
 public:
  explicit Cursor(std::string_view bytes, std::uint64_t offset = 0) : bytes_(bytes) { seek(offset); }

  bool ok() const { return ok_; }
  bool at_end() const { return !ok_ || offset_ >= bytes_.size(); }
  std::uint64_t offset() const { return offset_; }
  void fail() { ok_ = false; }
  void seek(std::uint64_t offset) {
    if (offset > bytes_.size()) {
      ok_ = false;
      offset = bytes_.size();
    }
    offset_ = offset;
  }
  void skip(std::uint64_t count) {
    if (count > bytes_.size() - offset_) {
      ok_ = false;
      return;
    }
    offset_ += count;
  }

  std::uint8_t u8() { return fixed<std::uint8_t>(); }
  std::uint16_t u16() { return fixed<std::uint16_t>(); }
  std::uint32_t u32() { return fixed<std::uint32_t>(); }
  std::uint64_t u64() { return fixed<std::uint64_t>(); }
  std::uint64_t of_size(unsigned size) {  // 1, 2, 3 (DWARF 5's strx3), 4 or 8 bytes
    switch (size) {
      case 1:
        return u8();
      case 2:
        return u16();
      case 3: {
        const std::uint64_t low = u16();
        return low | std::uint64_t{u8()} << 16;
      }
      case 4:
        return u32();
      case 8:
        return u64();
      default:
        ok_ = false;
        return 0;
    }
  }

  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; ok_; shift += 7) {
      const std::uint8_t byte = u8();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }
  std::int64_t sleb() {
    std::uint64_t value = 0;
    unsigned shift = 0;
    std::uint8_t byte = 0x80;
    while (ok_ && (byte & 0x80) != 0) {
      byte = u8();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      shift += 7;
    }
    if (shift < 64 && (byte & 0x40) != 0) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }

  std::string_view bytes(std::uint64_t count) {
    const std::uint64_t at = offset_;
    skip(count);
    return ok_ ? bytes_.substr(at, count) : std::string_view{};
  }
  std::string_view c_string() {  // without its NUL
    const std::size_t end = ok_ ? bytes_.find('\0', offset_) : std::string_view::npos;
    if (end == std::string_view::npos) {
      ok_ = false;
      return {};
    }
    const std::string_view text = bytes_.substr(offset_, end - offset_);
    offset_ = end + 1;
    return text;
  }

 private:
  template <class T>
  T fixed() {
    T value{};
    if (!ok_ || bytes_.size() - offset_ < sizeof(T)) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, bytes_.data() + offset_, sizeof(T));
    offset_ += sizeof(T);
    return value;
  }

  std::string_view bytes_;
  std::uint64_t offset_ = 0;
  bool ok_ = true;
};

}  // namespace xbdbg
