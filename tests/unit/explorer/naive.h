// tests/unit/explorer/naive.h — every interleaving of a model program, one operation or access at a time.
//
// Shares the programs with the interpreter and nothing with the search: it walks the graph of states, remembers the
// ones it has seen, and knows neither blocks nor branches.
#pragma once

#include <set>
#include <string>

#include "tests/unit/explorer/model.h"

namespace xbdbg::explore::model {

struct Behaviours {
  std::set<std::string> finals{};  // values and failed threads of every execution in which all threads ended
  unsigned failures = 0;           // threads whose assertions failed on any execution, stuck ones included
  bool deadlock = false;
  bool too_many = false;  // gave up
};

Behaviours enumerate_naively(const Program& program, std::size_t max_states = 200'000);

}  // namespace xbdbg::explore::model
