// Runs a fuzz target without libFuzzer: every file of the corpus folder, then mutations of them, always the same
// ones. It finds little that is new (that is the fuzz preset's job); it keeps what was found once from coming back.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "tracer/base/rng.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int kMutations = 3000;
constexpr std::size_t kMaxBytes = 4096;

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::vector<std::string> read_corpus(const std::filesystem::path& folder) {
  std::vector<std::string> inputs{""};
  if (!std::filesystem::is_directory(folder)) return inputs;
  std::set<std::filesystem::path> paths;  // in order: the mutations are the same in every run
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.insert(entry.path());
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

void mutate(std::string& input, xbdbg::Rng& rng) {
  const auto byte = static_cast<char>(rng.below(256));
  const auto at = static_cast<std::size_t>(rng.below(input.size() + 1));
  switch (rng.below(4)) {
    case 0:
      input.insert(at, 1, byte);
      break;
    case 1:
      input.resize(at);
      break;
    case 2:
      input.insert(at, input.substr(0, at));
      break;
    default:
      if (at < input.size()) input[at] = byte;
  }
  if (input.size() > kMaxBytes) input.resize(kMaxBytes);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> inputs = read_corpus(argc > 1 ? argv[1] : "");
  for (const std::string& input : inputs) run(input);
  xbdbg::Rng rng(1);
  for (int i = 0; i < kMutations; ++i) {
    std::string input = inputs[static_cast<std::size_t>(rng.below(inputs.size()))];
    for (std::uint64_t n = rng.below(8) + 1; n > 0; --n) mutate(input, rng);
    run(input);
  }
  std::printf("%zu corpus files, %d mutations: no crash\n", inputs.size() - 1, kMutations);
  return 0;
}
