// tracer/base/log.h — what xbdbg is doing, for those who ask. Off unless one option says otherwise.
//
// The option (`--log`) is a list of module=level, or a level for all: "debug", "tracer=debug,agent=trace",
// "info,agent=off" (later entries win). Levels: off, error, info, debug, trace. Log lines are for people who debug
// xbdbg; what a user must know is a Result or a report, never a log line. main makes the Logger and passes it down.
//
//   XB_LOG(log, debug, "tracer", "resume " + std::to_string(tid.raw()));   // the text is built only when it is
//   wanted
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "tracer/base/result.h"

namespace xbdbg {

enum class LogLevel : std::uint8_t { off, error, info, debug, trace };

std::string_view to_string(LogLevel level);

class LogFilter {
 public:
  LogFilter() = default;                                    // everything off
  static Result<LogFilter> parse(std::string_view option);  // an unknown level or an empty module is an error

  bool wants(LogLevel level, std::string_view module) const;

 private:
  LogLevel everywhere_ = LogLevel::off;
  std::map<std::string, LogLevel, std::less<>> modules_{};
};

class Logger {
 public:
  using Sink = std::function<void(std::string_view line)>;  // gets whole lines, without the newline

  Logger() = default;  // logs nothing
  Logger(LogFilter filter, Sink sink) : filter_(std::move(filter)), sink_(std::move(sink)) {}

  bool wants(LogLevel level, std::string_view module) const { return sink_ && filter_.wants(level, module); }
  // Writes "debug tracer: text" when it is wanted. Control characters in `text` are escaped: one call, one line.
  void write(LogLevel level, std::string_view module, std::string_view text) const;

 private:
  LogFilter filter_{};
  Sink sink_{};
};

}  // namespace xbdbg

#define XB_LOG(logger, level, module, text)                    \
  do {                                                         \
    const ::xbdbg::Logger& xb_logger = (logger);               \
    if (xb_logger.wants(::xbdbg::LogLevel::level, module)) {   \
      xb_logger.write(::xbdbg::LogLevel::level, module, text); \
    }                                                          \
  } while (false)
