// Stands in for xbdbg: launches the program given (twice, as a campaign would) and waits until it is killed itself.
#include <unistd.h>

#include <vector>

#include "tracer/launch.h"

int main(int argc, char** argv) {
  using namespace xbdbg;
  LaunchOptions options;
  options.argv.assign(argv + 1, argv + argc);
  for (char** entry = environ; *entry != nullptr; ++entry) options.env.emplace_back(*entry);
  std::vector<Launched> targets;
  for (int i = 0; i < 2; ++i) {
    auto target = launch(options);
    if (!target) return 2;
    targets.push_back(*std::move(target));
  }
  return targets[0].process.wait_event(std::nullopt) ? 0 : 3;
}
