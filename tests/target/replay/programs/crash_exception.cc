// ends: 134 (SIGABRT), an exception nobody catches.
#include <stdexcept>

#include "program.h"

int main() {
  puts("before the throw");
  throw std::runtime_error("nobody catches this");
}
