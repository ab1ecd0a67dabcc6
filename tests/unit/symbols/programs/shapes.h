// Shared by shapes.cc and library.cc: inline code in a header, so that lines of two files meet in one function.
#pragma once

#include <vector>

namespace shapes {

struct Point {
  int x = 0;
  int y = 0;
};

inline int dot(const Point& a, const Point& b) { return a.x * b.x + a.y * b.y; }

template <class T>
T sum(const std::vector<T>& values) {
  T total{};
  for (const T& value : values) {
    total += value;
  }
  return total;
}

int library_area(const std::vector<Point>& points);

}  // namespace shapes
