// The commands that look after traces: ls, pack, rm.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "replay/pack.h"
#include "replay/trace_reader.h"
#include "ui-tui/cli/commands.h"
#include "ui-tui/cli/trace_argument.h"
#include "ui-tui/trace_list.h"

namespace xbdbg {
namespace {

class LsCommand : public CommandBody {
 public:
  void declare(CLI::App& app) override { app.add_flag("--json", json_, "one JSON array instead of a table"); }

  Ending run(const Context& context, const std::vector<std::string>&) override {
    return reported(context, try_run(context));
  }

 private:
  Result<Ending> try_run(const Context& context) {
    XB_TRY(const TraceStore store, find_store(context));
    XB_TRY(const std::vector<StoredTrace> traces, store.list());
    return printed(json_ ? trace_list_json(traces) : format_trace_list(traces));
  }

  bool json_ = false;
};

class PackCommand : public CommandBody {
 public:
  void declare(CLI::App& app) override { app.add_flag("-v,--verbose", verbose_, "say how much was copied"); }

  Ending run(const Context& context, const std::vector<std::string>& words) override {
    return reported(context, try_run(context, words));
  }

 private:
  Result<Ending> try_run(const Context& context, const std::vector<std::string>& words) {
    XB_TRY(const std::string word, one_trace(words, "pack"));
    XB_TRY(const std::string directory, find_trace(context, word));
    XB_TRY(const Trace trace, Trace::open(directory));
    auto packed = pack_trace(trace);
    if (!packed) return std::move(packed).error().context("pack " + directory);
    if (verbose_) {
      context.console.note(fmt::format("{}: {} files and {} debug files copied, {}", directory, packed->files,
                                       packed->debug_files, format_bytes(packed->bytes)));
    }
    return Ending{};
  }

  bool verbose_ = false;
};

class RmCommand : public CommandBody {
 public:
  void declare(CLI::App&) override {}

  // All that can be removed are, whatever is wrong with the others.
  Ending run(const Context& context, const std::vector<std::string>& words) override {
    if (words.empty()) {
      return reported(context, Error{Errc::bad_input, "rm: no trace given", "they are listed by: xbdbg ls"});
    }
    Ending ending;
    for (const std::string& word : words) {
      const auto removed = remove(context, word);
      if (!removed) ending = reported(context, removed.error());
    }
    return ending;
  }

 private:
  static Result<> remove(const Context& context, const std::string& word) {
    if (word.empty()) return Error{Errc::bad_input, "rm: an empty name is no trace", {}};
    auto directory = find_trace(context, word);
    if (!directory) return std::move(directory).error().context("rm");
    auto removed = TraceStore(find_store(context) ? find_store(context)->root() : "/").remove(*directory);
    if (!removed) return std::move(removed).error().context("rm");
    return Ok{};
  }
};

}  // namespace

std::unique_ptr<CommandBody> make_ls() { return std::make_unique<LsCommand>(); }
std::unique_ptr<CommandBody> make_pack() { return std::make_unique<PackCommand>(); }
std::unique_ptr<CommandBody> make_rm() { return std::make_unique<RmCommand>(); }

}  // namespace xbdbg
