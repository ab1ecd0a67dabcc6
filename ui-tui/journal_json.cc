#include "ui-tui/journal_json.h"

#include <fmt/format.h>

#include "replay/journal_text.h"
#include "ui-tui/event_json.h"
#include "ui-tui/operations.h"

namespace xbdbg {
namespace {

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

// "type" and what belongs to it. The records are packed: their members are copied before they are formatted.
struct Fields {
  std::string operator()(const agent::JournalStart& r) const {
    return fmt::format(R"("start","image":{},"pid":{},"realtime_ns":{})", +r.image, +r.pid, +r.realtime_ns);
  }
  std::string operator()(const agent::JournalEvent& r) const {
    return fmt::format(R"("event","op":"{}","object":{},"result":{},"pc":{})", operation_info(r.operation).name,
                       +r.object, +r.result, +r.pc);
  }
  std::string operator()(const agent::JournalThread&) const { return R"("thread")"; }
  std::string operator()(const agent::JournalCall& r) const {
    return fmt::format(R"("call","number":{},"args":[{},{},{},{},{},{}],"pc":{})", +r.number, +r.args[0], +r.args[1],
                       +r.args[2], +r.args[3], +r.args[4], +r.args[5], +r.pc);
  }
  std::string operator()(const KernelAnswer& r) const {
    std::string out = fmt::format(R"("kernel","number":{},"result":{})", +r.fixed.number, +r.fixed.result);
    if (r.mapping) out += fmt::format(R"(,"file":{},"file_offset":{})", +r.mapping->file, +r.mapping->offset);
    std::string writes;
    KernelWrites memory(r);
    while (const auto write = memory.next()) {
      writes += fmt::format(R"({}{{"address":{},"size":{}}})", writes.empty() ? "" : ",", write->address.raw(),
                            write->bytes.size());
    }
    return out + fmt::format(R"(,"writes":[{}])", writes);
  }
  std::string operator()(const agent::JournalValue& r) const {
    return fmt::format(R"("value","value":{})", +r.value);
  }
  std::string operator()(const agent::JournalChoice& r) const {
    return fmt::format(R"("choice","kind":"{}","question":{},"chosen":{},"alternatives":{})", choice_name(r.kind),
                       +r.question, +r.chosen, +r.alternatives);
  }
  std::string operator()(const agent::JournalSignal& r) const {
    return fmt::format(R"("signal","signal":"{}","point":{})", signal_name(r.signo), +r.point);
  }
  std::string operator()(const Preempted& r) const {
    return fmt::format(R"("preemption","forced":{},"pc":{},"words":{})", r.forced, r.pc.raw(), r.count());
  }
  std::string operator()(const OutputBytes& r) const {
    const std::string_view bytes(reinterpret_cast<const char*>(r.bytes.data()), r.bytes.size());
    return fmt::format(R"("output","stream":{},"bytes":{},"data":{})", +r.fixed.stream, +r.fixed.written,
                       json_string(bytes));
  }
  std::string operator()(const agent::JournalStateHash& r) const {
    return fmt::format(R"("state_hash","hash":{})", +r.hash);
  }
  std::string operator()(const agent::JournalFault& r) const {
    return fmt::format(R"("fault","signal":"{}","pc":{},"address":{})", signal_name(r.signo), +r.pc, +r.address);
  }
};

}  // namespace

std::string journal_json(const JournalEntry& entry) {
  return fmt::format(R"({{"record":{},"offset":{},"event":{},"thread":"T{}","type":{},"text":{}}})", entry.index,
                     entry.offset, entry.event.raw(), entry.thread.raw(), std::visit(Fields{}, entry.body),
                     json_string(record_text(entry)));
}

}  // namespace xbdbg
