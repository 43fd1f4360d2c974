// Computes the worked examples of the lecture slides, and measures "it would take 5 days".
#include "benzer/research/classics/slides.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "benzer/corpus.h"
#include "benzer/dedup.h"
#include "benzer/features.h"
#include "benzer/internal/text.h"
#include "benzer/runtime.h"
#include "benzer/similarity.h"

#include "research/experiments/chart.h"
#include "research/experiments/made_texts.h"
#include "research/experiments/runs.h"
#include "research/experiments/slides_findings.h"
#include "research/experiments/work.h"

namespace benzer::experiments {
namespace {

namespace lecture_slides = classics::slides;

ExperimentTable worked_examples(bool* all_agree) {
  ExperimentTable table{"slides-examples",
                        "The worked examples of the slides",
                        {"example", "the slides print", "comes out"},
                        {}};
  const auto add = [&](const char* what, const std::string& printed, const std::string& found) {
    *all_agree = *all_agree && printed == found;
    table.rows.push_back({what, printed, found});
  };
  add("2-shingles of abcab as a set", "ab bc ca",
      fmt::format("{}", fmt::join(lecture_slides::shingle_set("abcab", 2), " ")));
  std::string bag;
  for (const auto& [shingle, count] : lecture_slides::shingle_bag("abcab", 2))
    bag += fmt::format("{}{} x{}", bag.empty() ? "" : ", ", shingle, count);
  add("as a bag", "ab x2, bc x1, ca x1", bag);
  const lecture_slides::BitVector c1("10111"), c2("10011");
  add("similarity and distance of 10111 and 10011", "0.75 and 0.25",
      fmt::format("{} and {}", c1.jaccard(c2), c1.distance(c2)));
  const std::vector<std::string> first = {"cat", "mouse", "lion", "dog", "tiger"};
  const std::vector<std::string> second = {"lion", "cat", "mouse", "dog", "tiger"};
  const std::vector<std::string> zoo = {"mouse", "lion"};
  add("the zoo: minhash of {mouse, lion} under both permutations", "mouse, lion",
      fmt::format("{}, {}", lecture_slides::min_hash(first, zoo),
                  lecture_slides::min_hash(second, zoo)));

  const lecture_slides::MinHashingExample example = lecture_slides::min_hashing_example();
  const auto rows = lecture_slides::signatures(example.matrix, example.permutations,
                                               lecture_slides::Store::kRowIndexes);
  const auto places = lecture_slides::signatures(example.matrix, example.permutations,
                                                 lecture_slides::Store::kPlaces);
  std::string matrix;
  for (const auto& row : rows)
    matrix += fmt::format("{}{}", matrix.empty() ? "" : " / ", fmt::join(row, " "));
  add("min-hashing example: signatures as row indexes", "1 5 1 5 / 2 3 1 3 / 6 4 6 4", matrix);
  constexpr std::pair<std::size_t, std::size_t> kComparedColumns[] = {
      {0, 2}, {1, 3}, {0, 1}, {2, 3}};
  std::string columns, signatures;
  for (const auto& [a, b] : kComparedColumns) {
    columns += fmt::format("{}{:.2f}", columns.empty() ? "" : " ", example.matrix.similarity(a, b));
    signatures += fmt::format("{}{:.2f}", signatures.empty() ? "" : " ",
                              lecture_slides::similarity(places, a, b));
  }
  add("similarity of columns 1-3, 2-4, 1-2, 3-4", "0.75 0.75 0.00 0.00", columns);
  add("similarity of their signatures", "0.67 1.00 0.00 0.00", signatures);
  return table;
}

struct Scale {
  std::size_t documents = 0;
  double brute = 0, lsh = 0;  // seconds; 0: not measured
  std::uint64_t brute_pairs = 0, lsh_pairs = 0;
};

constexpr std::string_view kThreshold = "0.8";

void measure_brute_force(const ExperimentOptions& options, Scale& scale) {
  const FeatureExtractor extractor(FeatureSpec{});
  FeatureBuffer buffer;
  std::vector<FeatureSet> sets;
  for (std::size_t i = 0; i < scale.documents; ++i) {
    extractor.extract(made_text(options.seed, i), buffer);
    sets.emplace_back(buffer.features());
  }
  const Threshold threshold = Threshold::parse(kThreshold);
  scale.brute = seconds_of([&] {
    OverlapCounter counter;
    for (std::size_t a = 0; a < sets.size(); ++a) {
      if (a % 64 == 0) throw_if_stopped(options.stop);
      counter.load(sets[a].features());
      for (std::size_t b = a + 1; b < sets.size(); ++b) {
        const Overlap both = counter.compare(sets[b].features());
        scale.brute_pairs += threshold.reached(both.intersection, both.set_union) ? 1 : 0;
      }
    }
  });
}

// Measures the whole run from texts: features, sketches, bands, and the exact similarity of all
// candidates.
void measure_lsh(const ExperimentOptions& options, Scale& scale) {
  MemoryCorpus corpus;
  for (std::size_t i = 0; i < scale.documents; ++i) {
    if (i % 4096 == 0) throw_if_stopped(options.stop);
    corpus.add_text({}, made_text(options.seed, i));
  }
  PairsOptions pairs;
  pairs.threshold = Threshold::parse(kThreshold);
  pairs.threads = 1;
  pairs.stop = options.stop;
  scale.lsh =
      seconds_of([&] { find_pairs(corpus, pairs, [&](const ScoredPair&) { ++scale.lsh_pairs; }); });
}

}  // namespace

ExperimentResult slides(const ExperimentOptions& options) {
  const std::size_t most_brute = options.full ? 30'000 : 10'000;
  const std::size_t most_lsh = options.full ? 1'000'000 : 100'000;
  ExperimentResult out;
  out.title = "The worked examples, and all pairs against LSH";
  out.parameters = fmt::format(
      "made-up texts of about {} words, one in ten a near-copy of an earlier one; {}, threshold "
      "{}; "
      "one thread; brute force compares feature sets that are ready, LSH begins with the texts",
      kMadeWords, Config{}.str(), kThreshold);
  bool agree = true;
  out.tables.push_back(worked_examples(&agree));

  std::vector<Scale> scales;
  for (const std::size_t documents : {1'000u, 3'000u, 10'000u, 30'000u, 100'000u, 1'000'000u}) {
    Scale scale;
    scale.documents = documents;
    if (documents <= most_brute) measure_brute_force(options, scale);
    if (documents <= most_lsh) measure_lsh(options, scale);
    scales.push_back(scale);
  }
  scales.push_back({10'000'000});
  const auto last = std::find_if(scales.rbegin(), scales.rend(),
                                 [](const Scale& scale) { return scale.brute > 0; });
  const auto compared = [](std::size_t n) {
    return static_cast<double>(n) * static_cast<double>(n - 1) / 2;
  };
  const double per_pair = last->brute / compared(last->documents);
  ExperimentTable times{"slides-scale",
                        "Seconds for all pairs with J >= 0.8; extrapolated where it says so",
                        {"documents", "comparisons", "the slides (1e6 a second)", "brute force, s",
                         "is", "LSH with verification, s", "pairs by brute force", "pairs by LSH"},
                        {}};
  plot::Line brute{"brute force, measured", {}, plot::Colour::kSecond};
  plot::Line beyond{"brute force, extrapolated", {}, plot::Colour::kSecond, true};
  plot::Line lsh{"LSH with verification, measured", {}, plot::Colour::kFirst};
  brute.marked = lsh.marked = true;
  for (const Scale& scale : scales) {
    const double pairs = compared(scale.documents);
    const double seconds = scale.brute > 0 ? scale.brute : per_pair * pairs;
    const auto n = static_cast<double>(scale.documents);
    if (scale.brute > 0) brute.points.emplace_back(n, seconds);
    if (scale.brute <= 0 || scale.documents == last->documents)
      beyond.points.emplace_back(n, seconds);
    if (scale.lsh > 0) lsh.points.emplace_back(n, scale.lsh);
    times.rows.push_back({ExperimentCell::count(scale.documents),
                          ExperimentCell::count(static_cast<std::uint64_t>(pairs)),
                          readable(pairs / 1e6),
                          {seconds, seconds < 100 ? 2 : 0},
                          scale.brute > 0 ? "measured" : "extrapolated, " + readable(seconds),
                          scale.lsh > 0 ? ExperimentCell(scale.lsh, 2) : ExperimentCell("-"),
                          scale.brute > 0 ? ExperimentCell::count(scale.brute_pairs) : "-",
                          scale.lsh > 0 ? ExperimentCell::count(scale.lsh_pairs) : "-"});
  }
  out.tables.push_back(times);
  out.charts = {line_chart(
      "slides-scale", "Time for all similar pairs against the number of documents.",
      {"documents", 1000, 1e7, true}, {"seconds", 0.001, 1e8, true}, {brute, beyond, lsh})};

  const auto fastest = std::find_if(scales.rbegin(), scales.rend(),
                                    [](const Scale& scale) { return scale.lsh > 0; });
  add_judged(out, judge_slides({.as_printed = agree,
                                .shingles = kMadeWords - 4,
                                .per_pair = per_pair,
                                .lsh_documents = fastest->documents,
                                .lsh_seconds = fastest->lsh,
                                .documents = last->documents,
                                .pairs = last->brute_pairs,
                                .pairs_by_lsh = last->lsh_pairs}));
  return out;
}

}  // namespace benzer::experiments
