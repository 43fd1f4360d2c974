// Compares two texts, or sets of values, as the options ask, and formats the result as JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "benzer/config.h"
#include "benzer/similarity.h"

#include "options.h"
#include "single_text.h"

namespace benzer::apps {

// All results of comparing two texts.
struct TextComparison {
  SingleText a, b;
  Config config;
  Threshold threshold = Threshold::parse("0.8");
  Overlap overlap;
  bool similar = false;
  double estimate = 0;
  std::optional<double> estimate_union;  // in addition to `estimate`, that of the report of 2012
  double error = 0;                      // standard error at the exact similarity
  double probability = 0;                // that the bands find a pair of this similarity
  std::vector<int> equal_bands;
  std::vector<std::string> shared, only_a, only_b;  // shingles in the order of the text, each once
};

// Compares two texts that were followed with this configuration.
TextComparison compare_texts(SingleText a, SingleText b, const Config& config,
                             const Threshold& threshold);
// Compares the two inputs of the options, which are files. Throws Error.
TextComparison compare_inputs(const Options& options);

// Returns one line. shown: how many of the shingles of each kind are listed.
std::string compare_json(const TextComparison& c, std::size_t shown);

}  // namespace benzer::apps
