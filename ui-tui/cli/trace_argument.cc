#include "ui-tui/cli/trace_argument.h"

#include <fmt/format.h>
#include <unistd.h>

#include "tracer/base/unique_fd.h"

namespace xbdbg {

Result<TraceStore> find_store(const Context& context) {
  return TraceStore::from_environment(context.surroundings.variables);
}

Result<std::string> find_trace(const Context& context, const std::string& word) {
  auto store = find_store(context);
  if (store) return store->resolve(word);
  // Who has no store can still name a directory.
  if (word.find('/') == std::string::npos) return std::move(store).error();
  return TraceStore("/").resolve(word);
}

Result<std::string> one_trace(const std::vector<std::string>& words, std::string_view command) {
  if (words.size() > 1) {
    return Error{Errc::bad_input, fmt::format("{}: unexpected argument `{}`", command, words[1]),
                 fmt::format("one trace at a time; see: xbdbg {} --help", command)};
  }
  return words.empty() ? std::string() : words.front();
}

Result<Ending> printed(std::string_view text) {
  XB_CHECK(write_all(STDOUT_FILENO, text));
  return Ending{};
}

}  // namespace xbdbg
