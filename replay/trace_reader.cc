#include "replay/trace_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "replay/chunk.h"
#include "replay/journal_reader.h"
#include "replay/trace_files.h"
#include "replay/trace_meta.h"

namespace xbdbg {

namespace {

constexpr char kIncompleteHint[] = "--allow-incomplete replays what is there, up to where the recording was cut off";

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Result<std::string> read_meta_text(const std::string& path, const TraceLimits& limits) {
  XB_CHECK(open_regular(path));  // not a FIFO, on which reading would wait
  return read_whole_file(path, limits.meta_bytes);
}

Result<ChunkFile> open_journal(const std::string& path, const TraceLimits& limits) {
  XB_TRY(UniqueFd fd, open_regular(path));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return os_error("look at " + path);
  return ChunkFile(std::move(fd), static_cast<std::uint64_t>(status.st_size), path, limits);
}

}  // namespace

// Fills a Trace from its files.
class TraceLoader {
 public:
  TraceLoader(Trace& trace, const ChunkFile& file) : trace_(trace), file_(file), limits_(trace.options_.limits) {}

  // Walks over the chunks. An error means that the journal is damaged or was cut off at this place; what was before
  // it is in the trace.
  Result<> load() {
    std::uint64_t offset = 0;
    for (std::uint64_t sequence = 0;; ++sequence) {
      XB_TRY(const std::optional<ChunkHeader> header, file_.header_at(offset, sequence));
      if (!header) return Ok{};
      if (trace_.complete()) return file_.bad("end", offset, "something comes after the ending");
      if (sequence == limits_.chunks) return file_.bad("sequence number", offset + 8, "more than the limit chunks");
      XB_CHECK(take(*header, offset));
      offset += kChunkHeaderBytes + header->compressed;
    }
  }

 private:
  Result<> take(const ChunkHeader& header, std::uint64_t offset) {
    if (header.kind == ChunkKind::journal) return take_journal(header, offset);
    std::string text(header.uncompressed, '\0');
    XB_CHECK(file_.read(header, offset, std::as_writable_bytes(std::span(text))));
    const std::string name = fmt::format("{} (chunk at offset {})", file_.name(), offset);
    switch (header.kind) {
      case ChunkKind::journal:
        break;
      case ChunkKind::file: {
        XB_TRY(KeptFile file, parse_kept_file(text, name, limits_));
        if (trace_.files_.size() == limits_.files) return file_.bad("kind", offset + 6, "more than the limit files");
        trace_.files_.push_back(std::move(file));
        break;
      }
      case ChunkKind::mapping: {
        XB_TRY(const KeptMapping mapping, parse_kept_mapping(text, name, limits_));
        if (mapping.file >= trace_.files_.size()) {
          return file_.bad("mapping.file", offset, fmt::format("there is no file {}", mapping.file));
        }
        trace_.mappings_.push_back(mapping);
        break;
      }
      case ChunkKind::start_part:
      case ChunkKind::start:
        return take_start(header, offset, text);
      case ChunkKind::ending: {
        XB_TRY(TraceEnding ending, parse_ending(text, name, limits_));
        if (ending.journal_bytes != trace_.journal_bytes_) {
          return file_.bad("ending.journal_bytes", offset,
                           fmt::format("{}, but there are {}", ending.journal_bytes, trace_.journal_bytes_));
        }
        trace_.ending_ = std::move(ending);
        break;
      }
    }
    return Ok{};
  }

  Result<> take_start(const ChunkHeader& header, std::uint64_t offset, std::string_view piece) {
    if (piece.size() > limits_.start_bytes - start_.size()) {
      return file_.bad("uncompressed size", offset + 20, "more than the limit start_bytes");
    }
    start_ += piece;
    if (header.kind == ChunkKind::start_part) return Ok{};
    if (trace_.starts_.size() == limits_.starts) return file_.bad("kind", offset + 6, "more than the limit starts");
    auto start = decode_start(start_);
    if (!start) return file_.bad("start", offset + kChunkHeaderBytes, start.error().what);
    trace_.starts_.push_back(*std::move(start));
    start_.clear();
    return Ok{};
  }

  Result<> take_journal(const ChunkHeader& header, std::uint64_t offset) {
    if (header.uncompressed > limits_.journal_bytes - trace_.journal_bytes_) {
      return file_.bad(
          "uncompressed size", offset + 20,
          fmt::format("the journal has more than {} bytes (the limit journal_bytes)", limits_.journal_bytes));
    }
    // Of a trace that may be damaged, only what is known to be good is offered.
    if (trace_.options_.allow_incomplete) XB_CHECK(file_.check_frame(header, offset));
    trace_.chunks_.push_back({offset, header.compressed, header.uncompressed, header.checksum});
    trace_.journal_bytes_ += header.uncompressed;
    return Ok{};
  }

  Trace& trace_;
  const ChunkFile& file_;
  const TraceLimits& limits_;
  std::string start_{};  // the pieces so far
};

Result<Trace> Trace::open(const std::string& dir, const TraceOpenOptions& options) {
  Trace trace;
  trace.directory_ = without_slashes(dir);
  trace.options_ = options;
  if (!std::filesystem::is_directory(trace.directory_)) {
    return Error{Errc::not_found, "open the trace " + trace.directory_ + ": there is no such directory",
                 "xbdbg ls lists the traces there are"};
  }
  if (trace.directory_.ends_with(kIncompleteSuffix) && !options.allow_incomplete) {
    return Error{Errc::refused, "open the trace " + trace.directory_ + ": its recording was not finished",
                 kIncompleteHint};
  }
  const std::string meta_path = trace.path_of("meta.json");
  XB_TRY(const std::string meta_text, read_meta_text(meta_path, options.limits));
  XB_TRY(TraceMeta meta, parse_meta(meta_text, meta_path, options.limits));
  if (meta.info.architecture != kTraceArchitecture) {
    return Error{Errc::unsupported, fmt::format("{}: architecture: the trace is of {}, this xbdbg replays {}",
                                                meta_path, meta.info.architecture, kTraceArchitecture)};
  }
  trace.info_ = std::move(meta.info);
  trace.packed_ = std::move(meta.packed);
  XB_TRY(const ChunkFile journal, open_journal(trace.path_of("journal"), options.limits));
  trace.disk_bytes_ = journal.bytes();
  const auto loaded = TraceLoader(trace, journal).load();
  if (!loaded && !options.allow_incomplete) return loaded.error();
  if (!loaded) trace.damage_ = loaded.error().what;
  if (trace.complete() || options.allow_incomplete) return trace;
  return Error{Errc::refused, fmt::format("{}: ending at offset {}: there is none", journal.name(), journal.bytes()),
               kIncompleteHint};
}

Result<std::vector<std::byte>> Trace::read_journal() const {
  // Grows with what is found: the headers' word for the size is not taken beforehand.
  std::vector<std::byte> journal;
  XB_TRY(const ChunkFile file, open_journal(path_of("journal"), options_.limits));
  for (const Chunk& chunk : chunks_) {
    const std::size_t at = journal.size();
    journal.resize(at + chunk.uncompressed);
    XB_CHECK(read_chunk(file, chunk, std::span(journal).subspan(at)));
  }
  XB_TRY(const std::uint64_t size, check_records(journal));
  journal.resize(size);
  return journal;
}

Result<std::uint64_t> Trace::read_journal(std::span<std::byte> into) const {
  XB_ASSERT(into.size() >= journal_bytes_);
  XB_TRY(const ChunkFile file, open_journal(path_of("journal"), options_.limits));
  std::size_t at = 0;
  for (const Chunk& chunk : chunks_) {
    XB_CHECK(read_chunk(file, chunk, into.subspan(at, chunk.uncompressed)));
    at += chunk.uncompressed;
  }
  return check_records(into.first(at));
}

Result<> Trace::read_chunk(const ChunkFile& file, const Chunk& chunk, std::span<std::byte> out) const {
  const ChunkHeader header{.kind = ChunkKind::journal,
                           .compressed = chunk.compressed,
                           .uncompressed = chunk.uncompressed,
                           .checksum = chunk.checksum};
  return file.read(header, chunk.offset, out);
}

Result<std::uint64_t> Trace::check_records(std::span<const std::byte> journal) const {
  const std::string name = path_of("journal");
  const std::uint64_t whole = whole_records(journal);
  JournalCursor cursor(journal.first(whole));
  while (true) {
    auto there = cursor.next();
    if (!there) return std::move(there).error().context(name);
    if (!*there) break;
    const auto* answer = std::get_if<KernelAnswer>(&cursor.entry().body);
    if (answer == nullptr || !answer->mapping) continue;
    const std::uint32_t file = answer->mapping->file;
    if (file == agent::kNoFile || file < files_.size()) continue;
    return Error{Errc::bad_input, fmt::format("{}: journal: mapping.file at offset {}: there is no file {}", name,
                                              cursor.entry().offset, file)};
  }
  return whole;
}

bool looks_like_trace(const std::string& dir) {
  struct stat status {};
  for (const char* name : {"/meta.json", "/journal"}) {
    if (::lstat((dir + name).c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  }
  return true;
}

}  // namespace xbdbg
