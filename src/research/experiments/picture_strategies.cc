#include "research/experiments/picture_strategies.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include <xxhash.h>

#include "image/grid16.h"
#include "image/hash_features.h"
#include "image/hashes.h"
#include "research/experiments/work.h"
#include "verify/word_index.h"

namespace benzer::experiments {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr int kGridStep = 16;      // greys in a level, as in image:grid16
constexpr int kLeastQuality = 50;  // as in the features of images
constexpr std::size_t kNearestShown = 5;

double cells_apart(const HashedPicture& a, const HashedPicture& b) {
  int out = 0;
  for (std::size_t i = 0; i < a.levels.size(); ++i) out += a.levels[i] != b.levels[i] ? 1 : 0;
  return out;
}

double bits_apart(const ImageHash& a, const ImageHash& b) { return distance(a, b); }

// The distance of one image as it is to the other in any orientation. It is computed in both
// directions, as the hash of a turned image is not exactly the turned hash.
double turned_apart(const HashedPicture& a, const HashedPicture& b) {
  int least = distance(a.pdq[0], b.pdq[0]);
  for (std::size_t turn = 1; turn < a.pdq.size(); ++turn)
    least = std::min({least, distance(a.pdq[turn], b.pdq[0]), distance(a.pdq[0], b.pdq[turn])});
  return least;
}

struct OfRow {
  std::array<std::vector<double>, kPictureStrategies.size()> strangers;
  std::array<std::vector<PicturePairs::Nearest>, kPictureStrategies.size()> nearest;
  std::uint64_t pairs = 0, left_out = 0;
};

void keep_nearest(std::vector<PicturePairs::Nearest>& all) {
  std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) {
    return std::tie(x.apart, x.a, x.b) < std::tie(y.apart, y.a, y.b);
  });
  all.resize(std::min(all.size(), kNearestShown));
}

}  // namespace

HashedPicture hash_picture(const Picture& grey, PictureSeconds& seconds) {
  HashedPicture out;
  seconds[kGrid16] = seconds_of([&] {
    out.levels = grid16(grey);
    for (std::uint8_t& level : out.levels) level = static_cast<std::uint8_t>(level / kGridStep);
  });
  seconds[kDhash] = seconds_of([&] { out.dhash = dhash(grey); });
  seconds[kPhash] = seconds_of([&] { out.phash = phash(grey); });
  seconds[kPdq] = seconds_of([&] { out.pdq[0] = pdq(grey); });
  seconds[kPdqTurned] = seconds[kPdq] + seconds_of([&] {
                          for (int turn = 1; turn < kOrientations; ++turn)
                            out.pdq[static_cast<std::size_t>(turn)] = pdq(turned(grey, turn));
                        });
  seconds[kNear] = seconds_of([&] { out.near = near_features(grey); });
  seconds[kSift] = seconds_of([&] {
    std::vector<std::uint64_t> features;
    add_sift_features(grey, VisualWords::built_in(), features);
    if (features.size() >= kFewestPoints) out.words = read_sift_features(features);
  });
  out.pixels = XXH3_64bits_withSeed(grey.pixels.data(), grey.pixels.size(),
                                    std::uint64_t{grey.width} << 32 | grey.height);
  out.has_little_detail = out.pdq[0].quality < kLeastQuality;
  return out;
}

Apart apart(const HashedPicture& a, const HashedPicture& b) {
  Apart out;
  out.fill(kNever);
  out[kGrid16] = cells_apart(a, b);
  if (!a.has_little_detail && !b.has_little_detail) {
    out[kDhash] = bits_apart(a.dhash, b.dhash);
    out[kPhash] = bits_apart(a.phash, b.phash);
    out[kPdq] = bits_apart(a.pdq[0], b.pdq[0]);
    out[kPdqTurned] = turned_apart(a, b);
  } else if (a.pixels == b.pixels) {
    for (const std::size_t hash : {kDhash, kPhash, kPdq, kPdqTurned}) out[hash] = 0;
  }
  if (near_candidates(a.near, b.near)) out[kNear] = 1 - near_similarity(a.near, b.near);
  if (!a.words.empty() && !b.words.empty()) {
    if (enough_in_common(words_in_common(a.words, b.words), a.words.size(), b.words.size()))
      out[kSift] = 1 - sift_similarity(a.words, b.words);
  } else if (a.pixels == b.pixels) {
    out[kSift] = 0;
  }
  return out;
}

PicturePairs picture_pairs(const ExperimentOptions& options, const PictureCases& cases) {
  const PictureLoader loader(options);
  const std::size_t size = cases.cases.size();
  std::vector<HashedPicture> hashed(size);
  std::vector<PictureSeconds> seconds(size);
  for_trials(options, size, [&](std::size_t i) {
    hashed[i] = hash_picture(loader.load(cases.cases[i]), seconds[i]);
  });
  PicturePairs out;
  for (std::size_t i = 0; i < size; ++i) {
    out.little_detail += hashed[i].has_little_detail ? 1 : 0;
    for (std::size_t s = 0; s < out.seconds.size(); ++s)
      out.seconds[s] += seconds[i][s] / static_cast<double>(size);
    if (cases.originals[i] != i) out.same.push_back({i, {}});
  }
  for_trials(options, out.same.size(), [&](std::size_t i) {
    PicturePairs::Same& pair = out.same[i];
    pair.apart = apart(hashed[cases.originals[pair.changed]], hashed[pair.changed]);
  });
  std::vector<OfRow> rows(size);
  for_trials(options, size, [&](std::size_t a) {
    OfRow& row = rows[a];
    for (std::size_t b = a + 1; b < size; ++b) {
      if (cases.designs[a] == cases.designs[b]) {
        row.left_out += cases.cases[a].group != cases.cases[b].group ? 1 : 0;
        continue;
      }
      ++row.pairs;
      const Apart all = apart(hashed[a], hashed[b]);
      for (std::size_t s = 0; s < all.size(); ++s) {
        if (all[s] == kNever) continue;
        row.strangers[s].push_back(all[s]);
        row.nearest[s].push_back({all[s], a, b});
      }
    }
    for (auto& nearest : row.nearest) keep_nearest(nearest);
  });
  for (OfRow& row : rows) {
    out.stranger_pairs += row.pairs;
    out.left_out += row.left_out;
    for (std::size_t s = 0; s < row.strangers.size(); ++s) {
      out.strangers[s].insert(out.strangers[s].end(), row.strangers[s].begin(),
                              row.strangers[s].end());
      out.nearest[s].insert(out.nearest[s].end(), row.nearest[s].begin(), row.nearest[s].end());
    }
  }
  for (auto& strangers : out.strangers) std::sort(strangers.begin(), strangers.end());
  for (auto& nearest : out.nearest) keep_nearest(nearest);
  return out;
}

PictureCounts count_within(const PicturePairs& pairs, std::size_t strategy, double distance) {
  PictureCounts out;
  for (const PicturePairs::Same& pair : pairs.same)
    out.found += pair.apart[strategy] <= distance ? 1 : 0;
  const std::vector<double>& strangers = pairs.strangers[strategy];
  out.wrong = static_cast<std::uint64_t>(
      std::upper_bound(strangers.begin(), strangers.end(), distance) - strangers.begin());
  return out;
}

double loosest(const PicturePairs& pairs, std::size_t strategy, double precision) {
  double best = -1;
  for (const PicturePairs::Same& pair : pairs.same) {
    const double distance = pair.apart[strategy];
    if (distance == kNever || distance <= best) continue;
    if (count_within(pairs, strategy, distance).precision() >= precision) best = distance;
  }
  return best;
}

}  // namespace benzer::experiments
