#include "replay/json_fields.h"

#include <fmt/format.h>

#include "tracer/base/str.h"

namespace xbdbg {

using nlohmann::json;

namespace {

constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxBuildIdDigits = 128;

Error json_error(std::string_view name, std::string_view field, std::size_t offset, std::string_view problem) {
  return Error{Errc::bad_input, fmt::format("{}: {} at offset {}: {}", name, field, offset, problem),
               "the trace is damaged, or was not written by xbdbg"};
}

// Thrown by the callback and caught by parse_json: the parser has no other way to be stopped.
struct TooMuch {
  std::string_view problem;
};

}  // namespace

json json_text(std::string_view text) {
  json value = text;
  try {
    (void)value.dump();
  } catch (const json::exception&) {  // not UTF-8
    value = json{{"hex", to_hex(text)}};
  }
  return value;
}

json json_texts(const std::vector<std::string>& texts) {
  json out = json::array();
  for (const std::string& text : texts) out.push_back(json_text(text));
  return out;
}

Result<json> parse_json(std::string_view text, std::string_view name, const TraceLimits& limits) {
  std::uint64_t values = 0;
  const json::parser_callback_t watch = [&](int depth, json::parse_event_t, json&) {
    if (depth > kMaxDepth) throw TooMuch{"nested too deeply"};
    if (++values > limits.meta_values) throw TooMuch{"more values than the limit meta_values allows"};
    return true;
  };
  try {
    return json::parse(text, watch);
  } catch (const json::parse_error& e) {
    return json_error(name, "text", e.byte, "not JSON");
  } catch (const json::exception& e) {
    return json_error(name, "text", 0, e.what());
  } catch (const TooMuch& e) {
    return json_error(name, "text", 0, e.problem);
  }
}

Result<JsonFields> JsonFields::of(const json& value, std::string_view field, std::string_view text,
                                  std::string_view name) {
  if (!value.is_object()) return json_error(name, field, 0, "not an object");
  return JsonFields(value, text, name);
}

Error JsonFields::bad(std::string_view key, std::string_view problem) const {
  // The parsed value no longer knows where it was; the first place with this key is where to look.
  const std::size_t at = text_.find(fmt::format("\"{}\"", key));
  return json_error(name_, key, at == std::string_view::npos ? 0 : at, problem);
}

Result<const json*> JsonFields::find(const char* key) const {
  const auto found = object_->find(key);
  if (found == object_->end()) return bad(key, "missing");
  return &*found;
}

Result<std::string> JsonFields::as_text(const json& value, const char* key) const {
  std::string out;
  if (value.is_string()) {
    out = value.get_ref<const std::string&>();
  } else if (value.is_object() && value.size() == 1 && value.contains("hex") && value["hex"].is_string()) {
    auto bytes = from_hex(value["hex"].get_ref<const std::string&>());
    if (!bytes) return bad(key, bytes.error().what);
    out = *std::move(bytes);
  } else {
    return bad(key, "not a text");
  }
  if (out.find('\0') != std::string::npos) return bad(key, "has a 0 byte in it");
  return out;
}

Result<std::string> JsonFields::text(const char* key) const {
  XB_TRY(const json* value, find(key));
  return as_text(*value, key);
}

Result<std::vector<std::string>> JsonFields::texts(const char* key) const {
  XB_TRY(const json* value, find(key));
  if (!value->is_array()) return bad(key, "not a list");
  std::vector<std::string> out;
  for (const json& element : *value) {
    XB_TRY(std::string one, as_text(element, key));
    out.push_back(std::move(one));
  }
  return out;
}

Result<std::uint64_t> JsonFields::number(const char* key, std::uint64_t max) const {
  XB_TRY(const json* value, find(key));
  if (!value->is_number_unsigned()) return bad(key, "not a number of 0 or more");
  const auto number = value->get<std::uint64_t>();
  if (number > max) return bad(key, fmt::format("{} is over the limit of {}", number, max));
  return number;
}

Result<std::int64_t> JsonFields::signed_number(const char* key) const {
  XB_TRY(const json* value, find(key));
  if (!value->is_number_integer()) return bad(key, "not a whole number");
  if (value->is_number_unsigned() && value->get<std::uint64_t>() >> 63U != 0) return bad(key, "too large");
  return value->get<std::int64_t>();
}

Result<bool> JsonFields::truth(const char* key) const {
  XB_TRY(const json* value, find(key));
  if (!value->is_boolean()) return bad(key, "neither true nor false");
  return value->get<bool>();
}

Result<std::string> JsonFields::build_id(const char* key) const {
  XB_TRY(std::string digits, text(key));
  const bool hexadecimal = digits.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!hexadecimal || digits.size() % 2 != 0 || digits.size() > kMaxBuildIdDigits) return bad(key, "not a build-id");
  return digits;
}

Result<std::uint64_t> JsonFields::hash(const char* key) const {
  XB_TRY(const std::string digits, text(key));
  auto value = parse_u64(digits, key, 16);
  if (!value || digits != hash_text(*value)) return bad(key, "not 16 hexadecimal digits");
  return *value;
}

Result<std::string> JsonFields::inner_path(const char* key) const {
  XB_TRY(std::string path, text(key));
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == "." || part == "..") return bad(key, "not the path of a file inside the trace");
  }
  return path;
}

Result<JsonFields> JsonFields::object(const char* key) const {
  XB_TRY(const json* value, find(key));
  if (!value->is_object()) return bad(key, "not an object");
  return JsonFields(*value, text_, name_);
}

Result<std::vector<JsonFields>> JsonFields::objects(const char* key, std::uint64_t max) const {
  XB_TRY(const json* value, find(key));
  if (!value->is_array()) return bad(key, "not a list");
  if (value->size() > max) return bad(key, fmt::format("{} entries, the limit is {}", value->size(), max));
  std::vector<JsonFields> out;
  for (const json& element : *value) {
    if (!element.is_object()) return bad(key, "has an entry that is not an object");
    out.push_back(JsonFields(element, text_, name_));
  }
  return out;
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

}  // namespace xbdbg
