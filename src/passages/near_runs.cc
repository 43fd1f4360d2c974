#include "passages/near_runs.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "benzer/internal/stage_files.h"
#include "benzer/runtime.h"

#include "base/pool.h"
#include "passages/kept_runs.h"

namespace benzer {
namespace {

// One thread takes so many seeds at a time.
constexpr std::size_t kSeedsAtATime = 1024;

// A run goes on over a gap if at least this many equal words follow it.
constexpr std::uint64_t kLeastEqual = 3;

// Words of both texts that a gap skips, and the equal ones that follow.
struct Step {
  std::uint64_t a = 0, b = 0, equal = 0;
};

// Returns the shortest gap after which enough words are equal, of several the one that skips
// equally many words of both; a step without equal words if there is none. is_end(text, n): whether
// the text, 0 or 1, ends behind n words. equal(a, b): how many words are equal behind these.
template <class IsEnd, class Equal>
Step find_step(std::uint32_t gap, IsEnd is_end, Equal equal) {
  const auto reach = [&](int text) {
    std::uint64_t words = 0;
    while (words < gap && !is_end(text, words)) ++words;
    return words;
  };
  const std::uint64_t most_a = reach(0), most_b = reach(1);
  for (std::uint64_t both = 1; both <= most_a + most_b; ++both) {
    const std::uint64_t half = both / 2;
    for (std::uint64_t apart = 0; apart <= half; ++apart)
      for (const std::uint64_t a : {half - apart, both - half + apart}) {
        const std::uint64_t b = both - a;
        if (a > most_a || b > most_b) continue;
        const std::uint64_t words = equal(a, b);
        if (words >= kLeastEqual) return {a, b, words};
      }
  }
  return {};
}

Step step_forward(WordComparer& comparer, WordPlace a, WordPlace b, std::uint32_t gap) {
  return find_step(
      gap,
      [&](int text, std::uint64_t words) { return comparer.is_boundary((text ? b : a) + words); },
      [&](std::uint64_t skip_a, std::uint64_t skip_b) -> std::uint64_t {
        if (comparer.word(a + skip_a) != comparer.word(b + skip_b)) return 0;
        return comparer.equal(a + skip_a, b + skip_b);
      });
}

Step step_back(WordComparer& comparer, WordPlace a, WordPlace b, std::uint32_t gap) {
  return find_step(
      gap,
      [&](int text, std::uint64_t words) {
        return comparer.is_boundary((text ? b : a) - 1 - words);
      },
      [&](std::uint64_t skip_a, std::uint64_t skip_b) {
        const WordPlace end_a = a - 1 - skip_a, end_b = b - 1 - skip_b;
        std::uint64_t words = 0;
        while (comparer.word(end_a - words) == comparer.word(end_b - words)) ++words;
        return words;
      });
}

// Returns the seed extended to both sides.
EarlierRun extend(WordComparer& comparer, const EarlierRun& seed, std::uint32_t gap) {
  EarlierRun run = seed;
  while (true) {
    const Step step =
        step_forward(comparer, run.place + run.words, run.first + run.first_words, gap);
    if (step.equal == 0) break;
    run.words += step.a + step.equal;
    run.first_words += step.b + step.equal;
    run.equal += step.equal;
  }
  while (true) {
    const Step step = step_back(comparer, run.place, run.first, gap);
    if (step.equal == 0) break;
    run.place -= step.a + step.equal;
    run.words += step.a + step.equal;
    run.first -= step.b + step.equal;
    run.first_words += step.b + step.equal;
    run.equal += step.equal;
  }
  return run;
}

struct Seeds {
  std::vector<EarlierRun> seeds;
  std::vector<EarlierRun> runs;
};

bool contains(const EarlierRun& run, const EarlierRun& seed) noexcept {
  return run.place <= seed.place && seed.place + seed.words <= run.place + run.words &&
         run.first <= seed.first && seed.first + seed.words <= run.first + run.first_words;
}

}  // namespace

BigList<EarlierRun> extend_all(const WordReading& reading, const BigList<EarlierRun>& seeds,
                               const BigList<KeptPart>& parts, const KeptWords& words) {
  const PassageOptions& options = reading.options;
  Pool<WordComparer> comparers;
  BigList<EarlierRun>::Cursor cursor(seeds);
  const EarlierRun* seed = cursor.next();
  BigList<KeptPart>::Cursor part_cursor(parts);
  const KeptPart* part = part_cursor.next();  // the first that is behind the last seed
  WordPlace end = 0;                          // of the seeds so far
  const auto produce = [&](Seeds& piece) {
    throw_if_stopped(options.stop);
    piece.seeds.clear();
    for (; seed != nullptr; seed = cursor.next()) {
      if (seed->place + seed->words <= end) continue;
      // Whether a seed is extended must not depend on what is in other texts, so a piece ends where
      // a text does.
      const bool is_next_text = part != nullptr && part->begin <= seed->place;
      while (part != nullptr && part->begin <= seed->place) part = part_cursor.next();
      if (is_next_text && piece.seeds.size() >= kSeedsAtATime) break;
      end = seed->place + seed->words;
      piece.seeds.push_back(*seed);
    }
    return !piece.seeds.empty();
  };
  const auto work = [&](Seeds& piece) {
    std::unique_ptr<WordComparer> comparer =
        comparers.take([&] { return std::make_unique<WordComparer>(words); });
    std::vector<EarlierRun> near;  // runs that reach beyond the seed
    for (const EarlierRun& each : piece.seeds) {
      throw_if_stopped(options.stop);
      std::erase_if(near,
                    [&](const EarlierRun& run) { return run.place + run.words <= each.place; });
      const auto has_seed = [&](const EarlierRun& run) { return contains(run, each); };
      if (std::any_of(near.begin(), near.end(), has_seed)) continue;
      const EarlierRun run = extend(*comparer, each, options.gap);
      near.push_back(run);
      if (run.words >= options.min_words) piece.runs.push_back(run);
    }
    comparers.give(std::move(comparer));
  };
  return collect_runs<Seeds>(reading, kNearRunsStage, words, produce, work, [](const Seeds&) {});
}

}  // namespace benzer
