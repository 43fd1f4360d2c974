// Runs the stages of find_passages() in their order.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/features.h"
#include "benzer/internal/stage_files.h"
#include "benzer/passages.h"

#include "base/pool.h"
#include "passages/kept_runs.h"
#include "passages/locate.h"
#include "passages/near_runs.h"
#include "passages/read_words.h"
#include "passages/single_words.h"

namespace benzer {
namespace {

// One thread takes at least so many places at a time.
constexpr std::size_t kPlacesAtATime = 4096;
// They have numbers of 32 bits.
constexpr std::size_t kMostPlaces = std::size_t{1} << 31;

// The places that one thread takes at a time, and its results.
struct Places {
  std::vector<ShinglePlace> places;
  std::vector<EarlierRun> runs;
};

BigList<EarlierRun> find_runs(const WordReading& reading, const BigList<ShinglePlace>& shingles,
                              const KeptWords& words, std::uint32_t min_words) {
  const PassageOptions& options = reading.options;
  Pool<EarlierRunFinder> finders;
  BigList<ShinglePlace>::Cursor cursor(shingles);
  const ShinglePlace* next = cursor.next();
  std::uint64_t done = 0;
  return collect_runs<Places>(
      reading, kEqualRunsStage, words,
      [&](Places& piece) {
        throw_if_stopped(options.stop);
        piece.places.clear();
        for (; next != nullptr; next = cursor.next()) {
          if (piece.places.size() >= kPlacesAtATime && piece.places.back().shingle != next->shingle)
            break;
          if (piece.places.size() == kMostPlaces)
            throw Error(ErrorCode::kInvalidArgument,
                        fmt::format("more than {} places have the same {} words; ask for longer "
                                    "passages",
                                    kMostPlaces, reading.sampler.shingle()));
          piece.places.push_back(*next);
        }
        return !piece.places.empty();
      },
      [&](Places& piece) {
        std::unique_ptr<EarlierRunFinder> finder = finders.take([&] {
          return std::make_unique<EarlierRunFinder>(words, reading.sampler.window(), min_words,
                                                    options.stop);
        });
        const std::span<const ShinglePlace> places = piece.places;
        for (std::size_t begin = 0, end = 0; begin < places.size(); begin = end) {
          throw_if_stopped(options.stop);
          while (end < places.size() && places[end].shingle == places[begin].shingle) ++end;
          finder->find(places.subspan(begin, end - begin), piece.runs);
        }
        finders.give(std::move(finder));
      },
      [&](const Places& piece) {
        done += piece.places.size();
        if (options.progress) options.progress({"compare", done, shingles.size()});
      });
}

}  // namespace

PassageCounts find_passages(Corpus& corpus, const PassageOptions& options,
                            const std::function<void(const Passage&)>& sink) {
  if (options.min_words < 1 || options.min_words > PassageOptions::kMostMinWords)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("passages of at least {} words cannot be found; allowed are 1 to {}",
                            options.min_words, PassageOptions::kMostMinWords));
  if (options.gap > PassageOptions::kMostGap)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("passages with gaps of {} words cannot be found; allowed are 0 to {}",
                            options.gap, PassageOptions::kMostGap));
  const FeatureExtractor extractor(single_words(options.features, word_seed(options)));
  Workspace workspace(options.memory_limit, options.work_folder, 4);
  // Near passages are extended from shorter runs.
  const bool is_near = options.gap > 0;
  const std::uint32_t min_run = is_near ? seed_words(options.min_words) : options.min_words;
  const int threads = threads_within(resolve_threads(options.threads), options.memory_limit);
  const ShingleSampler sampler =
      is_near ? ShingleSampler::for_seeds(min_run) : ShingleSampler::for_runs(min_run);
  const WordReading reading{corpus, options, extractor, sampler, threads, workspace};
  PassageCounts counts;
  const KeyFilter repeated = find_repeated_shingles(reading, counts);
  if (counts.references > 0 && options.across_groups)
    throw Error(ErrorCode::kInvalidArgument,
                "documents are compared with references only, whatever their groups are; leave out "
                "the references or the groups");
  KeptWords words(workspace);
  KeptTexts kept = keep_words(reading, repeated, words);
  BigList<EarlierRun> runs = find_runs(reading, std::exchange(kept.shingles, {}), words, min_run);
  if (is_near) runs = extend_all(reading, runs, kept.parts, words);
  locate_passages(reading, kept.parts, runs, counts, sink);
  return counts;
}

void remove_stages(const PassageOptions& options) noexcept {
  if (options.keep_stages) remove_kept_runs(options.work_folder);
}

}  // namespace benzer
