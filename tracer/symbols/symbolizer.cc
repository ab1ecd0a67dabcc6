#include "tracer/symbols/symbolizer.h"

#include <cstdio>

#include "tracer/symbols/names.h"

namespace xbdbg {
namespace {

const SourceFrame& innermost(const std::vector<SourceFrame>& frames) {
  static const SourceFrame unknown;
  return frames.empty() ? unknown : frames.front();
}

std::string hex(Addr address) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(address.raw()));
  return text;
}

}  // namespace

const std::string& Location::function() const { return innermost(frames).function; }
const std::string& Location::file() const { return innermost(frames).file; }
std::uint32_t Location::line() const { return innermost(frames).line; }

std::string Location::to_string() const {
  std::string text = function();
  // An offset counts from the real function: behind the name of an inlined one it would mislead.
  if (!text.empty() && !frames.front().is_inlined) text = with_offset(std::move(text), function_offset);
  if (text.empty()) text = module.empty() ? hex(address) : with_offset(module, module_offset);
  if (!file().empty()) text += " at " + file() + (line() != 0 ? ":" + std::to_string(line()) : "");
  return text;
}

std::string Symbolizer::source_of(Addr address) {
  const Location location = lookup(address);
  if (location.file().empty() || location.line() == 0) return {};
  return location.file() + ":" + std::to_string(location.line());
}

Location ModuleSymbolizer::lookup(Addr address) {
  Location result{.address = address};
  const Module* module = modules_.find(address);
  if (module == nullptr) return result;
  result.module = module->path;
  result.module_offset = module->to_file(address);
  ImageLocation found = module->image->lookup(result.module_offset);
  if (found.function_entry &&
      *found.function_entry <= result.module_offset) {  // a cold part may lie before its function
    result.function_offset = result.module_offset - *found.function_entry;
  }
  result.frames = std::move(found.frames);
  return result;
}

Location ModuleSymbolizer::lookup_return_address(Addr address) {
  Location result = lookup(address - 1);
  result.address = address;
  result.module_offset += 1;
  result.function_offset += 1;
  return result;
}

std::string ModuleSymbolizer::object_name(Addr address, std::uint64_t size_hint) {
  const Module* module = modules_.find(address);
  return module == nullptr ? std::string() : module->image->object_name(module->to_file(address), size_hint);
}

std::optional<GlobalObject> ModuleSymbolizer::find_global(std::string_view name) {
  for (const Module& module : modules_.modules()) {
    if (std::optional<ImageObject> found = module.image->find_object(name); found) {
      return GlobalObject{std::move(found->name), module.to_process(found->address), found->size};
    }
  }
  return std::nullopt;
}

std::optional<Addr> ModuleSymbolizer::find_function(std::string_view name) {
  for (const Module& module : modules_.modules()) {
    if (const std::optional<std::uint64_t> found = module.image->find_function(name); found) {
      return module.to_process(*found);
    }
  }
  return std::nullopt;
}

}  // namespace xbdbg
