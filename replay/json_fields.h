// replay/json_fields.h — JSON as hostile input: bounded parsing, and fields that must be there and be what they
// should.
//
// Errors have the form of ByteReader's: "x/meta.json: seed at offset 120: ...". Text that is not UTF-8 (file names
// and arguments may be anything) is written as {"hex": "ff00"}.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "replay/trace.h"
#include "tracer/base/result.h"

namespace xbdbg {

nlohmann::json json_text(std::string_view text);
nlohmann::json json_texts(const std::vector<std::string>& texts);

// Not deeper than a few levels, not more values than limits.meta_values; no duplicate keys are looked for (the last
// one counts). `name` is the file, for errors.
Result<nlohmann::json> parse_json(std::string_view text, std::string_view name, const TraceLimits& limits);

// The fields of one object of a parsed text. `text` and `name` are for errors; both must outlive it.
class JsonFields {
 public:
  static Result<JsonFields> of(const nlohmann::json& value, std::string_view field, std::string_view text,
                               std::string_view name);

  Result<std::string> text(const char* key) const;  // without 0 bytes: all our texts become arguments or paths
  Result<std::vector<std::string>> texts(const char* key) const;
  Result<std::uint64_t> number(const char* key, std::uint64_t max = ~std::uint64_t{0}) const;
  Result<std::int64_t> signed_number(const char* key) const;
  Result<bool> truth(const char* key) const;
  Result<std::string> build_id(const char* key) const;    // "", or an even number of lower-case digits
  Result<std::uint64_t> hash(const char* key) const;      // 16 hexadecimal digits, as a text
  Result<std::string> inner_path(const char* key) const;  // relative, without "..": it stays inside the trace
  Result<JsonFields> object(const char* key) const;
  Result<std::vector<JsonFields>> objects(const char* key, std::uint64_t max) const;

  Error bad(std::string_view key, std::string_view problem) const;

 private:
  JsonFields(const nlohmann::json& object, std::string_view text, std::string_view name)
      : object_(&object), text_(text), name_(name) {}
  Result<const nlohmann::json*> find(const char* key) const;
  Result<std::string> as_text(const nlohmann::json& value, const char* key) const;

  const nlohmann::json* object_;
  std::string_view text_, name_;
};

std::string hash_text(std::uint64_t hash);  // what JsonFields::hash reads

}  // namespace xbdbg
