// Makes texts for tests of deduplication, and computes results by their definition, with which
// those of the library are compared.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "benzer/dedup.h"
#include "benzer/features.h"
#include "benzer/similarity.h"

#include "base/test_random.h"

namespace benzer {

inline std::string words(TestRandom& random, std::size_t count, std::uint64_t vocabulary) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += "w" + std::to_string(random.below(vocabulary)) + " ";
  return text;
}

// Makes clusters of near-copies at all similarities, equal copies, repeats of the same words, short
// texts and empty ones, shuffled.
inline std::vector<std::string> mixed_texts(std::uint64_t seed, std::size_t families) {
  TestRandom random(seed);
  std::vector<std::string> texts;
  for (std::size_t f = 0; f < families; ++f) {
    const std::size_t length = 8 + random.below(120);
    const std::string base = words(random, length, 100000);
    texts.push_back(base);
    const std::size_t copies = random.below(6);
    for (std::size_t c = 0; c < copies; ++c) {
      std::string copy = base;
      switch (random.below(5)) {
        case 0:
          break;
        case 1:
          copy += words(random, 1 + random.below(length / 3 + 1), 100000);
          break;
        case 2:
          copy = copy.substr(0, copy.size() - random.below(copy.size() / 3));
          break;
        case 3:
          copy = words(random, 1 + random.below(3), 100000) + copy;
          break;
        default:
          copy += copy;  // most features are the same, with other repeats
          break;
      }
      texts.push_back(copy);
    }
  }
  for (const char* text : {"", "!?", "two words", "Two, words!", "one", "two words"})
    texts.emplace_back(text);
  for (std::size_t i = texts.size(); i > 1; --i) std::swap(texts[i - 1], texts[random.below(i)]);
  return texts;
}

inline MemoryCorpus corpus_of(const std::vector<std::string>& texts) {
  MemoryCorpus corpus;
  for (std::size_t i = 0; i < texts.size(); ++i) corpus.add_text("t" + std::to_string(i), texts[i]);
  return corpus;
}

inline DedupResult deduplicate_texts(const std::vector<std::string>& texts,
                                     const DedupOptions& options) {
  MemoryCorpus corpus = corpus_of(texts);
  return deduplicate(corpus, options);
}

inline std::vector<FeatureSet> sets_of(const std::vector<std::string>& texts) {
  const FeatureExtractor extractor(FeatureSpec{});
  FeatureBuffer buffer;
  std::vector<FeatureSet> sets;
  for (const std::string& text : texts) {
    extractor.extract(text, buffer);
    sets.emplace_back(buffer.features());
  }
  return sets;
}

inline std::vector<ScoredPair> similar_of(const DedupResult& result) {
  std::vector<ScoredPair> list;
  result.similar.for_each([&](const ScoredPair& pair) { list.push_back(pair); });
  return list;
}

// Returns the similar pairs and the sampled ones below the threshold, sorted by document.
inline std::vector<ScoredPair> compared_of(const DedupResult& result) {
  std::vector<ScoredPair> list = similar_of(result);
  list.insert(list.end(), result.below.sample.begin(), result.below.sample.end());
  std::sort(list.begin(), list.end());
  return list;
}

// Returns the numbers of documents in the order of the first rule (a word), then of the input.
inline std::vector<std::uint32_t> order_of(const std::vector<std::string>& texts,
                                           const KeepOrder& keep) {
  std::vector<std::uint32_t> order(texts.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const KeepRule::Kind kind = keep.rules.front().kind;
  if (kind == KeepRule::Kind::kLast) std::reverse(order.begin(), order.end());
  if (kind == KeepRule::Kind::kLongest || kind == KeepRule::Kind::kShortest)
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
      return kind == KeepRule::Kind::kLongest ? texts[x].size() > texts[y].size()
                                              : texts[x].size() < texts[y].size();
    });
  return order;
}

// Returns the removals by the definition: one sequential pass in keep order, which compares each
// document with all kept so far that it may be compared with.
template <class MayCompare>
std::vector<Removal> sequential_pass(const std::vector<FeatureSet>& sets,
                                     const std::vector<std::uint32_t>& order,
                                     const Threshold& threshold, std::uint32_t references,
                                     MayCompare may_compare) {
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < references; ++i) kept.push_back(i);
  std::vector<Removal> removed;
  for (const std::uint32_t document : order) {
    if (document < references) continue;
    Removal best{document, std::nullopt, 0};
    for (const std::uint32_t other : kept) {
      if (!may_compare(document, other)) continue;
      const Overlap common = overlap(sets[document], sets[other]);
      if (threshold.reached(common.intersection, common.set_union) &&
          common.jaccard() > best.score) {
        best.keeper = other;
        best.score = common.jaccard();
      }
    }
    if (best.keeper) {
      removed.push_back(best);
    } else {
      kept.push_back(document);
    }
  }
  std::sort(removed.begin(), removed.end(),
            [](const Removal& x, const Removal& y) { return x.document < y.document; });
  return removed;
}

inline std::vector<Removal> sequential_pass(const std::vector<std::string>& texts,
                                            const Threshold& threshold, const KeepOrder& keep) {
  return sequential_pass(sets_of(texts), order_of(texts, keep), threshold, 0,
                         [](std::uint32_t, std::uint32_t) { return true; });
}

// Returns options with 128 bands of one row, which find a pair at 0.5 or above with the probability
// 1 - 0.5^128. So a result must be equal to that of the definition.
inline DedupOptions options_without_misses(const char* threshold) {
  DedupOptions options;
  options.threshold = Threshold::parse(threshold);
  options.config.banding = Banding{128, 1};
  return options;
}

}  // namespace benzer
