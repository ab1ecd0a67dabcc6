// tracer/symbols/names.h — names as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xbdbg {

std::string demangle(std::string_view name);  // what is not a mangled C++ name comes back unchanged
// "ns::f" of "int ns::f<char>(long)": a demangled name without return type, template arguments at its end and
// parameters.
std::string function_base_name(std::string_view demangled);
std::string with_offset(std::string name, std::uint64_t offset);  // "name+0x10"; "name" for 0

}  // namespace xbdbg
