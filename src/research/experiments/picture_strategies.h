// Compares the ways to decide whether two images are the same, on the same pairs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "image/near.h"
#include "image/sift_match.h"
#include "research/experiments/picture_data.h"

namespace benzer::experiments {

struct PictureStrategy {
  std::string_view name;
  std::string_view usual;  // what counts as a pair by default
  // The distance up to which images are a pair by default, and the largest possible distance: for
  // hashes the bits that differ, for grid16 the cells, else 1 - score.
  double limit;
  double most;
};

enum PictureStrategyNumber : std::size_t {
  kGrid16,
  kDhash,
  kPhash,
  kPdq,
  kPdqTurned,
  kNear,
  kSift
};
inline constexpr std::array kPictureStrategies = {
    // If e of 256 cells are equal, Jaccard is e / (512 - e), which reaches 0.8 at 227.6.
    PictureStrategy{"image:grid16", "Jaccard >= 0.8", 28, 256},
    PictureStrategy{"image:dhash", "distance <= 6", 6, 64},
    PictureStrategy{"image:phash", "distance <= 6", 6, 64},
    PictureStrategy{"image:pdq", "distance <= 31", 31, 256},
    PictureStrategy{"image:pdq+turned", "distance <= 31", 31, 256},
    PictureStrategy{"image:near", "score >= 0.85", 1 - kNearThreshold, 1},
    PictureStrategy{"image:sift", "score >= 0.12", 1 - kSiftThreshold, 1},
};
// Whether the distances of the strategy are 1 - score.
inline constexpr bool has_score(std::size_t strategy) { return strategy >= kNear; }

// All that the strategies keep of an image.
struct HashedPicture {
  std::array<std::uint8_t, 256> levels;  // of the cells of grid16
  ImageHash dhash, phash;
  std::array<ImageHash, 8> pdq;  // by orientation
  NearFeatures near;
  std::vector<VisualWord> words;   // empty: too few to compare
  std::uint64_t pixels = 0;        // hash of the pixels and the size
  bool has_little_detail = false;  // then hashes match equal pixels only
};

// Seconds for one image, by strategy.
using PictureSeconds = std::array<double, kPictureStrategies.size()>;
HashedPicture hash_picture(const Picture& grey, PictureSeconds& seconds);

// Distance by strategy; infinite if the strategy never makes it a pair.
using Apart = std::array<double, kPictureStrategies.size()>;
Apart apart(const HashedPicture& a, const HashedPicture& b);

// The distances of the pairs that should be found, and of those that must not.
struct PicturePairs {
  struct Same {
    std::size_t changed;  // index into the cases
    Apart apart;
  };
  std::vector<Same> same;
  // Distances of pairs of different images, by strategy, ascending; without infinite ones.
  std::array<std::vector<double>, kPictureStrategies.size()> strangers;
  std::uint64_t stranger_pairs = 0;
  std::uint64_t left_out = 0;  // pairs of groups of one design, which are not counted
  // The nearest pairs of different images, by strategy.
  struct Nearest {
    double apart;
    std::size_t a, b;
  };
  std::array<std::vector<Nearest>, kPictureStrategies.size()> nearest;
  std::uint64_t little_detail = 0;  // images
  PictureSeconds seconds{};         // for an image, on average
};
PicturePairs picture_pairs(const ExperimentOptions& options, const PictureCases& cases);

// Runs the whole experiment on these images.
ExperimentResult images(const ExperimentOptions& options, const PictureCases& cases);

// What a strategy finds within a distance.
struct PictureCounts {
  std::uint64_t found = 0;  // pairs that should be found
  std::uint64_t wrong = 0;  // pairs of different images
  double precision() const noexcept {
    return found + wrong == 0 ? 1 : static_cast<double>(found) / static_cast<double>(found + wrong);
  }
};
PictureCounts count_within(const PicturePairs& pairs, std::size_t strategy, double distance);

// The largest distance of a pair at which the precision over all pairs is still reached; below zero
// if there is none.
double loosest(const PicturePairs& pairs, std::size_t strategy, double precision);

}  // namespace benzer::experiments
