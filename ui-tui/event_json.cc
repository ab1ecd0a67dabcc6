#include "ui-tui/event_json.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "ui-tui/operations.h"

namespace xbdbg {
namespace {

void append_field(std::string& out, std::string_view key, std::string_view text) {
  if (!text.empty()) fmt::format_to(std::back_inserter(out), ",\"{}\":{}", key, json_string(text));
}

}  // namespace

std::string json_string(std::string_view text) {
  using nlohmann::json;
  return json(std::string(text)).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string site_json(const SourceSite& site) {
  std::string out;
  append_field(out, "function", site.function);
  append_field(out, "file", site.file);
  if (site.line != 0) out += fmt::format(",\"line\":{}", site.line);
  return out;
}

void append_event_json(std::string& out, const EventLine& event) {
  const OperationInfo& info = operation_info(event.operation);
  fmt::format_to(std::back_inserter(out), "{{\"index\":{},\"thread\":\"T{}\"", event.index, event.thread);
  append_field(out, "name", event.thread_name);
  fmt::format_to(std::back_inserter(out), ",\"op\":\"{}\"", info.name);
  append_field(out, "object", event.object);
  append_field(out, "mutex", event.mutex);
  // What is no error is a number: success, or the status of an exit.
  if (event.result == 0 || event.operation == agent::Operation::process_exit) {
    fmt::format_to(std::back_inserter(out), ",\"result\":{}", event.result);
  } else {
    append_field(out, "result", result_name(event.operation, event.result));
  }
  out += event.site;
  out += "}\n";
}

}  // namespace xbdbg
