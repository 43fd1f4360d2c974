// Blurs an image more and more, and finds the points where it differs most from its blurred
// version: those that sift.h describes. Lowe (IJCV 2004), sections 3 and 4. Constants are those of
// the paper unless a comment says otherwise.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "image/picture.h"

namespace benzer {

struct Plane {
  int width = 0, height = 0;
  std::vector<float> values;

  Plane() = default;
  Plane(int w, int h)
      : width(w), height(h), values(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
  const float* row(int y) const { return values.data() + std::ptrdiff_t{y} * width; }
  float* row(int y) { return values.data() + std::ptrdiff_t{y} * width; }
  float at(int x, int y) const { return row(y)[x]; }
};

// The image at one size. Step i is blurred with a Gaussian of deviation blur_of_step(i). Step
// kSteps has twice the deviation of step 0, and is halved into the next octave.
inline constexpr int kSteps = 3;  // blur steps of an octave
struct Octave {
  std::array<Plane, kSteps + 3> blurred;
  std::array<Plane, kSteps + 2> taken;  // differences of adjacent steps
};
float blur_of_step(float step);

struct StandsOut {
  float x = 0, y = 0;  // in pixels of the octave
  float step = 0;
  float contrast = 0;  // 1 is from black to white
  std::size_t octave = 0;
};

struct ScaleSpace {
  std::vector<Octave> octaves;  // each half as wide and high as the previous one
  std::vector<StandsOut> points;
};

// For a grey image of at least 16 pixels a side.
ScaleSpace scale_space(const Picture& grey);

}  // namespace benzer
