// Tests deduplication of pictures by leaders where clusters are large: the result must be that of
// the definition, and the work must not grow with the square of a cluster.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/dedup.h"
#include "benzer/error.h"
#include "benzer/similarity.h"

#include "base/sanitized.h"
#include "dedup/dedup_test_util.h"
#include "image/picture_test_util.h"
#include "verify/feature_comparison.h"

namespace benzer {
namespace {

// Makes clusters whose near-copies have noise of all strengths, so that not all pairs of one reach
// the threshold, and equal copies here and there.
std::vector<std::string> large_clusters(std::uint64_t seed, std::size_t clusters,
                                        std::size_t copies) {
  TestRandom random(seed);
  std::vector<std::string> out;
  for (std::size_t cluster = 0; cluster < clusters; ++cluster) {
    const Picture original = waves(random.next());
    const std::size_t begin = out.size();
    for (std::size_t i = 0; i < copies; ++i) {
      const int noise = static_cast<int>(1 + random.below(random.below(2) == 0 ? 4 : 120));
      out.push_back(i > 0 && random.below(4) == 0 ? out[begin + random.below(i)]
                                                  : as_pnm(noisy(original, noise, random.next())));
    }
  }
  for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[random.below(i)]);
  return out;
}

struct Scores {
  std::vector<std::vector<std::optional<double>>> of;  // nothing: below the threshold

  Scores(const std::vector<std::string>& files, const SimilarityOptions& options) {
    const FeatureExtractor extractor(options.config.features);
    std::vector<FeatureSet> sets;
    for (const std::string& file : files) {
      FeatureBuffer buffer;
      extractor.extract(file, buffer);
      sets.emplace_back(buffer.features());
    }
    FeatureComparison comparison(options.config.features);
    of.resize(sets.size(), std::vector<std::optional<double>>(sets.size()));
    for (std::size_t a = 0; a < sets.size(); ++a) {
      comparison.load(sets[a].features());
      for (std::size_t b = a; b < sets.size(); ++b)
        if (const auto overlap = comparison.compare(sets[b].features(), options.threshold))
          of[a][b] = of[b][a] = overlap->jaccard();
    }
  }
};

class PictureLeaders : public testing::TestWithParam<const char*> {
 protected:
  PictureLeaders() {
    options_.config.features = FeatureSpec::parse(GetParam());
    options_.threshold = usual_threshold(options_.config.features);
  }
  bool is_slow() const { return GetParam() == std::string("image:near"); }

  // The removals by the definition, in a run with these references and groups.
  std::vector<Removal> expected(const Scores& scores, std::uint32_t references,
                                std::uint32_t groups) const {
    std::vector<std::uint32_t> order(scores.of.size());
    std::iota(order.begin(), order.end(), 0);
    if (options_.keep == KeepOrder::parse("last")) {
      std::reverse(order.begin(), order.begin() + references);
      std::reverse(order.begin() + references, order.end());
    }
    std::vector<std::uint32_t> kept;
    std::vector<Removal> removed;
    for (const std::uint32_t document : order) {
      Removal best{document, std::nullopt, 0};
      for (const std::uint32_t other : kept) {
        const auto score = scores.of[document][other];
        if (score && *score > best.score && document % groups == other % groups)
          best = {document, other, *score};
      }
      if (document < references || !best.keeper)
        kept.push_back(document);
      else
        removed.push_back(best);
    }
    std::sort(removed.begin(), removed.end(),
              [](const Removal& x, const Removal& y) { return x.document < y.document; });
    return removed;
  }

  DedupOptions options_;
};

TEST_P(PictureLeaders, RemoveWhatTheDefinitionRemoves) {
  if (is_slow()) options_.threshold = Threshold::parse("0.97");  // so that some pairs are below it
  for (std::uint64_t seed = 1; seed <= (is_slow() || kSanitized ? 1 : 2); ++seed) {
    const auto files = large_clusters(seed, is_slow() ? 1 : 2,
                                      kSanitized  ? 20
                                      : is_slow() ? 90
                                                  : 200);
    const Scores scores(files, options_);
    for (const char* keep : {"first", "last"}) {
      options_.keep = KeepOrder::parse(keep);
      for (const std::uint32_t references : {0, 7}) {
        for (const std::uint32_t groups : {1, 2}) {
          for (const Collect collect : {Collect::kNothing, Collect::kCompared}) {
            MemoryCorpus corpus;
            for (std::uint32_t i = 0; i < files.size(); ++i) {
              if (i == references && references > 0) corpus.end_references();
              corpus.add_text(std::to_string(i), files[i], {std::to_string(i % groups), {}});
            }
            if (is_slow() && collect == Collect::kNothing) continue;
            options_.collect = collect;
            options_.threads = 1 + static_cast<int>(seed % 2);
            const DedupResult result = deduplicate(corpus, options_);
            const auto wanted = expected(scores, references, groups);
            ASSERT_EQ(result.removed.size(), wanted.size());
            for (std::size_t i = 0; i < wanted.size(); ++i) {
              EXPECT_EQ(result.removed[i].document, wanted[i].document);
              EXPECT_EQ(result.removed[i].keeper, wanted[i].keeper);
              EXPECT_EQ(result.removed[i].score, wanted[i].score);
            }
            EXPECT_GT(wanted.size(), files.size() / 4);
            EXPECT_LT(wanted.size(), files.size());
          }
        }
      }
    }
  }
}

TEST_P(PictureLeaders, CompareNoMoreThanSomePairsOfEachPicture) {
  std::vector<std::string> files;
  const Picture original = waves(3);
  const std::uint64_t count = is_slow() ? 100 : 600;
  if (is_slow() && kSanitized) GTEST_SKIP() << "takes minutes";
  for (std::size_t i = 0; i < count; ++i) files.push_back(as_pnm(noisy(original, 1, i)));
  MemoryCorpus corpus = corpus_of(files);
  options_.collect = Collect::kSimilar;
  const DedupResult result = deduplicate(corpus, options_);
  EXPECT_GT(result.removed.size(), count * 3 / 4);  // the rest are equal
  const std::uint64_t most = std::uint64_t{64} * 65 / 2 + count;
  EXPECT_LE(result.counts.verified_pairs, most);
  EXPECT_LE(result.counts.candidates, most);

  // All pairs are listed if that is asked for.
  MemoryCorpus again = corpus_of(files);
  std::uint64_t pairs = 0;
  find_pairs(again, PairsOptions{options_, false}, [&](const ScoredPair&) { ++pairs; });
  EXPECT_EQ(pairs, count * (count - 1) / 2);
}

TEST_P(PictureLeaders, TellProgressAndLookAtTheFlagForEachPicture) {
  const auto files = large_clusters(5, 1, 100);
  for (const Clustering clustering : {Clustering::kLeader, Clustering::kComponents}) {
    MemoryCorpus corpus = corpus_of(files);
    std::atomic<bool> stop{false};
    std::uint64_t done = 0, told = 0;
    options_.clustering = clustering;
    options_.threads = 1;
    options_.stop = &stop;
    options_.progress = [&](const Progress& progress) {
      if (progress.stage != "verify" || progress.done == 0) return;
      stop = true;
      done = progress.done;
      ++told;
    };
    EXPECT_THROW(deduplicate(corpus, options_), Error);
    EXPECT_EQ(done, 1U);
    EXPECT_EQ(told, 1U);
  }
}

INSTANTIATE_TEST_SUITE_P(Features, PictureLeaders,
                         testing::Values("image:pdq", "image:pdq+turned", "image:phash",
                                         "image:near"));

}  // namespace
}  // namespace benzer
