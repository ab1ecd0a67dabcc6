#include "tracer/symbols/dwarf_types.h"

#include <dwarf.h>

#include <optional>
#include <utility>
#include <vector>

#include "tracer/symbols/names.h"

namespace xbdbg {
namespace {

constexpr int kMaxDepth = 64;  // of nested types, and of typedefs of typedefs
constexpr int kMaxMembers = 100'000;

// The type an entry has, without typedefs and qualifiers.
bool resolve_type(const DwarfInfo& info, DwarfDie die, DwarfDie& type) {
  for (int hop = 0; hop < kMaxDepth; ++hop) {
    if (info.follow(die, DW_AT_type, type)) {
      switch (type.tag) {
        case DW_TAG_typedef:
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_atomic_type:
        case DW_TAG_restrict_type:
          die = type;
          continue;
        default:
          return true;
      }
    }
    if (!info.follow(die, DW_AT_specification, type) && !info.follow(die, DW_AT_abstract_origin, type)) return false;
    die = type;
  }
  return false;
}

// Calls visit(child) for the direct children until it says false. Children without a sibling link are walked through.
template <class Visit>
void for_each_child(const DwarfInfo& info, const DwarfDie& parent, Visit visit) {
  if (!parent.has_children) return;
  std::uint64_t offset = parent.next;
  int depth = 0;
  DwarfDie die;
  for (int i = 0; i < kMaxMembers && info.read(*parent.unit, offset, die); ++i) {
    offset = die.next;
    if (die.tag == 0) {
      if (depth-- == 0) return;
      continue;
    }
    if (depth == 0 && !visit(static_cast<const DwarfDie&>(die))) return;
    if (!die.has_children) continue;
    if (const std::uint64_t past = info.sibling(die); past != 0) {
      offset = past;
    } else {
      ++depth;
    }
  }
}

// Element counts of an array's dimensions; an open one ("extern int a[]") counts as none.
std::vector<std::uint64_t> dimensions(const DwarfInfo& info, const DwarfDie& array) {
  std::vector<std::uint64_t> counts;
  for_each_child(info, array, [&](const DwarfDie& child) {
    if (child.tag != DW_TAG_subrange_type) return true;
    std::uint64_t count = 0;
    if (!info.number(child.find(DW_AT_count), count) && info.number(child.find(DW_AT_upper_bound), count)) ++count;
    counts.push_back(count);
    return counts.size() < kMaxDepth;
  });
  return counts;
}

std::uint64_t size_of(const DwarfInfo& info, const DwarfDie& type, int depth = 0) {
  std::uint64_t size = 0;
  if (info.number(type.find(DW_AT_byte_size), size)) return size;
  if (type.tag == DW_TAG_pointer_type || type.tag == DW_TAG_reference_type) return 8;
  if (type.tag != DW_TAG_array_type || depth > kMaxDepth) return 0;
  DwarfDie element;
  if (!resolve_type(info, type, element)) return 0;
  size = size_of(info, element, depth + 1);
  for (const std::uint64_t count : dimensions(info, type)) {
    if (__builtin_mul_overflow(size, count, &size)) return 0;
  }
  return size;
}

bool is_aggregate(std::uint16_t tag) {
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

struct Member {
  std::string_view name{};
  std::uint64_t offset = 0;
  DwarfDie type{};
};

// The member or base class that holds the byte at `offset`; of a union's members one of `size_hint` bytes is
// preferred.
std::optional<Member> member_at(const DwarfInfo& info, const DwarfDie& aggregate, std::uint64_t offset,
                                std::uint64_t size_hint) {
  std::optional<Member> found;
  for_each_child(info, aggregate, [&](const DwarfDie& child) {
    if (child.tag != DW_TAG_member && child.tag != DW_TAG_inheritance) return true;
    if (child.has(DW_AT_external) || child.has(DW_AT_declaration)) return true;  // a static member
    Member member;
    const DwarfAttribute* location = child.find(DW_AT_data_member_location);
    if (location != nullptr && !info.number(location, member.offset)) return true;  // a virtual base
    if (location == nullptr && child.has(DW_AT_data_bit_offset)) return true;       // a bit field
    if (!resolve_type(info, child, member.type)) return true;
    const std::uint64_t size = size_of(info, member.type);
    if (offset < member.offset || offset - member.offset >= size) return true;
    if (child.tag == DW_TAG_member) member.name = info.text(child, DW_AT_name);
    const bool is_wanted = size == size_hint || aggregate.tag != DW_TAG_union_type;
    if (!found || is_wanted) found = member;
    return !is_wanted;
  });
  return found;
}

// Walks one array down to an element. False: no element there.
bool enter_array(const DwarfInfo& info, DwarfDie& type, std::uint64_t& offset, std::string& path) {
  DwarfDie element;
  if (!resolve_type(info, type, element)) return false;
  std::uint64_t stride = size_of(info, element);
  const std::vector<std::uint64_t> counts = dimensions(info, type);
  if (stride == 0 || counts.empty()) return false;
  const std::uint64_t whole = offset / stride;
  std::string indices;
  std::uint64_t index = whole;
  for (std::size_t i = counts.size(); i-- > 0;) {  // the last dimension varies fastest; the first may be open
    const std::uint64_t here = i == 0 || counts[i] == 0 ? index : index % counts[i];
    indices.insert(0, "[" + std::to_string(here) + "]");
    if (counts[i] != 0) index /= counts[i];
  }
  path += indices;
  offset -= whole * stride;
  type = element;
  return true;
}

}  // namespace

std::uint64_t type_size(const DwarfInfo& info, const DwarfDie& die) {
  DwarfDie type;
  return resolve_type(info, die, type) ? size_of(info, type) : 0;
}

std::string type_path(const DwarfInfo& info, const DwarfDie& die, std::uint64_t offset, std::uint64_t size_hint) {
  std::string path;
  DwarfDie type;
  bool known = resolve_type(info, die, type);
  for (int depth = 0; known && depth < kMaxDepth; ++depth) {
    const bool is_array = type.tag == DW_TAG_array_type;
    const bool want_inside = offset != 0 || (size_hint != 0 && size_of(info, type) > size_hint);
    if (!want_inside) return path;
    if (is_array) {
      known = enter_array(info, type, offset, path);
    } else if (is_aggregate(type.tag)) {
      const std::optional<Member> member = member_at(info, type, offset, size_hint);
      if (!member) break;
      if (!member->name.empty()) path += "." + std::string(member->name);
      offset -= member->offset;
      type = member->type;
    } else {
      break;
    }
  }
  return with_offset(std::move(path), offset);
}

}  // namespace xbdbg
