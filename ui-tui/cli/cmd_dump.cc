#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "replay/journal_reader.h"
#include "replay/journal_text.h"
#include "replay/trace_reader.h"
#include "tracer/base/unique_fd.h"
#include "ui-tui/cli/commands.h"
#include "ui-tui/cli/trace_argument.h"
#include "ui-tui/journal_json.h"

namespace xbdbg {
namespace {

constexpr std::size_t kPieceBytes = 1u << 16;

class DumpCommand : public CommandBody {
 public:
  void declare(CLI::App& app) override {
    app.add_flag("--allow-incomplete", incomplete_, "print a recording that was cut off, as far as it goes");
    app.add_flag("--json", json_, "one JSON object a line");
  }

  Ending run(const Context& context, const std::vector<std::string>& words) override {
    return reported(context, try_run(context, words));
  }

 private:
  Result<Ending> try_run(const Context& context, const std::vector<std::string>& words) {
    XB_TRY(const std::string word, one_trace(words, "dump"));
    XB_TRY(const std::string directory, find_trace(context, word));
    XB_TRY(const Trace trace, Trace::open(directory, {.allow_incomplete = incomplete_}));
    XB_TRY(const std::vector<std::byte> journal, trace.read_journal());
    XB_CHECK(print_records(journal));
    if (json_) return Ending{};
    return printed(fmt::format("end: {}\n", describe_ending(trace.ending())));
  }

  Result<> print_records(std::span<const std::byte> journal) const {
    std::string text;
    JournalCursor cursor(journal);
    while (true) {
      XB_TRY(const bool there, cursor.next());
      if (!there) break;
      text += json_ ? journal_json(cursor.entry()) : entry_text(cursor.entry());
      text += '\n';
      if (text.size() < kPieceBytes) continue;
      XB_CHECK(write_all(STDOUT_FILENO, text));
      text.clear();
    }
    return write_all(STDOUT_FILENO, text);
  }

  bool incomplete_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<CommandBody> make_dump() { return std::make_unique<DumpCommand>(); }

}  // namespace xbdbg
