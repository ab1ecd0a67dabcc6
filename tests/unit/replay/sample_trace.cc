#include "tests/unit/replay/sample_trace.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/expect_ok.h"

namespace xbdbg::test {

using agent::JournalType;

JournalBuilder& JournalBuilder::event(agent::Operation operation, std::uint64_t object, std::uint64_t pc,
                                      std::int16_t result) {
  constexpr std::uint64_t kAddress = (std::uint64_t{1} << 48) - 1;
  return add(agent::JournalEvent{JournalType::event, operation, result, object & kAddress, pc & kAddress});
}

JournalBuilder& JournalBuilder::thread(std::uint32_t index) {
  return add(agent::JournalThread{JournalType::thread, {}, index});
}

JournalBuilder& JournalBuilder::kernel(std::uint16_t number, std::int64_t result, std::string_view writes,
                                       std::uint8_t flags) {
  const auto bytes = static_cast<std::uint32_t>(writes.size());
  return add(agent::JournalKernel{JournalType::kernel, flags, number, bytes, result}).raw(writes);
}

JournalBuilder& JournalBuilder::output(std::uint8_t stream, std::string_view text) {
  const auto bytes = static_cast<std::uint32_t>(text.size());
  return add(agent::JournalOutput{JournalType::output, stream, {}, bytes, bytes, 77}).raw(text);
}

JournalBuilder& JournalBuilder::raw(std::string_view bytes) {
  bytes_ += bytes;
  return *this;
}

std::string memory_write(std::uint64_t address, std::string_view bytes) {
  JournalBuilder out;
  out.add(agent::JournalWrite{address, static_cast<std::uint32_t>(bytes.size())}).raw(bytes);
  return out.text();
}

std::string file_mapping(std::uint32_t file) {
  JournalBuilder out;
  out.add(agent::JournalMapping{.file = file, .group = 0, .offset = 0x1000, .size = 0x2000});
  return out.text();
}

JournalBuilder sample_journal() {
  JournalBuilder out;
  out.add(agent::JournalStart{.type = JournalType::start,
                              .reserved = {},
                              .image = 0,
                              .pid = 4242,
                              .parent_pid = 4241,
                              .realtime_ns = 1,
                              .monotonic_ns = 2,
                              .boottime_ns = 3,
                              .tai_ns = 4});
  out.event(agent::Operation::thread_create, 1, 0x401000);
  out.add(agent::JournalChoice{JournalType::choice, agent::ChoiceKind::thread, 2, 1, 7});
  out.thread(1);
  out.add(agent::JournalCall{.type = JournalType::call,
                             .reserved = 0,
                             .number = SYS_read,
                             .reserved2 = 0,
                             .pc = 0x402000,
                             .args = {3, 4, 5}});
  out.kernel(SYS_read, 5, memory_write(0x7000, "hello") + memory_write(0x8000, ""));
  out.kernel(SYS_mmap, 0x7fff00001000, file_mapping(0), agent::kHasMapping);
  out.add(agent::JournalValue{JournalType::value, {}, 123456789});
  agent::JournalSignal signal{};
  signal.type = JournalType::signal;
  signal.signo = 14;
  signal.point = 9;
  out.add(signal);
  agent::JournalPreemption preemption{};
  preemption.type = JournalType::preemption;
  preemption.pc = 0x403000;
  preemption.watch.count = 1;
  preemption.watch.words[0] = {.address = 0x9000, .value = 1, .bytes = 4, .reserved = 0};
  out.add(preemption);
  out.event(agent::Operation::mutex_lock, 0x5000, 0x404000);
  out.output(1, "ready\n");
  out.add(agent::JournalStateHash{JournalType::state_hash, {}, 0xfeed});
  out.add(agent::JournalFault{JournalType::fault, 11, {}, 0x405000, 0});
  return out;
}

TraceInfo sample_info() {
  TraceInfo info;
  info.xbdbg_version = "0.1.0";
  info.argv = {"./bank", "", "two words", "not \xff utf-8"};
  info.program = {"/home/u/bank", "8f3c01aa", 12345, 1'600'000'000'000'000'001};
  info.agent = {"/usr/lib/xbdbg/libxbdbg-agent.so", "77", 1, 2};
  info.environment = {"HOME=/home/u", "LANG=C", "=odd"};
  info.working_directory = "/home/u";
  info.policy = agent::PolicyKind::random;
  info.seed = ~std::uint64_t{0};
  info.follow_every_operation = true;
  info.start_time_ns = 1'700'000'000'000'000'000;
  return info;
}

StartImage sample_start() {
  return StartImage{.executable = "/home/u/bank",
                    .name = "./bank",
                    .argv = {"./bank", "x"},
                    .env = {"A=b"},
                    .auxv = {{6, 4096}, {0, 0}},
                    .working_directory = "/home/u",
                    .stack_pointer = 0x7ffffffde000,
                    .stack_limit = 8 << 20,
                    .personality = 0x40000};
}

void write_sample_trace(const std::string& dir) {
  const std::string mapped = dir + ".mapped";
  write_file(mapped, "content of the mapped file");
  ASSERT_OK(writer, TraceWriter::create(dir, sample_info()));
  EXPECT_OK(writer.add_start(sample_start()));
  ASSERT_OK(number, writer.keep_file(mapped, KeepFile::copy));
  EXPECT_EQ(number, 0u);
  const JournalBuilder journal = sample_journal();
  const std::size_t cut = journal.bytes().size() / 2 + 3;  // in the middle of a record
  EXPECT_OK(writer.append(journal.bytes().first(cut)));
  EXPECT_OK(writer.flush());
  EXPECT_OK(writer.append(journal.bytes().subspan(cut)));
  EXPECT_OK(writer.finish({.kind = TraceEnding::Kind::killed, .value = 11, .events = 2, .choices = 1}));
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const std::string& path, std::string_view content) {
  // As a new file: ext4 waits for the disk when a file is cut and written anew.
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << content;
}

std::string as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace xbdbg::test
