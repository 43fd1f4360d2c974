// The ways to tell whether two pictures are the same, side by side on the same pairs.
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
  std::string_view usual;  // what it calls a pair, by default
  // How far apart a pair may be by default, and at all: for hashes bits that differ, for grid16
  // cells, else 1 - score.
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
    // Of 256 cells e are equal: Jaccard e / (512 - e), which reaches 0.8 at 227.6.
    PictureStrategy{"image:grid16", "Jaccard >= 0.8", 28, 256},
    PictureStrategy{"image:dhash", "distance <= 6", 6, 64},
    PictureStrategy{"image:phash", "distance <= 6", 6, 64},
    PictureStrategy{"image:pdq", "distance <= 31", 31, 256},
    PictureStrategy{"image:pdq+turned", "distance <= 31", 31, 256},
    PictureStrategy{"image:near", "score >= 0.85", 1 - kNearThreshold, 1},
    PictureStrategy{"image:sift", "score >= 0.12", 1 - kSiftThreshold, 1},
};
// Its distances are 1 - score.
inline constexpr bool has_score(std::size_t strategy) { return strategy >= kNear; }

// All that is kept of a picture.
struct HashedPicture {
  std::array<std::uint8_t, 256> levels;  // of the cells of grid16
  ImageHash dhash, phash;
  std::array<ImageHash, 8> pdq;  // by orientation
  NearFeatures near;
  std::vector<VisualWord> words;   // none: too few to tell it
  std::uint64_t pixels = 0;        // their hash, with their size
  bool has_little_detail = false;  // then no hash tells it, but for its equals
};

// By strategy, seconds for one picture.
using PictureSeconds = std::array<double, kPictureStrategies.size()>;
HashedPicture hash_picture(const Picture& grey, PictureSeconds& seconds);

// By strategy; infinite: never a pair.
using Apart = std::array<double, kPictureStrategies.size()>;
Apart apart(const HashedPicture& a, const HashedPicture& b);

// How far apart the pairs are that should be found, and those that must not.
struct PicturePairs {
  struct Same {
    std::size_t changed;  // of the cases
    Apart apart;
  };
  std::vector<Same> same;
  // By strategy, ascending; those that are never a pair are not there.
  std::array<std::vector<double>, kPictureStrategies.size()> strangers;
  std::uint64_t stranger_pairs = 0;
  std::uint64_t left_out = 0;  // pairs of groups that are one design
  // By strategy, the nearest ones.
  struct Nearest {
    double apart;
    std::size_t a, b;
  };
  std::array<std::vector<Nearest>, kPictureStrategies.size()> nearest;
  std::uint64_t little_detail = 0;  // pictures
  PictureSeconds seconds{};         // for a picture, on average
};
PicturePairs picture_pairs(const ExperimentOptions& options, const PictureCases& cases);

// The whole experiment on these pictures.
ExperimentResult images(const ExperimentOptions& options, const PictureCases& cases);

// What a strategy finds within a distance.
struct PictureCounts {
  std::uint64_t found = 0;  // of those that should be
  std::uint64_t wrong = 0;  // strangers
  double precision() const noexcept {
    return found + wrong == 0 ? 1 : static_cast<double>(found) / static_cast<double>(found + wrong);
  }
};
PictureCounts count_within(const PicturePairs& pairs, std::size_t strategy, double distance);

// The largest distance of a pair up to which that precision is kept, by all pairs; below zero:
// none.
double loosest(const PicturePairs& pairs, std::size_t strategy, double precision);

}  // namespace benzer::experiments
