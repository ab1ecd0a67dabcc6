// Packing, and the check before a replay that uses what was packed.
#include "replay/pack.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "replay/start_check.h"
#include "replay/trace_files.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/replay/sample_trace.h"

namespace xbdbg::test {
namespace {

namespace fs = std::filesystem;

// A trace of a "program" and an "agent" that are files of ours, with one library and one copied file.
class PackTest : public testing::Test {
 protected:
  PackTest() {
    TraceInfo info = sample_info();
    info.program = *reference_to(temp_.file("program", "program"));
    fs::permissions(info.program.path, fs::perms::owner_all);
    info.agent = *reference_to(temp_.file("agent.so", "agent"));
    StartImage start = sample_start();
    start.executable = info.program.path;
    auto writer = TraceWriter::create(temp_ / "t", info);
    EXPECT_OK(writer);
    EXPECT_OK(writer->add_start(start));
    EXPECT_OK(writer->keep_file(temp_.file("library.so", "library"), KeepFile::reference));
    EXPECT_OK(writer->keep_file(temp_.file("data", "data"), KeepFile::copy));
    EXPECT_OK(writer->finish({.kind = TraceEnding::Kind::exited}));
  }

  Trace open() const {
    auto trace = Trace::open(temp_ / "t");
    EXPECT_OK(trace);
    return *std::move(trace);
  }

  TempDir temp_{};
};

TEST_F(PackTest, UnpackedATraceUsesTheFilesWhereTheyWere) {
  const ReplayFiles files = check_start(open());
  EXPECT_TRUE(files.problems.empty()) << problems_error(files).what;
  EXPECT_EQ(files.program, temp_ / "program");
  EXPECT_EQ(files.agent, temp_ / "agent.so");
  EXPECT_EQ(files.paths, (std::vector<std::string>{temp_ / "library.so", temp_ / "t/files/1"}));
  EXPECT_TRUE(files.redirects.empty());
}

TEST_F(PackTest, MissingAndChangedFilesAreNamed) {
  fs::remove(temp_ / "program");
  write_file(temp_ / "library.so", "another library");
  write_file(temp_ / "t/files/1", "DATA");
  const ReplayFiles files = check_start(open());
  ASSERT_EQ(files.problems.size(), 3u) << problems_error(files).what;
  EXPECT_EQ(files.problems[0].kind, FileProblem::Kind::missing);
  EXPECT_EQ(files.problems[0].path, temp_ / "program");
  EXPECT_TRUE(files.problems[0].module);
  EXPECT_EQ(files.problems[1].kind, FileProblem::Kind::changed);
  EXPECT_EQ(files.problems[1].what, "it had 7 bytes, and has 15 now");
  EXPECT_EQ(files.problems[2].path, temp_ / "t/files/1");
  EXPECT_FALSE(files.problems[2].module);
  EXPECT_NE(problems_error(files).what.find("checksum differs"), std::string::npos);
}

TEST_F(PackTest, PackedATraceNeedsNothingElse) {
  ASSERT_OK(summary, pack_trace(open()));
  EXPECT_GE(summary.files, 3u);
  for (const char* name : {"program", "agent.so", "library.so", "data"}) fs::remove(temp_ / name);
  fs::rename(temp_ / "t", temp_ / "moved");
  ASSERT_OK(trace, Trace::open(temp_ / "moved"));
  const ReplayFiles files = check_start(trace);
  EXPECT_TRUE(files.problems.empty()) << problems_error(files).what;
  const std::string root = temp_ / "moved/root";
  EXPECT_EQ(files.program, root + (temp_ / "program"));
  EXPECT_EQ(files.agent, root + (temp_ / "agent.so"));
  EXPECT_EQ(files.paths[0], root + (temp_ / "library.so"));
  EXPECT_EQ(read_file(files.paths[0]), "library");
  EXPECT_NE(fs::status(files.program).permissions() & fs::perms::owner_exec, fs::perms::none);
  bool program_redirected = false;
  for (const Redirect& redirect : files.redirects) {
    program_redirected = program_redirected || (redirect.path == temp_ / "program" && redirect.copy == files.program);
  }
  EXPECT_TRUE(program_redirected);
}

TEST_F(PackTest, PackingTwiceChangesNothing) {
  ASSERT_OK(first, pack_trace(open()));
  EXPECT_GT(first.files, 0u);
  const auto packed = open().packed();
  ASSERT_OK(second, pack_trace(open()));
  EXPECT_EQ(second.files, 0u);
  EXPECT_EQ(open().packed(), packed);
}

TEST_F(PackTest, AChangedLibraryCannotBePacked) {
  write_file(temp_ / "library.so", "another library");
  EXPECT_ERROR(pack_trace(open()), Errc::bad_input, "library.so: it is not what was recorded");
  EXPECT_TRUE(open().packed().empty()) << "a trace is packed, or it is not";
}

TEST_F(PackTest, DamageInAPackedFileIsNoticed) {
  ASSERT_OK(summary, pack_trace(open()));
  (void)summary;
  write_file((temp_ / "t/root") + (temp_ / "library.so"), "librarY");
  const ReplayFiles files = check_start(open());
  ASSERT_EQ(files.problems.size(), 1u);
  EXPECT_EQ(files.problems[0].kind, FileProblem::Kind::changed);
}

TEST(FileReference, ABuildIdDecidesMoreThanTheTime) {
  const FileReference then{.path = "/x", .build_id = "aa", .size = 1, .mtime_ns = 1};
  FileReference now = then;
  now.mtime_ns = 2;
  EXPECT_EQ(difference(then, now), "");
  now.build_id = "bb";
  EXPECT_EQ(difference(then, now), "its build-id was aa, and is bb now");
  const FileReference plain{.path = "/x", .build_id = "", .size = 1, .mtime_ns = 1};
  FileReference touched = plain;
  touched.mtime_ns = 2;
  EXPECT_EQ(difference(plain, touched), "it was changed since");
}

}  // namespace
}  // namespace xbdbg::test
