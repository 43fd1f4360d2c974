#include "image/grid16.h"

#include <algorithm>

#include "image/area.h"

namespace benzer {

std::array<std::uint8_t, 256> grid16(const Picture& grey) {
  const Picture cells = area_resized(grey, 16, 16);
  std::array<std::uint8_t, 256> grid{};
  std::copy(cells.pixels.begin(), cells.pixels.end(), grid.begin());
  return grid;
}

}  // namespace benzer
