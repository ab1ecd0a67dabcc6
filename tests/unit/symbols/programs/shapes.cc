// C++ with everything that makes line and function tables interesting: inlining over several levels, templates,
// lambdas, local classes, static functions, exceptions (cold parts), virtual calls.
#include "shapes.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

int hidden_counter = 0;

inline int innermost(int value) { return value * hidden_counter + 7; }
inline int middle(int value) {
  int result = innermost(value);
  if (result > 1000) result -= innermost(value - 1);
  return result;
}

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
};

class Square : public Shape {
 public:
  explicit Square(int side) : side_(side) {}
  int area() const override { return side_ * side_; }

 private:
  int side_;
};

[[gnu::noinline]] int outer(int value) {
  hidden_counter += value;
  return middle(value) + middle(value + 1);
}

[[gnu::noinline]] int may_throw(int value) {
  if (value > 100) throw std::runtime_error("too large: " + std::to_string(value));
  return value;
}

}  // namespace

namespace shapes {

static int nested_total(const std::map<std::string, int>& names) {
  struct Local {
    int twice(int value) const { return value * 2; }
  };
  int total = 0;
  auto add = [&total](int value) { total += value; };
  for (const auto& [name, value] : names) {
    add(Local().twice(value) + static_cast<int>(name.size()));
  }
  return total;
}

}  // namespace shapes

int main(int argc, char** argv) {
  std::vector<shapes::Point> points;
  for (int i = 0; i < argc + 3; ++i) points.push_back({i, i + 1});
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.y > b.y; });
  std::unique_ptr<Shape> square = std::make_unique<Square>(argc);
  std::function<int(int)> call = [&](int value) { return outer(value) + square->area(); };
  int result = call(argc) + shapes::dot(points[0], points[1]) + shapes::nested_total({{argv[0], 1}, {"b", 2}});
  try {
    result += may_throw(argc * 50);
  } catch (const std::exception& error) {
    std::puts(error.what());
  }
  std::vector<int> numbers(points.size(), 3);
  std::printf("%d %d\n", result + shapes::sum(numbers), shapes::library_area(points));
  return 0;
}
