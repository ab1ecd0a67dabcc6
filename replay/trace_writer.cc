#include "replay/trace_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "replay/chunk.h"
#include "replay/kept_files.h"
#include "replay/trace_files.h"
#include "replay/trace_meta.h"

namespace xbdbg {

struct TraceWriter::Impl {
  std::string final_directory{};
  std::string directory{};
  UniqueFd journal{};
  std::uint64_t written = 0;  // bytes of whole chunks in the file
  std::uint64_t sequence = 0;
  std::string pending{};  // journal bytes that are not in a chunk yet
  std::uint64_t journal_bytes = 0;
  ChunkEncoder encoder{};
  KeptFiles kept{};
  std::vector<KeptMapping> mappings{};

  Result<> write_chunk(ChunkKind kind, std::string_view content) {
    XB_TRY(const std::string chunk, encoder.encode(kind, sequence, content));
    if (auto done = write_all(journal.get(), chunk); !done) {
      // What is there stays readable: half a chunk is taken back.
      if (::ftruncate(journal.get(), static_cast<off_t>(written)) == 0) {
        (void)::lseek(journal.get(), static_cast<off_t>(written), SEEK_SET);
      }
      Error error = std::move(done).error().context("write " + directory + "/journal");
      error.hint = "is the disk full? -o DIR puts the trace elsewhere";
      return error;
    }
    written += chunk.size();
    ++sequence;
    return Ok{};
  }

  Result<std::uint32_t> keep(int fd, const std::string& path, KeepFile how) {
    XB_TRY(const KeptFiles::Answer answer, kept.keep(fd, path, how, directory));
    if (answer.is_new) XB_CHECK(write_chunk(ChunkKind::file, print_kept_file(kept.files()[answer.number])));
    return answer.number;
  }
};

namespace {

Error exists_error(const std::string& path) {
  return Error{Errc::refused, "record into " + path + ": it exists",
               "give another directory with -o, or remove it with: xbdbg rm " + path};
}

// The lock is how others see that a recording is going on; it goes with the last process that has the file open.
Result<UniqueFd> make_journal(const std::string& directory) {
  XB_TRY(UniqueFd fd, open_file(directory + "/journal", O_RDWR | O_CREAT | O_EXCL, 0666));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return os_error("lock " + directory + "/journal");
  return fd;
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

}  // namespace

TraceWriter::TraceWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;
TraceWriter& TraceWriter::operator=(TraceWriter&&) noexcept = default;
TraceWriter::~TraceWriter() = default;

Result<TraceWriter> TraceWriter::create(const std::string& dir, const TraceInfo& info) {
  auto impl = std::make_unique<Impl>();
  impl->final_directory = dir;
  while (impl->final_directory.size() > 1 && impl->final_directory.back() == '/') impl->final_directory.pop_back();
  impl->directory = impl->final_directory + std::string(kIncompleteSuffix);
  if (exists(impl->final_directory)) return exists_error(impl->final_directory);
  if (::mkdir(impl->directory.c_str(), 0777) != 0) {
    if (errno == EEXIST) return exists_error(impl->directory);
    return os_error("make the trace directory " + impl->directory, "-o DIR puts it elsewhere");
  }
  // Two recordings may have taken the same name, and the other one has just finished with it.
  if (exists(impl->final_directory)) {
    (void)::rmdir(impl->directory.c_str());
    return exists_error(impl->final_directory);
  }
  XB_TRY(impl->journal, make_journal(impl->directory));
  XB_CHECK(write_file_atomically(impl->directory + "/meta.json", print_meta(TraceMeta{info, {}})));
  if (::mkdir((impl->directory + "/files").c_str(), 0777) != 0) {
    return os_error("make the folder " + impl->directory + "/files");
  }
  return TraceWriter(std::move(impl));
}

Result<> TraceWriter::append(std::span<const std::byte> journal) {
  const std::size_t chunk_bytes = TraceLimits{}.chunk_bytes;
  while (!journal.empty()) {
    // Copied before anything else is done with them: the target may still write to these bytes.
    const std::size_t count = std::min(journal.size(), chunk_bytes - impl_->pending.size());
    impl_->pending.append(reinterpret_cast<const char*>(journal.data()), count);
    impl_->journal_bytes += count;
    journal = journal.subspan(count);
    if (impl_->pending.size() == chunk_bytes) XB_CHECK(flush());
  }
  return Ok{};
}

Result<> TraceWriter::flush() {
  if (impl_->pending.empty()) return Ok{};
  XB_CHECK(impl_->write_chunk(ChunkKind::journal, impl_->pending));
  impl_->pending.clear();
  return Ok{};
}

Result<std::uint32_t> TraceWriter::keep_file(int fd, const std::string& path, KeepFile how) {
  return impl_->keep(fd, path, how);
}

Result<std::uint32_t> TraceWriter::keep_file(const std::string& path, KeepFile how) {
  XB_TRY(const UniqueFd fd, open_regular(path));
  return impl_->keep(fd.get(), path, how);
}

Result<> TraceWriter::add_modules(const std::vector<MemoryMapping>& mappings, std::uint32_t image) {
  std::set<std::string> modules;  // whatever has code mapped from it
  for (const MemoryMapping& mapping : mappings) {
    if (mapping.executable && mapping.path.starts_with('/') && !mapping.is_deleted) modules.insert(mapping.path);
  }
  for (const MemoryMapping& mapping : mappings) {
    if (!modules.contains(mapping.path) || mapping.is_deleted) continue;
    const auto fd = open_regular(mapping.path);
    if (!fd) continue;
    XB_TRY(const std::uint32_t file, impl_->keep(fd->get(), mapping.path, KeepFile::reference));
    const KeptMapping kept{.file = file,
                           .start = mapping.start,
                           .end = mapping.end,
                           .offset = mapping.offset,
                           .executable = mapping.executable,
                           .image = image};
    if (std::find(impl_->mappings.begin(), impl_->mappings.end(), kept) != impl_->mappings.end()) continue;
    XB_CHECK(impl_->write_chunk(ChunkKind::mapping, print_kept_mapping(kept)));
    impl_->mappings.push_back(kept);
  }
  return Ok{};
}

Result<> TraceWriter::add_start(const StartImage& start) {
  const std::string bytes = encode_start(start);
  std::string_view rest = bytes;
  for (const std::size_t piece = TraceLimits{}.chunk_bytes; rest.size() > piece; rest.remove_prefix(piece)) {
    XB_CHECK(impl_->write_chunk(ChunkKind::start_part, rest.substr(0, piece)));
  }
  return impl_->write_chunk(ChunkKind::start, rest);
}

Result<> TraceWriter::finish(const TraceEnding& ending) {
  XB_ASSERT(ending.kind != TraceEnding::Kind::unfinished);
  XB_CHECK(flush());
  TraceEnding whole = ending;
  whole.journal_bytes = impl_->journal_bytes;
  XB_CHECK(impl_->write_chunk(ChunkKind::ending, print_ending(whole)));
  if (::renameat2(AT_FDCWD, impl_->directory.c_str(), AT_FDCWD, impl_->final_directory.c_str(), RENAME_NOREPLACE) !=
      0) {
    return os_error(fmt::format("rename {} to {}", impl_->directory, impl_->final_directory));
  }
  impl_->directory = impl_->final_directory;
  // Processes that were forked meanwhile share the lock: it must not live as long as they do.
  (void)::flock(impl_->journal.get(), LOCK_UN);
  impl_->journal.reset();
  return Ok{};
}

const std::string& TraceWriter::directory() const { return impl_->directory; }
const std::vector<KeptFile>& TraceWriter::files() const { return impl_->kept.files(); }
std::uint64_t TraceWriter::journal_bytes() const { return impl_->journal_bytes; }

}  // namespace xbdbg
