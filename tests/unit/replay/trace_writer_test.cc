#include "replay/trace_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "replay/trace_files.h"
#include "replay/trace_meta.h"
#include "replay/trace_reader.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/replay/sample_trace.h"

namespace xbdbg::test {
namespace {

// Files that were changed just now are never taken for unchanged; these were changed long ago.
void make_old(const std::string& path) {
  const timespec times[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

// The time of the last change of a file's *status* cannot be set. Waits until it lies behind the grain of file times.
void settle(const std::string& path) {
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  timespec now{};
  do {
    ASSERT_EQ(::clock_gettime(CLOCK_REALTIME, &now), 0);
  } while ((now.tv_sec - status.st_ctim.tv_sec) * 1'000'000'000 + now.tv_nsec - status.st_ctim.tv_nsec < 30'000'000);
}

TEST(TraceWriter, WhatIsWrittenIsRead) {
  const TempDir temp;
  write_sample_trace(temp / "t");
  ASSERT_OK(trace, Trace::open(temp / "t"));
  EXPECT_EQ(trace.info(), sample_info());
  EXPECT_TRUE(trace.complete());
  const std::string journal = sample_journal().text();
  EXPECT_EQ(trace.ending(), (TraceEnding{.kind = TraceEnding::Kind::killed,
                                         .value = 11,
                                         .events = 2,
                                         .choices = 1,
                                         .journal_bytes = journal.size()}));
  EXPECT_EQ(describe_ending(trace.ending()), "killed by SIGSEGV");
  ASSERT_EQ(trace.starts().size(), 1u);
  EXPECT_EQ(trace.starts()[0], sample_start());
  ASSERT_EQ(trace.files().size(), 1u);
  EXPECT_EQ(trace.files()[0].original.path, (temp / "t") + ".mapped");
  EXPECT_EQ(read_file(trace.path_of(trace.files()[0].copy)), "content of the mapped file");
  ASSERT_OK(read, trace.read_journal());
  EXPECT_EQ(as_text(read), journal);
  EXPECT_FALSE(std::filesystem::exists((temp / "t") + ".incomplete"));
}

TEST(TraceWriter, AJournalOfManyChunksIsReadIntoTheMemoryGiven) {
  const TempDir temp;
  ASSERT_OK(writer, TraceWriter::create(temp / "t", sample_info()));
  JournalBuilder journal;
  for (std::uint64_t i = 0; i < 200'000; ++i) journal.event(agent::Operation::mutex_lock, i * 7919, i);
  EXPECT_OK(writer.append(journal.bytes()));
  EXPECT_OK(writer.finish({.kind = TraceEnding::Kind::exited, .value = 3}));
  ASSERT_OK(trace, Trace::open(temp / "t"));
  EXPECT_EQ(trace.journal_bytes(), journal.bytes().size());
  EXPECT_LT(trace.disk_bytes(), journal.bytes().size());
  std::vector<std::byte> memory(journal.bytes().size() + 5);
  ASSERT_OK(size, trace.read_journal(memory));
  memory.resize(size);
  EXPECT_EQ(as_text(memory), journal.text());
}

TEST(TraceWriter, AStartLargerThanAChunkIsWhole) {
  const TempDir temp;
  StartImage start = sample_start();
  for (int i = 0; i < 30; ++i) start.env.push_back("V" + std::to_string(i) + "=" + std::string(100'000, 'v'));
  ASSERT_OK(writer, TraceWriter::create(temp / "t", sample_info()));
  EXPECT_OK(writer.add_start(sample_start()));
  EXPECT_OK(writer.add_start(start));
  EXPECT_OK(writer.finish({.kind = TraceEnding::Kind::exited}));
  ASSERT_OK(trace, Trace::open(temp / "t"));
  ASSERT_EQ(trace.starts().size(), 2u);
  EXPECT_EQ(trace.starts()[1], start);
}

TEST(TraceWriter, WhatWasFlushedSurvivesAKill) {
  const TempDir temp;
  JournalBuilder journal;
  journal.event(agent::Operation::yield, 1, 2).output(1, "ready\n");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto writer = TraceWriter::create(temp / "t", sample_info());
    if (!writer || !writer->append(journal.bytes()) || !writer->flush()) ::_exit(1);
    (void)writer->append(journal.bytes());  // not flushed
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const std::string dir = (temp / "t") + ".incomplete";
  EXPECT_ERROR(Trace::open(dir), Errc::refused, "was not finished");
  ASSERT_OK(trace, Trace::open(dir, {.allow_incomplete = true}));
  EXPECT_FALSE(trace.complete());
  ASSERT_OK(read, trace.read_journal());
  EXPECT_EQ(as_text(read), journal.text());
}

TEST(TraceWriter, ATargetKilledInTheMiddleOfARecordLeavesAWholeTrace) {
  const TempDir temp;
  JournalBuilder journal;
  journal.event(agent::Operation::yield, 0, 0).event(agent::Operation::yield, 0, 0);
  ASSERT_OK(writer, TraceWriter::create(temp / "t", sample_info()));
  EXPECT_OK(writer.append(journal.bytes().first(sizeof(agent::JournalEvent) + 9)));
  EXPECT_OK(writer.finish({.kind = TraceEnding::Kind::killed, .value = 9}));
  ASSERT_OK(trace, Trace::open(temp / "t"));
  ASSERT_OK(read, trace.read_journal());
  EXPECT_EQ(as_text(read), journal.text().substr(0, sizeof(agent::JournalEvent)));
}

TEST(TraceWriter, AnExistingDirectoryIsNotTouched) {
  const TempDir temp;
  ASSERT_OK(writer, TraceWriter::create(temp / "t", sample_info()));
  EXPECT_ERROR(TraceWriter::create(temp / "t", sample_info()), Errc::refused, "t.incomplete: it exists");
  EXPECT_OK(writer.finish({.kind = TraceEnding::Kind::exited}));
  EXPECT_ERROR(TraceWriter::create((temp / "t") + "/", sample_info()), Errc::refused, "t: it exists");
  EXPECT_ERROR(TraceWriter::create(temp / "no/such/t", sample_info()), Errc::os, "No such file");
}

TEST(KeepFile, AnUnchangedFileIsKeptOnceAndAChangedOneAgain) {
  const TempDir temp;
  ASSERT_OK(writer, TraceWriter::create(temp / "t", sample_info()));
  const std::string path = temp.file("data", "one");
  make_old(path);
  settle(path);
  ASSERT_OK(first, writer.keep_file(path, KeepFile::copy));
  ASSERT_OK(again, writer.keep_file(path, KeepFile::copy));
  EXPECT_EQ(first, again);
  write_file(path, "two");
  ASSERT_OK(changed, writer.keep_file(path, KeepFile::copy));
  EXPECT_NE(changed, first);
  write_file(path, "six");  // perhaps within the same tick of the clock that file times come from
  ASSERT_OK(quickly, writer.keep_file(path, KeepFile::copy));
  EXPECT_NE(quickly, changed);
  EXPECT_EQ(read_file(writer.directory() + "/" + writer.files()[first].copy), "one");
  EXPECT_EQ(read_file(writer.directory() + "/" + writer.files()[changed].copy), "two");
  EXPECT_EQ(read_file(writer.directory() + "/" + writer.files()[quickly].copy), "six");
}

TEST(KeepFile, AModuleIsKeptByReferenceWithItsBuildId) {
  const TempDir temp;
  ASSERT_OK(writer, TraceWriter::create(temp / "t", sample_info()));
  ASSERT_OK(self, reference_to("/proc/self/exe"));
  const std::string path = std::filesystem::read_symlink("/proc/self/exe");
  ASSERT_OK(number, writer.keep_file(path, KeepFile::reference));
  const KeptFile& kept = writer.files()[number];
  EXPECT_EQ(kept.copy, "");
  EXPECT_EQ(kept.original.path, path);
  EXPECT_EQ(kept.original.size, self.size);
  EXPECT_EQ(kept.original.build_id, self.build_id);
}

TEST(KeepFile, AFileWithoutAPathIsCopiedEvenIfItIsAModule) {
  const TempDir temp;
  ASSERT_OK(writer, TraceWriter::create(temp / "t", sample_info()));
  const UniqueFd memory(::memfd_create("code", MFD_CLOEXEC));
  ASSERT_OK(written, write_all(memory.get(), "in memory only"));
  (void)written;
  ASSERT_OK(number, writer.keep_file(memory.get(), "", KeepFile::reference));
  EXPECT_EQ(read_file(writer.directory() + "/" + writer.files()[number].copy), "in memory only");
  EXPECT_EQ(::lseek(memory.get(), 0, SEEK_CUR), 14) << "the program's offset must not move";
}

TEST(KeepFile, ADeviceIsRefused) {
  const TempDir temp;
  ASSERT_OK(writer, TraceWriter::create(temp / "t", sample_info()));
  ASSERT_OK(null, open_file("/dev/null", O_RDONLY));
  EXPECT_ERROR(writer.keep_file(null.get(), "/dev/null", KeepFile::copy), Errc::unsupported, "not a regular file");
}

TEST(AddModules, KeepsWhatHasCodeAndWhereItIs) {
  const TempDir temp;
  ASSERT_OK(writer, TraceWriter::create(temp / "t", sample_info()));
  const std::string code = temp.file("code.so", "not really");
  const std::string data = temp.file("data", "data");
  const std::vector<MemoryMapping> mappings = {
      {.start = 0x1000, .end = 0x2000, .offset = 0, .readable = true, .path = code},
      {.start = 0x2000, .end = 0x3000, .offset = 0x1000, .readable = true, .executable = true, .path = code},
      {.start = 0x4000, .end = 0x5000, .readable = true, .path = data},
      {.start = 0x5000, .end = 0x6000, .readable = true, .executable = true, .path = "[vdso]"},
      {.start = 0x6000, .end = 0x7000, .executable = true, .path = temp / "gone", .is_deleted = true},
  };
  EXPECT_OK(writer.add_modules(mappings, 0));
  settle(code);
  EXPECT_OK(writer.add_modules(mappings, 0));
  EXPECT_OK(writer.finish({.kind = TraceEnding::Kind::exited}));
  ASSERT_OK(trace, Trace::open(temp / "t"));
  ASSERT_GE(trace.mappings().size(), 2u);
  EXPECT_EQ(trace.files()[trace.mappings()[0].file].original.path, code);
  EXPECT_EQ(trace.mappings()[1].start, 0x2000u);
  EXPECT_EQ(trace.mappings()[1].offset, 0x1000u);
  EXPECT_TRUE(trace.mappings()[1].executable);
  for (const KeptFile& file : trace.files()) EXPECT_EQ(file.original.path, code);
}

}  // namespace
}  // namespace xbdbg::test
