// Collects the examples that a vocabulary is learned from: some key points of every n-th image,
// where n doubles as images are added.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "image/sift.h"
#include "image/visual_words.h"

namespace benzer {

class WordExamples {
 public:
  // How many points of an image are used: the first ones, which are spread over it.
  static constexpr std::size_t kPointsOfPicture = 100;

  // Adds the next image. Which examples are kept depends only on the images and their order.
  void add(std::span<const KeyPoint> points) {
    if (pictures_ % every_ == 0) {
      points = points.first(std::min(points.size(), kPointsOfPicture));
      for (const KeyPoint& point : points) descriptors_.push_back(point.descriptor);
      ends_.push_back(descriptors_.size());
    }
    ++pictures_;
    if (descriptors_.size() > VisualWords::kMost) drop_half();
  }

  const std::vector<Descriptor>& descriptors() const noexcept { return descriptors_; }

 private:
  // Drops every second image that was kept.
  void drop_half() {
    std::vector<Descriptor> kept;
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < ends_.size(); i += 2) {
      const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
      kept.insert(kept.end(), descriptors_.begin() + static_cast<std::ptrdiff_t>(begin),
                  descriptors_.begin() + static_cast<std::ptrdiff_t>(ends_[i]));
      ends.push_back(kept.size());
    }
    descriptors_ = std::move(kept);
    ends_ = std::move(ends);
    every_ *= 2;
  }

  std::vector<Descriptor> descriptors_;
  std::vector<std::size_t> ends_;  // of the descriptors of each image
  std::uint64_t pictures_ = 0;
  std::uint64_t every_ = 1;
};

}  // namespace benzer
