#include "tracer/start_image.h"

#include "tracer/base/bytes.h"

namespace xbdbg {

namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kMaxText = 16u << 20;  // arguments and environment together: the kernel allows 6 MiB
constexpr std::uint64_t kMaxStrings = 4u << 20;
constexpr std::uint64_t kMaxAuxv = 256;

void put_strings(ByteWriter& out, const std::vector<std::string>& strings) {
  out.varint(strings.size());
  for (const std::string& string : strings) out.string(string);
}

Result<std::vector<std::string>> get_strings(ByteReader& in, std::string_view field) {
  const std::size_t at = in.offset();
  XB_TRY(const std::uint64_t count, in.varint(field));
  if (count > kMaxStrings || count > in.remaining()) return in.error_at(field, at, "there are not that many");
  std::vector<std::string> strings;
  for (std::uint64_t i = 0; i < count; ++i) {
    XB_TRY(std::string string, in.string(field, kMaxText));
    if (string.find('\0') != std::string::npos) return in.error_at(field, at, "a text has a 0 in it");
    strings.push_back(std::move(string));
  }
  return strings;
}

Result<std::vector<AuxvEntry>> get_auxv(ByteReader& in) {
  const std::size_t at = in.offset();
  XB_TRY(const std::uint64_t count, in.varint("auxiliary vector"));
  if (count > kMaxAuxv) return in.error_at("auxiliary vector", at, "it is too long");
  std::vector<AuxvEntry> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    AuxvEntry entry;
    XB_TRY(entry.type, in.u64("type of an auxiliary value"));
    XB_TRY(entry.value, in.u64("auxiliary value"));
    entries.push_back(entry);
  }
  return entries;
}

}  // namespace

std::string encode_start(const StartImage& start) {
  ByteWriter out;
  out.u8(kVersion);
  out.string(start.executable);
  out.string(start.name);
  out.string(start.working_directory);
  put_strings(out, start.argv);
  put_strings(out, start.env);
  out.varint(start.auxv.size());
  for (const AuxvEntry& entry : start.auxv) {
    out.u64(entry.type);
    out.u64(entry.value);
  }
  out.u64(start.stack_pointer);
  out.u64(start.stack_limit);
  out.u64(start.personality);
  return std::move(out).take();
}

Result<StartImage> decode_start(std::string_view bytes) {
  ByteReader in(bytes, "start of a program");
  XB_TRY(const std::uint8_t version, in.u8("version"));
  if (version != kVersion) return in.error_at("version", 0, "it is " + std::to_string(version) + ", not 1");
  StartImage start;
  XB_TRY(start.executable, in.string("executable", kMaxText));
  XB_TRY(start.name, in.string("name", kMaxText));
  XB_TRY(start.working_directory, in.string("working directory", kMaxText));
  XB_TRY(start.argv, get_strings(in, "arguments"));
  XB_TRY(start.env, get_strings(in, "environment"));
  XB_TRY(start.auxv, get_auxv(in));
  XB_TRY(start.stack_pointer, in.u64("stack pointer"));
  XB_TRY(start.stack_limit, in.u64("stack limit"));
  XB_TRY(start.personality, in.u64("personality"));
  XB_CHECK(in.expect_end());
  return start;
}

const std::string& redirected(const std::vector<Redirect>& redirects, const std::string& path) {
  for (const Redirect& redirect : redirects) {
    if (redirect.path == path) return redirect.copy;
  }
  return path;
}

}  // namespace xbdbg
