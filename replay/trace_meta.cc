#include "replay/trace_meta.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <limits>

#include "replay/json_fields.h"
#include "replay/schedule_file.h"
#include "tracer/base/str.h"

namespace xbdbg {

using nlohmann::json;

namespace {

constexpr std::string_view kFormat = "xbdbg-trace";
constexpr std::uint64_t kMaxU32 = std::numeric_limits<std::uint32_t>::max();

// Keys are sorted and there are no fractions, so the same value always gives the same bytes.
std::string checksum_of(const json& value) {
  const std::string text = value.dump();
  return hash_text(XXH64(text.data(), text.size(), 0));
}

json reference_json(const FileReference& file) {
  return json{
      {"path", json_text(file.path)}, {"build_id", file.build_id}, {"size", file.size}, {"mtime_ns", file.mtime_ns}};
}

Result<FileReference> parse_reference(const JsonFields& fields) {
  FileReference file;
  XB_TRY(file.path, fields.text("path"));
  if (!file.path.empty() && file.path.front() != '/') return fields.bad("path", "not an absolute path");
  XB_TRY(file.build_id, fields.build_id("build_id"));
  XB_TRY(file.size, fields.number("size"));
  XB_TRY(file.mtime_ns, fields.signed_number("mtime_ns"));
  return file;
}

json info_json(const TraceInfo& info) {
  return json{{"architecture", info.architecture},
              {"xbdbg_version", info.xbdbg_version},
              {"argv", json_texts(info.argv)},
              {"program", reference_json(info.program)},
              {"agent", reference_json(info.agent)},
              {"environment", json_texts(info.environment)},
              {"working_directory", json_text(info.working_directory)},
              {"policy", policy_name(info.policy)},
              {"seed", info.seed},
              {"real_time", info.real_time},
              {"follow_every_operation", info.follow_every_operation},
              {"start_time_ns", info.start_time_ns}};
}

Result<TraceInfo> parse_info(const JsonFields& fields) {
  TraceInfo info;
  XB_TRY(info.architecture, fields.text("architecture"));
  XB_TRY(info.xbdbg_version, fields.text("xbdbg_version"));
  XB_TRY(info.argv, fields.texts("argv"));
  if (info.argv.empty()) return fields.bad("argv", "empty");
  XB_TRY(const JsonFields program, fields.object("program"));
  XB_TRY(info.program, parse_reference(program));
  XB_TRY(const JsonFields agent, fields.object("agent"));
  XB_TRY(info.agent, parse_reference(agent));
  XB_TRY(info.environment, fields.texts("environment"));
  XB_TRY(info.working_directory, fields.text("working_directory"));
  XB_TRY(const std::string policy, fields.text("policy"));
  const auto kind = policy_from_name(policy);
  if (!kind) return fields.bad("policy", "unknown policy " + xbdbg::quoted(policy));
  info.policy = *kind;
  XB_TRY(info.seed, fields.number("seed"));
  XB_TRY(info.real_time, fields.truth("real_time"));
  XB_TRY(info.follow_every_operation, fields.truth("follow_every_operation"));
  XB_TRY(info.start_time_ns, fields.signed_number("start_time_ns"));
  return info;
}

json packed_json(const std::vector<PackedFile>& packed) {
  json out = json::array();
  for (const PackedFile& file : packed) {
    out.push_back(
        json{{"path", json_text(file.path)}, {"copy", json_text(file.copy)}, {"checksum", hash_text(file.checksum)}});
  }
  return out;
}

Result<std::vector<PackedFile>> parse_packed(const std::vector<JsonFields>& list) {
  std::vector<PackedFile> out;
  for (const JsonFields& fields : list) {
    PackedFile file;
    XB_TRY(file.path, fields.text("path"));
    XB_TRY(file.copy, fields.inner_path("copy"));
    XB_TRY(file.checksum, fields.hash("checksum"));
    out.push_back(std::move(file));
  }
  return out;
}

Result<> check_version(const JsonFields& whole, std::string_view name) {
  XB_TRY(const std::string format, whole.text("format"));
  if (format != kFormat) return whole.bad("format", "not " + xbdbg::quoted(kFormat));
  XB_TRY(const std::uint64_t version, whole.number("version"));
  if (version == kTraceVersion) return Ok{};
  return Error{
      Errc::unsupported,
      fmt::format("{}: version: the trace has version {}, this xbdbg reads version {}", name, version, kTraceVersion),
      "use the version of xbdbg that recorded it, or record again"};
}

}  // namespace

std::string print_meta(const TraceMeta& meta) {
  const json content = {{"info", info_json(meta.info)}, {"packed", packed_json(meta.packed)}};
  const json whole = {
      {"format", kFormat}, {"version", kTraceVersion}, {"checksum", checksum_of(content)}, {"trace", content}};
  return whole.dump(1) + "\n";
}

Result<TraceMeta> parse_meta(std::string_view text, std::string_view name, const TraceLimits& limits) {
  XB_TRY(const json parsed, parse_json(text, name, limits));
  XB_TRY(const JsonFields whole, JsonFields::of(parsed, "text", text, name));
  XB_CHECK(check_version(whole, name));
  XB_TRY(const std::string checksum, whole.text("checksum"));
  XB_TRY(const JsonFields content, whole.object("trace"));
  if (checksum != checksum_of(parsed["trace"])) return whole.bad("checksum", "does not fit the content");
  TraceMeta meta;
  XB_TRY(const JsonFields info, content.object("info"));
  XB_TRY(meta.info, parse_info(info));
  XB_TRY(const std::vector<JsonFields> packed, content.objects("packed", limits.files));
  XB_TRY(meta.packed, parse_packed(packed));
  return meta;
}

std::string print_kept_file(const KeptFile& file) {
  return json{
      {"original", reference_json(file.original)}, {"copy", file.copy}, {"checksum", hash_text(file.checksum)}}
      .dump();
}

Result<KeptFile> parse_kept_file(std::string_view text, std::string_view name, const TraceLimits& limits) {
  XB_TRY(const json parsed, parse_json(text, name, limits));
  XB_TRY(const JsonFields fields, JsonFields::of(parsed, "file", text, name));
  KeptFile file;
  XB_TRY(const JsonFields original, fields.object("original"));
  XB_TRY(file.original, parse_reference(original));
  XB_TRY(file.copy, fields.text("copy"));
  if (file.copy.empty()) {
    if (file.original.path.empty()) return fields.bad("copy", "neither a copy nor a path");
  } else {
    XB_TRY(file.copy, fields.inner_path("copy"));
  }
  XB_TRY(file.checksum, fields.hash("checksum"));
  return file;
}

std::string print_kept_mapping(const KeptMapping& mapping) {
  return json{{"file", mapping.file},     {"start", mapping.start},           {"end", mapping.end},
              {"offset", mapping.offset}, {"executable", mapping.executable}, {"image", mapping.image}}
      .dump();
}

Result<KeptMapping> parse_kept_mapping(std::string_view text, std::string_view name, const TraceLimits& limits) {
  XB_TRY(const json parsed, parse_json(text, name, limits));
  XB_TRY(const JsonFields fields, JsonFields::of(parsed, "mapping", text, name));
  KeptMapping mapping;
  XB_TRY(const std::uint64_t file, fields.number("file", kMaxU32));
  mapping.file = static_cast<std::uint32_t>(file);
  XB_TRY(mapping.start, fields.number("start"));
  XB_TRY(mapping.end, fields.number("end"));
  if (mapping.end <= mapping.start) return fields.bad("end", "not after the start");
  XB_TRY(mapping.offset, fields.number("offset"));
  XB_TRY(mapping.executable, fields.truth("executable"));
  XB_TRY(const std::uint64_t image, fields.number("image", kMaxU32));
  mapping.image = static_cast<std::uint32_t>(image);
  return mapping;
}

std::string print_ending(const TraceEnding& ending) {
  return json{
      {"kind", ending_name(ending.kind)}, {"value", ending.value},     {"message", json_text(ending.message)},
      {"events", ending.events},          {"choices", ending.choices}, {"journal_bytes", ending.journal_bytes}}
      .dump();
}

Result<TraceEnding> parse_ending(std::string_view text, std::string_view name, const TraceLimits& limits) {
  XB_TRY(const json parsed, parse_json(text, name, limits));
  XB_TRY(const JsonFields fields, JsonFields::of(parsed, "ending", text, name));
  TraceEnding ending;
  XB_TRY(const std::string kind, fields.text("kind"));
  const auto known = ending_from_name(kind);
  if (!known) return fields.bad("kind", "unknown ending " + xbdbg::quoted(kind));
  ending.kind = *known;
  XB_TRY(const std::int64_t value, fields.signed_number("value"));
  if (value < 0 || value > 255) return fields.bad("value", "neither an exit code nor a signal");
  ending.value = static_cast<std::int32_t>(value);
  XB_TRY(ending.message, fields.text("message"));
  XB_TRY(ending.events, fields.number("events"));
  XB_TRY(ending.choices, fields.number("choices"));
  XB_TRY(ending.journal_bytes, fields.number("journal_bytes", limits.journal_bytes));
  return ending;
}

}  // namespace xbdbg
