#include "tracer/base/bytes.h"

namespace xbdbg {

namespace {

constexpr unsigned kVarintPayloadBits = 7;
constexpr std::uint8_t kVarintMore = 0x80;

}  // namespace

Error ByteReader::error_at(std::string_view field, std::size_t offset, std::string_view problem) const {
  std::string what(subject_);
  what.append(": ").append(field).append(" at offset ").append(std::to_string(offset));
  what.append(": ").append(problem);
  return Error{Errc::bad_input, std::move(what), "the file may be damaged or not what it should be"};
}

Result<std::string_view> ByteReader::raw(std::string_view field, std::size_t count) {
  if (count > remaining()) {
    return error_at(field, offset_,
                    "needs " + std::to_string(count) + " bytes, " + std::to_string(remaining()) + " are left");
  }
  const std::string_view found = bytes_.substr(offset_, count);
  offset_ += count;
  return found;
}

template <class T>
Result<T> ByteReader::fixed(std::string_view field) {
  XB_TRY(const std::string_view found, raw(field, sizeof(T)));
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | static_cast<T>(static_cast<T>(static_cast<unsigned char>(found[i])) << (8 * i)));
  }
  return value;
}

Result<std::uint8_t> ByteReader::u8(std::string_view field) { return fixed<std::uint8_t>(field); }
Result<std::uint16_t> ByteReader::u16(std::string_view field) { return fixed<std::uint16_t>(field); }
Result<std::uint32_t> ByteReader::u32(std::string_view field) { return fixed<std::uint32_t>(field); }
Result<std::uint64_t> ByteReader::u64(std::string_view field) { return fixed<std::uint64_t>(field); }

Result<std::uint64_t> ByteReader::varint(std::string_view field) {
  const std::size_t start = offset_;
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += kVarintPayloadBits) {
    XB_TRY(const std::uint8_t byte, u8(field));
    const std::uint64_t payload = byte & (kVarintMore - 1U);
    if (shift == 63 && payload > 1) return error_at(field, start, "number larger than 64 bits");
    value |= payload << shift;
    if ((byte & kVarintMore) != 0) continue;
    // One number, one spelling: otherwise two different files could mean the same.
    if (byte == 0 && shift > 0) return error_at(field, start, "number not in its shortest form");
    return value;
  }
  return error_at(field, start, "number larger than 64 bits");
}

Result<std::string> ByteReader::string(std::string_view field, std::size_t max_bytes) {
  const std::size_t start = offset_;
  XB_TRY(const std::uint64_t length, varint(field));
  if (length > max_bytes) {
    return error_at(field, start,
                    "length " + std::to_string(length) + " is over the limit of " + std::to_string(max_bytes));
  }
  XB_TRY(const std::string_view found, raw(field, static_cast<std::size_t>(length)));
  return std::string(found);
}

Result<> ByteReader::expect_end() {
  if (remaining() != 0) return error_at("end", offset_, std::to_string(remaining()) + " bytes too many");
  return Ok{};
}

template <class T>
void ByteWriter::fixed(T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes_ += static_cast<char>(value >> (8 * i));
}

void ByteWriter::u8(std::uint8_t value) { fixed(value); }
void ByteWriter::u16(std::uint16_t value) { fixed(value); }
void ByteWriter::u32(std::uint32_t value) { fixed(value); }
void ByteWriter::u64(std::uint64_t value) { fixed(value); }

void ByteWriter::varint(std::uint64_t value) {
  while (value >= kVarintMore) {
    bytes_ += static_cast<char>((value & (kVarintMore - 1U)) | kVarintMore);
    value >>= kVarintPayloadBits;
  }
  bytes_ += static_cast<char>(value);
}

void ByteWriter::string(std::string_view text) {
  varint(text.size());
  raw(text);
}

}  // namespace xbdbg
