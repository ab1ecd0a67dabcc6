// A trace that was cut off or damaged, at every place there is: an error that names file, offset and field.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "replay/trace_meta.h"
#include "replay/trace_reader.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/replay/sample_trace.h"

namespace xbdbg::test {
namespace {

class TraceDamage : public testing::Test {
 protected:
  TraceDamage() : dir_(temp_ / "trace") {
    write_sample_trace(dir_);
    journal_ = read_file(dir_ + "/journal");
    meta_ = read_file(dir_ + "/meta.json");
  }

  // Opens and reads everything.
  Result<std::string> read(bool allow_incomplete = false, const TraceLimits& limits = {}) const {
    XB_TRY(const Trace trace, Trace::open(dir_, {.allow_incomplete = allow_incomplete, .limits = limits}));
    XB_TRY(const std::vector<std::byte> journal, trace.read_journal());
    return as_text(journal);
  }

  void put_journal(std::string_view bytes) const { write_file(dir_ + "/journal", bytes); }

  // The error must say in which file and where.
  static void expect_located(const Result<std::string>& result, const std::string& file, std::size_t at) {
    ASSERT_FALSE(result) << at;
    EXPECT_NE(result.error().what.find(file), std::string::npos) << result.error().what;
    EXPECT_NE(result.error().what.find(" at offset "), std::string::npos) << result.error().what;
  }

  TempDir temp_{};
  std::string dir_;
  std::string journal_{};
  std::string meta_{};
};

TEST_F(TraceDamage, CutAtEveryByteTheJournalIsRefusedOrReadUpToThere) {
  const std::string whole = sample_journal().text();
  std::size_t most = 0;
  for (std::size_t size = 0; size < journal_.size(); ++size) {
    put_journal(journal_.substr(0, size));
    expect_located(read(), dir_ + "/journal", size);
    ASSERT_OK(cut, read(true));
    EXPECT_EQ(cut, whole.substr(0, cut.size())) << size;
    EXPECT_GE(cut.size(), most) << "more of the file, less of the journal";
    most = cut.size();
  }
  EXPECT_EQ(most, whole.size()) << "all is there before the ending is";
}

TEST_F(TraceDamage, EveryFlippedBitOfTheJournalIsNoticed) {
  const std::string whole = sample_journal().text();
  for (std::size_t bit = 0; bit < journal_.size() * 8; ++bit) {
    std::string damaged = journal_;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    put_journal(damaged);
    expect_located(read(), dir_ + "/journal", bit);
    if (bit % 8 != 0) continue;
    ASSERT_OK(rest, read(true));
    EXPECT_EQ(rest, whole.substr(0, rest.size()));
  }
}

TEST_F(TraceDamage, CutAtEveryByteTheMetadataIsRefused) {
  for (std::size_t size = 0; size + 1 < meta_.size(); ++size) {  // the last byte is a newline
    EXPECT_ERROR(parse_meta(meta_.substr(0, size), "meta.json"), Errc::bad_input, "meta.json: ") << size;
  }
}

TEST_F(TraceDamage, EveryFlippedBitOfTheMetadataIsNoticedUnlessItMeansTheSame) {
  for (std::size_t bit = 0; bit < meta_.size() * 8; ++bit) {
    std::string damaged = meta_;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const auto meta = parse_meta(damaged, "meta.json");
    const bool located = !meta && meta.error().what.find("meta.json: ") != std::string::npos;
    EXPECT_TRUE(meta ? meta->info == sample_info() : located) << "bit " << bit;
  }
}

TEST_F(TraceDamage, AnotherVersionIsNamed) {
  std::string other = meta_;
  const std::string version = "\"version\": 1";
  ASSERT_NE(other.find(version), std::string::npos);
  other.replace(other.find(version), version.size(), "\"version\": 2");
  write_file(dir_ + "/meta.json", other);
  EXPECT_ERROR(read(), Errc::unsupported, "meta.json: version: the trace has version 2, this xbdbg reads version 1");
}

TEST_F(TraceDamage, AnotherArchitectureIsNamed) {
  TraceInfo info = sample_info();
  info.architecture = "riscv64";
  write_file(dir_ + "/meta.json", print_meta({info, {}}));
  EXPECT_ERROR(read(), Errc::unsupported, "meta.json: architecture: the trace is of riscv64");
}

TEST_F(TraceDamage, MissingPartsAreNamed) {
  std::filesystem::remove(dir_ + "/meta.json");
  EXPECT_ERROR(read(), Errc::not_found, dir_ + "/meta.json");
  write_file(dir_ + "/meta.json", meta_);
  std::filesystem::remove(dir_ + "/journal");
  EXPECT_ERROR(read(true), Errc::not_found, dir_ + "/journal");
  std::filesystem::remove_all(dir_);
  EXPECT_ERROR(read(), Errc::not_found, dir_);
}

TEST_F(TraceDamage, APipeInPlaceOfAFileDoesNotMakeUsWait) {
  for (const char* name : {"/journal", "/meta.json"}) {
    std::filesystem::remove(dir_ + name);
    ASSERT_EQ(::mkfifo((dir_ + name).c_str(), 0600), 0);
    EXPECT_ERROR(read(), Errc::bad_input, "not a regular file");
  }
}

TEST_F(TraceDamage, LimitsAreKeptAndNamed) {
  TraceLimits limits;
  limits.journal_bytes = 1000;
  EXPECT_ERROR(read(false, limits), Errc::bad_input, "journal_bytes");
  limits = {};
  limits.chunk_bytes = 100;
  EXPECT_ERROR(read(false, limits), Errc::bad_input, "chunk_bytes");
  limits = {};
  limits.files = 0;
  EXPECT_ERROR(read(false, limits), Errc::bad_input, "limit files");
  limits = {};
  limits.start_bytes = 10;
  EXPECT_ERROR(read(false, limits), Errc::bad_input, "start_bytes");
  limits = {};
  limits.chunks = 3;
  EXPECT_ERROR(read(false, limits), Errc::bad_input, "limit chunks");
  limits = {};
  limits.meta_values = 20;
  EXPECT_ERROR(read(false, limits), Errc::bad_input, "meta_values");
  limits = {};
  limits.meta_bytes = 20;
  EXPECT_ERROR(read(false, limits), Errc::bad_input, "larger than 20 bytes");
}

TEST_F(TraceDamage, AJournalThatMapsAFileTheTraceDoesNotKeepIsRefused) {
  const std::string dir = temp_ / "other";
  ASSERT_OK(writer, TraceWriter::create(dir, sample_info()));
  EXPECT_OK(writer.append(JournalBuilder().kernel(9, 0, file_mapping(3), agent::kHasMapping).bytes()));
  EXPECT_OK(writer.finish({.kind = TraceEnding::Kind::exited}));
  ASSERT_OK(trace, Trace::open(dir));
  EXPECT_ERROR(trace.read_journal(), Errc::bad_input, "mapping.file at offset 0: there is no file 3");
}

TEST_F(TraceDamage, HostileMetadataIsRefused) {
  EXPECT_ERROR(parse_meta(std::string(100'000, '['), "m"), Errc::bad_input, "m: text at offset");
  EXPECT_ERROR(parse_meta("[]", "m"), Errc::bad_input, "not an object");
  EXPECT_ERROR(parse_meta("{}", "m"), Errc::bad_input, "m: format at offset 0: missing");
  TraceMeta meta{sample_info(), {}};
  meta.packed = {{.path = "/etc/passwd", .copy = "../../etc/passwd", .checksum = 0}};
  EXPECT_ERROR(parse_meta(print_meta(meta), "m"), Errc::bad_input, "copy at offset");
  meta.packed = {{.path = "/etc/passwd", .copy = "/etc/passwd", .checksum = 0}};
  EXPECT_ERROR(parse_meta(print_meta(meta), "m"), Errc::bad_input, "not the path of a file inside the trace");
}

}  // namespace
}  // namespace xbdbg::test
