// Learns the built-in vocabulary of image:sift from generated images, in which nobody has rights.
#include <algorithm>
#include <vector>

#include "benzer/dedup.h"

#include "dedup/train_words.h"
#include "research/experiments/made_pictures.h"
#include "research/experiments/work.h"

namespace benzer {
namespace {

constexpr std::uint64_t kSeed = 2026;  // not a seed of the images of an experiment
constexpr std::size_t kPictures = 2000;
constexpr std::size_t kAtOnce = 50;

}  // namespace

TrainedWords train_words_on_made_up_pictures(const TrainWordsOptions& options) {
  ExperimentOptions threads;
  threads.threads = options.threads;
  threads.stop = options.stop;
  TrainedWords out;
  WordExamples examples;
  for (std::size_t begin = 0; begin < kPictures; begin += kAtOnce) {
    std::vector<std::vector<KeyPoint>> points(kAtOnce);
    experiments::for_trials(threads, kAtOnce, [&](std::size_t i) {
      points[i] =
          key_points(experiments::made_picture(kSeed, begin + i), WordExamples::kPointsOfPicture);
    });
    for (const auto& of_picture : points) {
      if (!of_picture.empty()) ++out.pictures;
      examples.add(of_picture);
    }
    if (options.progress) options.progress({"read", begin + kAtOnce, kPictures});
  }
  learn_words(examples, options, out);
  return out;
}

}  // namespace benzer
