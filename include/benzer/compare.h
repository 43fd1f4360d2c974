// Compares two documents field by field: how similar they are, what an index would estimate, which
// bands agree, and which passages they share.
//
//     const benzer::Schema schema = benzer::Schema::parse("body=text:word2 | min:0.5");
//     const benzer::Document a{"a", {benzer::Field::of_text("body", "a storm hit the coast")}};
//     const benzer::Document b{"b", {benzer::Field::of_text("body", "a storm hit the city")}};
//     const benzer::ComparedDocuments found = benzer::compare_documents(schema, a, b);
//     // found.score is 0.6: 3 of 5 different word pairs occur in both.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/features.h"
#include "benzer/schema.h"
#include "benzer/similarity.h"

namespace benzer {

// The comparison of one field that at least one of the documents has.
struct ComparedField {
  // The name of the field in the schema.
  std::string field;
  // Exact similarity in [0, 1]; 0 if only one of the documents has the field.
  double similarity = 0;
  // The fraction behind `similarity`.
  Overlap overlap;
  // With containment: the shares of the two documents' features that both have.
  std::optional<Shares> shares;
  // Jaccard similarity as estimated by the full signatures of the two fields. It and standard_error
  // stay 0 for image hashes and with containment, which have no signature, and if only one document
  // has the field.
  double estimate = 0;
  // Standard error of such an estimate at the exact similarity.
  double standard_error = 0;
  // The bands whose keys agree, counted from 0; of image hashes the parts of 16 bits, and of a
  // sketch without positions the keys of the first document that the second one has too; with
  // containment the keys of the second document that the first one has too.
  std::vector<std::uint32_t> equal_bands;
  // Bands of the schema and rows in each; of image hashes the parts of 16 bits, and 1. With
  // containment 0, and the number of keys of the second document.
  int bands = 0, rows = 0;
  std::uint32_t keys = 0;
  // Probability that a query finds one document by the other if this field alone is alike.
  double found_probability = 0;
  // Bits in which two image hashes differ; absent for other fields, and if the similarity is 0,
  // which all larger distances have.
  std::optional<int> distance;
  // The first 256 KiB of each text, cut into pieces by whether the other document has them too; of
  // a value set one piece for each of the first values that have 256 KiB together, a byte for the
  // end of each included, with its weight. Empty for images.
  std::vector<MarkedPiece> a, b;
};

// The comparison of two documents.
struct ComparedDocuments {
  // Exact score in [0, 1]: the similarities of the fields combined by the score rule.
  double score = 0;
  // The threshold that was asked for, or the schema's min_threshold.
  Threshold threshold;
  // Whether the score reaches the threshold; decided with integers, not with `score`.
  bool similar = false;
  // Probability that an index with this schema finds one document by the other, with the fields
  // taken as independent.
  double found_probability = 0;
  // The fields that at least one of the documents has, in the order of the schema.
  std::vector<ComparedField> fields;
};

// Compares two documents as an index with this schema would.
//
// schema: need not be completed. a, b: ids are not needed. threshold: absent means the schema's
// min_threshold; it may be below it. score: how the similarities of the fields become one score.
//
// Throws Error(kInvalidArgument) for a schema that cannot be completed and for a document that an
// index would refuse, such as one with an unknown field, and Error(kBadInput) for an image that
// cannot be read or decoded, and Error(kInterrupted) when `stop`, which may be null, turns true.
// Cost: about a microsecond for each word of both texts. Threads: any number may call it.
ComparedDocuments compare_documents(const Schema& schema, const Document& a, const Document& b,
                                    const std::optional<Threshold>& threshold = {},
                                    ScoreRule score = ScoreRule::kMean,
                                    const std::atomic<bool>* stop = nullptr);

}  // namespace benzer
