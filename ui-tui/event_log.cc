#include "ui-tui/event_log.h"

#include <fmt/format.h>

#include "tracer/base/unique_fd.h"

namespace xbdbg {
namespace {

using agent::Operation;

constexpr std::size_t kBufferBytes = 256 * 1024;

bool is_init(Operation operation) {
  return operation == Operation::mutex_init || operation == Operation::rwlock_init ||
         operation == Operation::spin_init || operation == Operation::cond_init ||
         operation == Operation::barrier_init || operation == Operation::sem_init;
}

bool is_destroy(Operation operation) {
  return operation == Operation::mutex_destroy || operation == Operation::rwlock_destroy ||
         operation == Operation::spin_destroy || operation == Operation::cond_destroy ||
         operation == Operation::barrier_destroy || operation == Operation::sem_destroy;
}

bool is_about_a_signal(const agent::EventRecord& event) {
  const bool is_signal = event.operation == Operation::signal_wait || event.operation == Operation::signal_deliver;
  return is_signal && event.object != 0;
}

}  // namespace

EventLog::EventLog(TargetSymbols& symbols, ObjectNames& names, Output output)
    : symbols_(symbols), names_(names), output_(output) {}

void EventLog::on_event(const agent::EventRecord& event, std::span<const std::byte> stack) {
  ++records_;
  if (output_.events_fd < 0 || error_) return;
  const Site& site = site_of(event, stack);
  const std::string object = object_of(event, site);
  std::string mutex;
  if (event.object2 != 0) mutex = names_.name(ObjectKind::mutex, Addr(event.object2));
  const auto name = thread_names_.find(event.thread);
  append_event_json(buffer_, {.index = event.index,
                              .thread = event.thread,
                              .thread_name = name == thread_names_.end() ? std::string_view() : name->second,
                              .operation = event.operation,
                              .object = object,
                              .mutex = mutex,
                              .result = event.result,
                              .site = site.json});
  if (buffer_.size() >= kBufferBytes) write_out();
}

void EventLog::on_choice(const agent::ChoiceRecord& record) {
  ++records_;
  if (output_.schedule == nullptr || error_) return;
  if (output_.schedule->choices() == limits_.choices) {
    error_ = Error{Errc::unsupported, fmt::format("the schedule has more than {} choices", limits_.choices),
                   "make the run shorter, or keep its seed (--seed) instead of its schedule"};
    return;
  }
  output_.schedule->append(record.choice);
}

void EventLog::on_name(const agent::NameRecord& record) {
  ++records_;
  thread_names_[record.thread] = record.name;
}

// The target waits for the end of this. One that was killed meanwhile keeps the modules it had.
void EventLog::on_modules_changed() {
  ++records_;
  (void)symbols_.refresh(output_.target);
  sites_.clear();
  names_.forget_symbols();
}

const EventLog::Site& EventLog::site_of(const agent::EventRecord& event, std::span<const std::byte> stack) {
  const auto address = symbols_.program_address(event, stack);
  const auto [at, is_new] = sites_.try_emplace(address.value_or(Addr(0)).raw());
  if (is_new && address) {
    const SourceSite found = symbols_.site(*address);
    at->second.json = site_json(found);
    at->second.place = found.line != 0 ? fmt::format("{}:{}", found.file, found.line) : found.function;
  }
  return at->second;
}

std::string EventLog::object_of(const agent::EventRecord& event, const Site& site) {
  const ObjectKind kind = operation_info(event.operation).object;
  const Addr address(event.object);
  if (is_about_a_signal(event)) return signal_name(static_cast<int>(event.object));
  if (kind == ObjectKind::none) return "";
  if (kind == ObjectKind::thread) return fmt::format("T{}", event.object);
  if (kind == ObjectKind::descriptor) return fmt::format("fd {}", event.object);
  if (is_init(event.operation) && event.result == 0) names_.initialised(kind, address, site.place);
  std::string name = names_.name(kind, address);
  if (is_destroy(event.operation) && event.result == 0) names_.destroyed(kind, address);
  return name;
}

void EventLog::write_out() {
  if (output_.events_fd < 0 || buffer_.empty()) return;
  auto written = write_all(output_.events_fd, buffer_);
  buffer_.clear();
  if (!written && !error_) error_ = std::move(written).error().context("write events");
}

Result<> EventLog::flush() {
  write_out();
  if (error_) return *error_;
  return Ok{};
}

}  // namespace xbdbg
