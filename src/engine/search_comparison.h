// Compares a query with documents: what the two ways to find these have in common.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/search.h"
#include "verify/feature_comparison.h"
#include "verify/score.h"

namespace benzer {

// A document that matches, and the number of its list of field matches, which documents with the
// same features share.
struct Search::Found {
  double score;
  DocumentNumber document;
  std::uint32_t fields;
};

// Compares a query, whose features are loaded once, with any number of documents.
class Search::Comparison {
 public:
  Comparison(const Search& search, StoreReader& reader) : search_(search), reader_(reader) {
    for (const FieldSpec& field : search.schema_.fields)
      comparisons_.emplace_back(field.features, search.schema_.measure);
    match_features_.resize(comparisons_.size());
  }

  void load(const DocumentHashes& query) {
    query_.assign(search_.schema_.fields.size(), nullptr);
    for (const FieldHashes& field : query.fields) {
      query_[field.field] = &field;
      if (search_.options_.exact || search_.is_hash(field.field))
        comparisons_[field.field].load(field.features);
    }
    match_.reset();
  }

  // The score, if it reaches the threshold.
  std::optional<double> compare(DocumentNumber document) {
    is_repeated_ = false;
    return search_.options_.exact ? compare_exactly(document) : estimate(document);
  }
  // Whether the document has the same features as the last match before it, and so the same score
  // and fields.
  bool is_repeated() const noexcept { return is_repeated_; }
  // Returns the fields of the last match that was not a repetition. May be called once for each.
  std::vector<FieldMatch> take_fields() { return std::move(fields_); }

  // Returns the score even if it is below the threshold. take_fields() then has what makes it up.
  double score_exactly(DocumentNumber document) {
    const Schema& schema = search_.schema_;
    fields_.clear();
    overlaps_.clear();
    sizes_.clear();
    for (std::uint32_t field = 0; field < schema.fields.size(); ++field) {
      const std::span<const std::uint64_t> other = reader_.features(document, field);
      const Weighting weighting = weighting_of(schema.fields[field].features);
      const std::uint64_t own = query_[field] ? size_of(query_[field]->features, weighting) : 0;
      if (own == 0 && other.empty()) continue;
      const Overlap overlap = own == 0 || other.empty()
                                  ? Overlap{0, own + size_of(other, weighting)}
                                  : comparisons_[field].compare(other);
      overlaps_.push_back({overlap, schema.fields[field].weight.millionths()});
      sizes_.push_back({own, other.size()});
      fields_.push_back(field_match(field, overlap, other.size()));
    }
    return score_of(search_.options_.score, overlaps_);
  }
  // Whether the last score of score_exactly() reaches the threshold.
  bool is_similar() const { return reaches(search_.options_.score, overlaps_, search_.threshold_); }
  // Search::Similar::shares and Search::Compared::is_covered of the document that score_exactly()
  // has compared.
  Shares shares() const {
    if (search_.schema_.measure != Measure::kContainment || fields_.empty()) return {};
    if (fields_.size() == 1) return *fields_[0].shares;
    const ScoreRule rule = search_.options_.score;
    return {score_of(rule, overlaps_in(&Sizes::of_query)),
            score_of(rule, overlaps_in(&Sizes::of_document))};
  }
  bool is_covered() const {
    if (search_.schema_.measure != Measure::kContainment) return is_similar();
    return reaches(search_.options_.score, overlaps_in(&Sizes::of_document), search_.threshold_);
  }
  // The shares of the last match of compare(), and of its repetitions.
  const Shares& match_shares() const noexcept { return match_shares_; }

 private:
  // The features of a field.
  struct Sizes {
    std::uint64_t of_query, of_document;
  };

  // Returns what the two documents share, as parts of the fields of one of them. A field that only
  // the other one has counts 0.
  std::vector<WeighedOverlap> overlaps_in(std::uint64_t Sizes::* of) const {
    std::vector<WeighedOverlap> out = overlaps_;
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i].overlap.set_union = std::max<std::uint64_t>(sizes_[i].*of, 1);
    return out;
  }

  std::optional<double> compare_exactly(DocumentNumber document) {
    const Schema& schema = search_.schema_;
    if (schema.fields.size() == 1) {  // the comparison stops once the threshold is out of reach
      const std::span<const std::uint64_t> other = reader_.features(document, 0);
      if (match_ && std::ranges::equal(other, match_features_[0])) return repeat();
      const auto overlap = comparisons_[0].compare(other, search_.threshold_);
      if (!overlap) return std::nullopt;
      match_features_[0].assign(other.begin(), other.end());
      fields_ = {field_match(0, *overlap, other.size())};
      match_shares_ = shares();
      return match_ = overlap->jaccard();
    }
    if (match_ && equals_match(document)) return repeat();
    const double score = score_exactly(document);
    if (!is_similar()) return std::nullopt;
    match_shares_ = shares();
    for (std::uint32_t field = 0; field < schema.fields.size(); ++field) {
      const std::span<const std::uint64_t> other = reader_.features(document, field);
      match_features_[field].assign(other.begin(), other.end());
    }
    return match_ = score;
  }

  // size: features of the other document.
  FieldMatch field_match(std::uint32_t field, const Overlap& overlap, std::size_t size) const {
    FieldMatch out{search_.schema_.fields[field].name, overlap.jaccard(), overlap};
    if (search_.schema_.measure == Measure::kContainment) {
      const std::size_t own = query_[field] ? query_[field]->features.size() : 0;
      out.shares = shares_of_sets(overlap.intersection, own, size);
    }
    return out;
  }

  bool equals_match(DocumentNumber document) {
    for (std::uint32_t field = 0; field < match_features_.size(); ++field)
      if (!std::ranges::equal(reader_.features(document, field), match_features_[field]))
        return false;
    return true;
  }

  std::optional<double> repeat() {
    is_repeated_ = true;
    return match_;
  }

  std::optional<double> estimate(DocumentNumber document) {
    const Schema& schema = search_.schema_;
    fields_.clear();
    scores_.clear();
    for (std::uint32_t field = 0; field < schema.fields.size(); ++field) {
      const std::uint8_t* other = reader_.cut(document, field);
      if (query_[field] == nullptr && other == nullptr) continue;
      const double score =
          query_[field] == nullptr || other == nullptr ? 0
          : search_.is_hash(field)
              ? comparisons_[field].compare(reader_.features(document, field)).jaccard()
          : search_.minhashers_.empty() ? search_.estimate(query_[field]->cut.data(), other)
                                        : estimate_from_features(document, field);
      scores_.push_back({score, schema.fields[field].weight.value()});
      fields_.push_back({schema.fields[field].name, score, {}});
    }
    const double score = score_of(search_.options_.score, scores_);
    if (score < search_.threshold_.value()) return std::nullopt;
    return score;
  }

  // Signatures without positions are not stored: a comparison needs their whole values, which may
  // take more room than the features of the document.
  double estimate_from_features(DocumentNumber document, std::uint32_t field) {
    const MinHasher& minhasher = search_.minhashers_[field];
    return estimate_jaccard(minhasher.sketch(query_[field]->features),
                            minhasher.sketch(reader_.features(document, field)));
  }

  const Search& search_;
  StoreReader& reader_;
  std::vector<const FieldHashes*> query_;       // by field; null: the query lacks it
  std::vector<FeatureComparison> comparisons_;  // by field
  std::vector<WeighedOverlap> overlaps_;
  std::vector<Sizes> sizes_;  // likewise
  std::vector<WeighedScore> scores_;
  std::vector<FieldMatch> fields_;
  // Stores without copies return many documents with equal features, often one after the other.
  std::optional<double> match_;  // the score of the last exact match of this query
  Shares match_shares_;          // with containment
  std::vector<std::vector<std::uint64_t>> match_features_;  // of that match, by field
  bool is_repeated_ = false;
};

// The matches of one query.
struct Search::Collected {
  std::vector<Found> found;
  std::vector<std::vector<FieldMatch>> fields;
  bool is_loaded = false;  // the query, for comparisons
  double least = 0;        // documents with a lower score are left out
};

}  // namespace benzer
