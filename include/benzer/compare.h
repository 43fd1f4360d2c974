// Two documents, field by field: how similar they are, what an index would estimate, where its
// bands meet, and which passages they share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/features.h"
#include "benzer/schema.h"
#include "benzer/similarity.h"

namespace benzer {

struct ComparedField {
  std::string field;
  double similarity = 0;  // exact
  Overlap overlap;
  double estimate = 0;  // by signatures; of pictures there is none
  double standard_error = 0;
  std::vector<std::uint32_t> equal_bands;  // from 0
  int bands = 0, rows = 0;
  double found_probability = 0;  // by this field alone
  std::optional<int> distance;   // of hashes: bits that differ, if that many are known
  // The first 256 KiB of each text, or the values, a piece each. Of pictures none.
  std::vector<MarkedPiece> a, b;
};

struct ComparedDocuments {
  double score = 0;  // exact
  Threshold threshold;
  bool similar = false;               // it reaches the threshold
  double found_probability = 0;       // that an index with this schema finds one by the other
  std::vector<ComparedField> fields;  // those that either document has, in the schema's order
};

// threshold: absent: the schema's min_threshold. Throws Error(kInvalidArgument) for a document that
// an index would refuse (ids are not needed), Error(kBadInput) for an image that is none.
// Cost: about a microsecond a word.
ComparedDocuments compare_documents(const Schema& schema, const Document& a, const Document& b,
                                    const std::optional<Threshold>& threshold = {},
                                    ScoreRule score = ScoreRule::kMean);

}  // namespace benzer
