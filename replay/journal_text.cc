#include "replay/journal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tracer/base/str.h"
#include "tracer/syscall_text.h"

namespace xbdbg {

namespace {

constexpr std::array kOperationNames = {
#define XB_NAME(name) #name,
    XB_FOR_EACH_OPERATION(XB_NAME)
#undef XB_NAME
};

std::string signal_name(int signo) {
  const char* name = ::sigabbrev_np(signo);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signo);
}

std::string_view choice_name(agent::ChoiceKind kind) {
  switch (kind) {
    case agent::ChoiceKind::thread:
      return "thread";
    case agent::ChoiceKind::waiter:
      return "waiter";
    case agent::ChoiceKind::timeout:
      return "timeout";
  }
  return "unknown";
}

// Packed fields cannot be bound to references, hence the + before them: it makes a copy.
class Text {
 public:
  explicit Text(const JournalTextOptions& options) : options_(options) {}

  std::string operator()(const agent::JournalStart& r) const {
    return fmt::format("start of program {}  pid {} parent {}  realtime {} monotonic {}", +r.image, +r.pid,
                       +r.parent_pid, +r.realtime_ns, +r.monotonic_ns);
  }
  std::string operator()(const agent::JournalEvent& r) const {
    return fmt::format("{} {:#x} = {}  at {:#x}", kOperationNames[static_cast<std::size_t>(r.operation)], +r.object,
                       +r.result, +r.pc);
  }
  std::string operator()(const agent::JournalThread& r) const { return fmt::format("T{} runs", +r.index); }
  std::string operator()(const agent::JournalCall& r) const {
    std::array<std::uint64_t, 6> args{};
    std::memcpy(args.data(), r.args, sizeof r.args);
    return fmt::format("{}  at {:#x}", call_text(r.number, args), +r.pc);
  }
  std::string operator()(const KernelAnswer& r) const {
    std::string out =
        r.fixed.number == agent::kOutside
            ? fmt::format("memory written outside, seen at place {}", +r.fixed.result)
            : fmt::format("kernel {} = {}", syscall_name(r.fixed.number), call_result_text(r.fixed.result));
    if (r.mapping) out += mapping_text(*r.mapping);
    KernelWrites writes(r);
    while (const auto write = writes.next()) {
      out += fmt::format("  [{:#x}: {}]", write->address.raw(), bytes_text(write->bytes));
    }
    if ((r.fixed.flags & agent::kContinued) != 0) out += "  goes on";
    return out;
  }
  std::string operator()(const agent::JournalValue& r) const { return fmt::format("value {}", +r.value); }
  std::string operator()(const agent::JournalChoice& r) const {
    return fmt::format("choice {}: {} {} of {}", +r.question, choice_name(r.kind), +r.chosen, +r.alternatives);
  }
  std::string operator()(const agent::JournalSignal& r) const {
    return fmt::format("{} arrives at point {}", signal_name(r.signo), +r.point);
  }
  std::string operator()(const Preempted& r) const {
    std::string out = fmt::format("{} at {:#x}", r.forced ? "preempted by force" : "found spinning", r.pc.raw());
    for (std::size_t i = 0; i < r.count(); ++i) {
      const agent::WatchedWord word = r.word(i);
      out += fmt::format("  [{:#x}: {} bytes {:#x}]", word.address, word.bytes, word.value);
    }
    return out;
  }
  std::string operator()(const OutputBytes& r) const {
    const std::string_view stream = r.fixed.stream == 1 ? "stdout" : "stderr";
    if (r.fixed.stored == 0) return fmt::format("{} {} bytes, hash {:016x}", stream, +r.fixed.written, +r.fixed.hash);
    return fmt::format("{} {}", stream, bytes_text(r.bytes));
  }
  std::string operator()(const agent::JournalStateHash& r) const { return fmt::format("state {:016x}", +r.hash); }
  std::string operator()(const agent::JournalFault& r) const {
    return fmt::format("ends by {} at {:#x} (address {:#x})", signal_name(r.signo), +r.pc, +r.address);
  }

 private:
  std::string bytes_text(std::span<const std::byte> bytes) const {
    const auto shown = bytes.first(std::min(bytes.size(), options_.shown_bytes));
    return fmt::format("{} bytes {}{}", bytes.size(),
                       quoted(std::string_view(reinterpret_cast<const char*>(shown.data()), shown.size())),
                       shown.size() < bytes.size() ? "..." : "");
  }

  static std::string mapping_text(const agent::JournalMapping& mapping) {
    const std::string file = mapping.file == agent::kNoFile ? "none" : fmt::format("{}", +mapping.file);
    std::string out = fmt::format("  [file {} offset {:#x} size {:#x}]", file, +mapping.offset, +mapping.size);
    if (mapping.group != 0) out += fmt::format(" group {}", +mapping.group);
    return out;
  }

  const JournalTextOptions& options_;
};

}  // namespace

std::string record_text(const JournalEntry& entry, const JournalTextOptions& options) {
  return std::visit(Text(options), entry.body);
}

std::string entry_text(const JournalEntry& entry, const JournalTextOptions& options) {
  const bool is_event = std::holds_alternative<agent::JournalEvent>(entry.body);
  return fmt::format("{:>8}  T{:<3} {}", is_event ? fmt::format("{}", entry.event.raw()) : "", entry.thread.raw(),
                     record_text(entry, options));
}

}  // namespace xbdbg
