// explorer/core/branch.h — a part of the tree as bytes, to be walked later or by another worker.
//
// A branch is the choices that lead to a position, and the roster there with the threads already tried marked as
// delayed (under -RW with the accesses of what they ran). The bytes stay inside one run of one build of xbdbg; they
// are read as carefully as a file all the same, because they lie in memory the target can write to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "explorer/core/tree.h"

namespace xbdbg::explore {

// Bytes that write_branch() needs for the path up to and including node `index`.
std::size_t branch_bytes(const Tree& tree, const AccessStack& accesses, std::uint32_t index);
// The node must be open (Tree::delay_chosen). Returns the bytes written, 0 when `capacity` is too small.
std::size_t write_branch(const Tree& tree, const AccessStack& accesses, std::uint32_t index, std::uint8_t* to,
                         std::size_t capacity);
// Replaces the tree's path by the branch. False: malformed, or no memory; the tree is then empty.
bool read_branch(Tree& tree, AccessStack& accesses, const std::uint8_t* from, std::size_t bytes);

}  // namespace xbdbg::explore
