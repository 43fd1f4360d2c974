// The three ways to compare pictures, for the join of pictures: hashes, image:near, image:sift.
// Each has what it keeps of a picture, an index of pictures to be found, and a score of two.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "benzer/similarity.h"

#include "dedup/distinct_sets.h"
#include "image/near_features.h"
#include "verify/feature_comparison.h"
#include "verify/hash_index.h"
#include "verify/word_index.h"

namespace benzer {

// If pairs below the threshold are wanted, hashes and image:near give those whose similarity is at
// least the threshold minus this.
inline constexpr double kPictureBelow = 1.0 / 8;

// Returns the features of a set.
using FeaturesOfSet = std::function<std::span<const std::uint64_t>(SetNumber)>;

// Indexes to which sets are added. An index cannot grow, so there are several, each more than four
// times as large as the next one: a set is put into a new index only a few times. Threads: share it
// freely while nothing is added.
template <class Index>
class GrowingIndex {
 public:
  struct Part {
    std::vector<SetNumber> sets;  // ascending
    Index index;                  // of these
  };

  // sets: ascending, above all earlier ones. make(sets) makes an index.
  template <class Make>
  void add(std::span<const SetNumber> sets, const Make& make) {
    std::vector<SetNumber> all(sets.begin(), sets.end());
    if (all.empty()) return;
    while (!parts_.empty() && parts_.back().sets.size() <= 4 * all.size()) {
      all.insert(all.begin(), parts_.back().sets.begin(), parts_.back().sets.end());
      parts_.pop_back();
    }
    Index index = make(all);
    parts_.push_back({std::move(all), std::move(index)});
  }
  const std::vector<Part>& parts() const noexcept { return parts_; }

 private:
  std::vector<Part> parts_;  // the largest and earliest first
};

// Which of two sets is looked up: the earlier (kFirst) or the later one. Of image:sift alone this
// may make a difference for which pairs are candidates.
using LookedUp = WordIndex::LookedUp;

// Hashes: misses no pair within the distance.
class HashMethod {
 public:
  using Features = HashesOfPicture;
  static constexpr std::size_t kPairsPerThread = 4096;  // fewer are not worth a thread

  HashMethod(FeaturesOfSet features, int bits, const Threshold& threshold, bool want_below)
      : features_(std::move(features)), bits_(bits), farthest_(largest_distance(bits, threshold)) {
    if (want_below)
      farthest_ = std::min(bits_ / 2 - 1, farthest_ + static_cast<int>(bits_ * kPictureBelow / 2));
  }

  double least() const noexcept { return 0; }  // candidates are within the distance
  Features read(SetNumber set) const { return read_hash_features(features_(set)); }
  bool is_candidate(const Features& earlier, const Features& later) const {
    return hash_distance(earlier, later).value_or(bits_) <= farthest_;
  }
  Overlap overlap(const Features& a, const Features& b) const {
    return overlap_of_hashes(bits_, *hash_distance(a, b));
  }

  void add(std::span<const SetNumber> sets) {
    std::vector<SetNumber> hashed;
    for (const SetNumber set : sets)
      if (read(set).count > 0) hashed.push_back(set);
    index_.add(hashed, [&](const std::vector<SetNumber>& all) { return make(all); });
  }
  void search(const Features& picture, LookedUp, std::vector<SetNumber>& out) const {
    if (picture.count == 0) return;
    std::vector<std::uint32_t> found;
    for (const auto& part : index_.parts()) {
      found.clear();
      part.index.turned.find(picture.hashes[0], farthest_, found);
      for (std::uint32_t& number : found) number = part.index.turned_number[number];
      for (int turn = 0; turn < picture.count; ++turn)
        part.index.whole.find(picture.hashes[static_cast<std::size_t>(turn)], farthest_, found);
      std::sort(found.begin(), found.end());
      found.erase(std::unique(found.begin(), found.end()), found.end());
      for (const std::uint32_t number : found) out.push_back(part.sets[number]);
    }
  }

 private:
  struct Hashes {
    HashIndex whole;   // of the pictures as they are
    HashIndex turned;  // of their other orientations
    std::vector<std::uint32_t> turned_number;
  };
  Hashes make(const std::vector<SetNumber>& sets) const {
    std::vector<ImageHash> whole, turned;
    std::vector<std::uint32_t> turned_number;
    for (std::uint32_t number = 0; number < sets.size(); ++number) {
      const Features picture = read(sets[number]);
      whole.push_back(picture.hashes[0]);
      for (int turn = 1; turn < picture.count; ++turn) {
        turned.push_back(picture.hashes[static_cast<std::size_t>(turn)]);
        turned_number.push_back(number);
      }
    }
    return {HashIndex(std::move(whole), bits_), HashIndex(std::move(turned), bits_),
            std::move(turned_number)};
  }

  FeaturesOfSet features_;
  int bits_;
  int farthest_;  // the largest distance that is searched
  GrowingIndex<Hashes> index_;
};

// image:near: the hashes of every pair are looked at.
class NearMethod {
 public:
  using Features = NearFeatures;
  static constexpr std::size_t kPairsPerThread = 1;

  NearMethod(FeaturesOfSet features, const Threshold& threshold, bool want_below)
      : features_(std::move(features)),
        least_(threshold.value() - (want_below ? kPictureBelow : 0)) {}

  double least() const noexcept { return least_; }
  Features read(SetNumber set) const { return read_near_features(features_(set)); }
  bool is_candidate(const Features& earlier, const Features& later) const {
    return near_candidates(earlier, later);
  }
  Overlap overlap(const Features& a, const Features& b) const { return overlap_of_pictures(a, b); }

  void add(std::span<const SetNumber> sets) {
    for (const SetNumber set : sets) {
      const Features picture = read(set);
      sets_.push_back(set);
      hashes_.push_back({picture.whole, picture.inner});
    }
  }
  void search(const Features& picture, LookedUp, std::vector<SetNumber>& out) const {
    const NearHashes hashes{picture.whole, picture.inner};
    for (std::size_t i = 0; i < hashes_.size(); ++i)
      if (near_candidates(hashes_[i], hashes)) out.push_back(sets_[i]);
  }

 private:
  FeaturesOfSet features_;
  double least_;
  std::vector<SetNumber> sets_;
  std::vector<NearHashes> hashes_;
};

// image:sift: pictures with enough words in common are compared.
class SiftMethod {
 public:
  using Features = std::vector<VisualWord>;
  static constexpr std::size_t kPairsPerThread = 8;

  SiftMethod(FeaturesOfSet features, const Threshold& threshold, bool want_below)
      : features_(std::move(features)),
        least_(want_below ? threshold.value() / 2 : threshold.value()) {}

  double least() const noexcept { return least_; }
  Features read(SetNumber set) const { return read_sift_features(features_(set)); }
  bool is_candidate(const Features& earlier, const Features& later) const {
    return enough_in_common(words_in_common(earlier, later), earlier.size(), later.size());
  }
  Overlap overlap(const Features& a, const Features& b) const { return overlap_of_words(a, b); }

  void add(std::span<const SetNumber> sets) {
    index_.add(sets, [&](const std::vector<SetNumber>& all) {
      return WordIndex(static_cast<std::uint32_t>(all.size()),
                       [&](std::uint32_t number) { return read(all[number]); });
    });
  }
  void search(const Features& picture, LookedUp looked_up, std::vector<SetNumber>& out) const {
    std::vector<std::uint32_t> found;
    for (const auto& part : index_.parts()) {
      found.clear();
      WordIndex::Votes votes(part.index);
      part.index.find(picture, looked_up, votes, found);
      for (const std::uint32_t number : found) out.push_back(part.sets[number]);
    }
  }

 private:
  FeaturesOfSet features_;
  double least_;
  GrowingIndex<WordIndex> index_;
};

}  // namespace benzer
