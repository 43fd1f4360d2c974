// Draws a simple random sample of the documents that take part in a run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/dedup.h"
#include "benzer/features.h"

namespace benzer {

struct SampledDocument {
  std::uint32_t document = 0;
  std::string group;
  FeatureSet features;
  std::uint64_t set_key = 0;
};

// Throws Error(kInvalidArgument) for features that are not sketched: they have no bands that could
// miss a pair.
void check_has_bands(const FeatureSpec& features);

// Returns a hash of the group and the features with their repeats, in any order. It is equal for
// documents that a run collapses into one set.
std::uint64_t set_key(const DocumentView& document, std::span<const std::uint64_t> features);

// Returns a hash of the group's name, equal for documents of one group in this process.
std::uint64_t group_key(std::string_view group);

// Extracts the features. Returns false if the document takes no part in pairs.
bool extract_participant(const FeatureExtractor& extractor, ShortPolicy short_policy,
                         const DocumentView& document, FeatureBuffer& buffer);

// Draws the documents that take part and have the smallest hashes of (number, seed), so that every
// set of `wanted` documents is equally likely, whatever their content. Returns them by number, and
// fewer if there are no more. To be called after corpus.scan(). Reads little more than the sample.
std::vector<SampledDocument> draw_sample(Corpus& corpus, const SimilarityOptions& options,
                                         const FeatureExtractor& extractor, std::uint32_t wanted,
                                         std::uint64_t seed);

// Reads the corpus once, and keeps nothing but what the corpus itself keeps.
void count_documents(Corpus& corpus, const SimilarityOptions& options);

}  // namespace benzer
