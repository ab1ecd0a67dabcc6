// tracer/base/bytes.h — reading and writing little-endian records, bounded.
//
// A ByteReader walks over bytes it does not own and treats them as hostile: every read says which field it was for,
// and a read that does not fit is an Error naming the field and the offset. Nothing is allocated before the bytes
// that fill it are known to be there. A ByteWriter is the other direction and cannot fail. Neither does I/O.
//
//   ByteReader in(content, "schedule");
//   XB_TRY(std::uint32_t version, in.u32("version"));
//   XB_TRY(std::string name, in.string("program name", 4096));   // varint length, then the bytes
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tracer/base/result.h"

namespace xbdbg {

class ByteReader {
 public:
  // `subject` names the whole in errors ("schedule"); both must outlive the reader.
  ByteReader(std::string_view bytes, std::string_view subject) : bytes_(bytes), subject_(subject) {}

  Result<std::uint8_t> u8(std::string_view field);
  Result<std::uint16_t> u16(std::string_view field);
  Result<std::uint32_t> u32(std::string_view field);
  Result<std::uint64_t> u64(std::string_view field);
  Result<std::uint64_t> varint(std::string_view field);  // unsigned LEB128, in its shortest form only
  Result<std::string_view> raw(std::string_view field, std::size_t count);
  Result<std::string> string(std::string_view field, std::size_t max_bytes);  // varint length, then the bytes
  Result<> expect_end();                                                      // trailing bytes are an error

  std::size_t offset() const { return offset_; }
  std::size_t remaining() const { return bytes_.size() - offset_; }

  // An error about what was just read, in the same form: "schedule: version at offset 4: <problem>".
  Error error_at(std::string_view field, std::size_t offset, std::string_view problem) const;

 private:
  template <class T>
  Result<T> fixed(std::string_view field);

  std::string_view bytes_;
  std::string_view subject_;
  std::size_t offset_ = 0;
};

class ByteWriter {
 public:
  void u8(std::uint8_t value);
  void u16(std::uint16_t value);
  void u32(std::uint32_t value);
  void u64(std::uint64_t value);
  void varint(std::uint64_t value);
  void raw(std::string_view bytes) { bytes_ += bytes; }
  void string(std::string_view text);

  const std::string& bytes() const { return bytes_; }
  std::string take() && { return std::move(bytes_); }

 private:
  template <class T>
  void fixed(T value);

  std::string bytes_;
};

}  // namespace xbdbg
