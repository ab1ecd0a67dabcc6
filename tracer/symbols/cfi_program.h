// tracer/symbols/cfi_program.h — running the instructions of a CIE or FDE up to an address. Internal to cfi.cc.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tracer/symbols/cfi.h"

namespace xbdbg {

struct CfiProgram {
  std::string_view code{};
  std::uint64_t code_alignment = 1;
  std::int64_t data_alignment = 1;
};

class CfiMachine {
 public:
  CfiMachine(UnwindRow& row, std::uint64_t location) : row_(row), location_(location) {}

  // Runs until the location passes `target`. False: corrupt.
  bool run(const CfiProgram& program, std::uint64_t target);
  void set_initial_rules() { initial_ = row_; }  // what DW_CFA_restore goes back to: call after the CIE's program

 private:
  bool execute(const CfiProgram& program, std::uint8_t op, Cursor& cursor);
  bool define_cfa(const CfiProgram& program, std::uint8_t op, Cursor& cursor);
  bool define_register(const CfiProgram& program, std::uint8_t op, Cursor& cursor);
  void set_rule(std::uint64_t reg, RegisterRule rule);
  void restore(std::uint64_t reg);

  UnwindRow& row_;
  UnwindRow initial_{};
  std::uint64_t location_;
  std::vector<UnwindRow> saved_;
};

}  // namespace xbdbg
