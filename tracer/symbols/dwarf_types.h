// tracer/symbols/dwarf_types.h — sizes of types, and the path to what lies at an offset in a value of a type.
//
// `die` is an entry with a DW_AT_type (a variable or member), or one whose specification or abstract origin has it.
#pragma once

#include <cstdint>
#include <string>

#include "tracer/symbols/dwarf_info.h"

namespace xbdbg {

std::uint64_t type_size(const DwarfInfo& info, const DwarfDie& die);  // 0: unknown
// ".lock", "[3].mutex", "" (see DwarfVariables::member_path).
std::string type_path(const DwarfInfo& info, const DwarfDie& die, std::uint64_t offset, std::uint64_t size_hint);

}  // namespace xbdbg
