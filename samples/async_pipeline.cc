// async_pipeline - three stages joined by futures: std::async, a packaged task on a thread of its own, a promise.
//
// Wrong:    nothing. A stage's exception arrives at whoever asks for the result, in every schedule.
// Needs memory-access switch points: no
#include <cassert>
#include <cstdio>
#include <future>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

std::vector<int> read_numbers(int count) {
  if (count < 0) throw std::invalid_argument("count is negative");
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

int add_up(std::future<std::vector<int>> numbers) {
  const std::vector<int> values = numbers.get();
  return std::accumulate(values.begin(), values.end(), 0);
}

std::string message_of_failure() {
  auto failing = std::async(std::launch::async, read_numbers, -1);
  try {
    failing.get();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

int main() {
  auto numbers = std::async(std::launch::async, read_numbers, 10);
  std::packaged_task<int(std::future<std::vector<int>>)> adding(add_up);
  std::future<int> sum = adding.get_future();
  std::thread adder(std::move(adding), std::move(numbers));

  std::promise<std::string> report;
  std::future<std::string> reported = report.get_future();
  std::thread reporter([&] { report.set_value("sum " + std::to_string(sum.get())); });

  const std::string text = reported.get();
  adder.join();
  reporter.join();
  assert(text == "sum 55");
  std::printf("%s, error: %s\n", text.c_str(), message_of_failure().c_str());
}
