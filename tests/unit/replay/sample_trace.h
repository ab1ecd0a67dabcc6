// A small journal with a record of every type, and a small trace with something of everything: what the tests of
// replay/ read, cut and damage.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "replay/trace.h"
#include "replay/trace_writer.h"
#include "tracer/agent/journal_format.h"

namespace xbdbg::test {

// Puts records one after the other, as the agent does.
class JournalBuilder {
 public:
  template <class T>
  JournalBuilder& add(const T& fixed) {
    bytes_.append(reinterpret_cast<const char*>(&fixed), sizeof fixed);
    return *this;
  }
  JournalBuilder& event(agent::Operation operation, std::uint64_t object, std::uint64_t pc, std::int16_t result = 0);
  JournalBuilder& thread(std::uint32_t index);
  JournalBuilder& kernel(std::uint16_t number, std::int64_t result, std::string_view writes, std::uint8_t flags = 0);
  JournalBuilder& output(std::uint8_t stream, std::string_view text);
  JournalBuilder& raw(std::string_view bytes);

  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }
  const std::string& text() const { return bytes_; }

 private:
  std::string bytes_{};
};

std::string memory_write(std::uint64_t address, std::string_view bytes);  // JournalWrite and its bytes
std::string file_mapping(std::uint32_t file);                             // JournalMapping

JournalBuilder sample_journal();  // every type of record; maps file 0
TraceInfo sample_info();
StartImage sample_start();

// Writes DIR with the sample journal in two chunks, one copied file ("content of the mapped file"), one start.
void write_sample_trace(const std::string& dir);

std::string read_file(const std::string& path);
void write_file(const std::string& path, std::string_view content);
std::string as_text(const std::vector<std::byte>& bytes);

}  // namespace xbdbg::test
