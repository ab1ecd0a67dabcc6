#include "tracer/base/log.h"

#include <array>
#include <optional>
#include <utility>

#include "tracer/base/str.h"

namespace xbdbg {

namespace {

constexpr std::array<std::string_view, 5> kLevelNames = {"off", "error", "info", "debug", "trace"};

std::optional<LogLevel> level_named(std::string_view name) {
  for (std::size_t i = 0; i < kLevelNames.size(); ++i) {
    if (kLevelNames.at(i) == name) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(LogLevel level) { return kLevelNames.at(static_cast<std::size_t>(level)); }

Result<LogFilter> LogFilter::parse(std::string_view option) {
  LogFilter filter;
  for (std::string_view entry : split(option, ',')) {
    entry = trim(entry);
    const std::size_t equals = entry.find('=');
    const bool for_all = equals == std::string_view::npos;
    const auto level = level_named(trim(for_all ? entry : entry.substr(equals + 1)));
    const std::string_view module = for_all ? std::string_view() : trim(entry.substr(0, equals));
    if (!level || (!for_all && module.empty())) {
      return Error{Errc::bad_input, "log option: " + quoted(entry) + " is neither a level nor module=level",
                   "levels are off, error, info, debug, trace; example: tracer=debug,agent=trace"};
    }
    if (for_all) {
      filter.everywhere_ = *level;
      filter.modules_.clear();
    } else {
      filter.modules_[std::string(module)] = *level;
    }
  }
  return filter;
}

bool LogFilter::wants(LogLevel level, std::string_view module) const {
  const auto found = modules_.find(module);
  const LogLevel limit = found == modules_.end() ? everywhere_ : found->second;
  return level != LogLevel::off && level <= limit;
}

void Logger::write(LogLevel level, std::string_view module, std::string_view text) const {
  if (!wants(level, module)) return;
  std::string line(to_string(level));
  line.append(" ").append(module).append(": ").append(escaped(text));
  sink_(line);
}

}  // namespace xbdbg
