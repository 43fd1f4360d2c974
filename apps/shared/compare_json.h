// Compares two texts, or sets of values, as the options ask, and formats the result as JSON.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "benzer/banding.h"
#include "benzer/config.h"
#include "benzer/passages.h"
#include "benzer/similarity.h"

#include "options.h"
#include "single_text.h"

namespace benzer::apps {

// A passage of the second text that the first one has, too.
struct AlignedPassage {
  Passage passage;  // without its text; its first place is in the first text
  std::string text_a, text_b;
};

// All results of comparing two texts.
struct TextComparison {
  SingleText a, b;
  Config config;
  Threshold threshold = Threshold::parse("0.8");
  Measure measure = Measure::kJaccard;
  Overlap overlap;
  // With containment: the anchors by which a run finds this pair, which are all features of a small
  // document, and how much of each document the other one contains. What follows about signatures
  // and bands is not set then.
  std::optional<AnchorPlan> anchors = {};
  Shares shares = {};
  bool similar = false;
  double estimate = 0;
  std::optional<double> estimate_union;  // in addition to `estimate`, that of the report of 2012
  double error = 0;                      // standard error at the exact similarity
  double probability = 0;                // that a pair of this similarity is found
  std::vector<int> equal_bands;
  std::vector<std::string> shared, only_a, only_b;  // shingles in the order of the text, each once
  std::optional<PassageOptions> passage_options = {};  // absent for sets of values
  std::vector<AlignedPassage> passages = {};
};

// What two texts are compared by.
struct CompareSettings {
  Config config;
  Threshold threshold = Threshold::parse("0.8");
  Measure measure = Measure::kJaccard;
  double recall = 0.99;  // wanted of the anchors, with containment
  // How the passages are found that both texts have; absent for sets of values.
  std::optional<PassageOptions> passages = {};
  // Ends comparing with Error(kInterrupted), after the step that is under way. May be null.
  const std::atomic<bool>* stop = nullptr;
};
// Reads them, and completes the configuration.
CompareSettings compare_settings(const Options& options);

// Compares two texts that were followed with this configuration.
TextComparison compare_texts(SingleText a, SingleText b, const CompareSettings& settings);
// Compares the two inputs of the options, which are files. Throws Error.
TextComparison compare_inputs(const Options& options);

// Returns one line. shown: how many of the shingles of each kind are listed.
std::string compare_json(const TextComparison& c, std::size_t shown);

}  // namespace benzer::apps
