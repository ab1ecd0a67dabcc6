#include "shapes.h"

namespace shapes {

int library_calls = 0;

int library_area(const std::vector<Point>& points) {
  int area = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    area += dot(points[i - 1], points[i]);
  }
  ++library_calls;
  return area;
}

}  // namespace shapes
