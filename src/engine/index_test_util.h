// Makes documents for tests of an index, and computes the true answers by comparing all of them.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "benzer/features.h"
#include "benzer/index.h"

#include "base/test_random.h"
#include "verify/score.h"

namespace benzer {

// Bands of one row each miss next to nothing, so that brute force must find the same.
inline const char* const kOneField =
    "text=text:word2 | fss:128 | bands:128x1 | min:0.3 | recall:0.999999";
inline const char* const kFields =
    "title=text:word1;w=2 | body=text:word2 | tags=values;w=0.5 | fss:128 | bands:128x1 | min:0.3 "
    "| recall:0.999999";

inline std::string some_text(TestRandom& random, std::size_t words) {
  std::string out;
  for (std::size_t i = 0; i < words; ++i) out += "w" + std::to_string(random.below(6)) + " ";
  return out;
}

inline Document some_document(std::string id, TestRandom& random, bool one_field) {
  if (one_field)
    return {std::move(id), {Field::of_text("text", some_text(random, random.below(12)))}};
  Document out{std::move(id), {}};
  if (random.below(4) != 0) out.fields.push_back(Field::of_text("body", some_text(random, 9)));
  if (random.below(4) != 0) out.fields.push_back(Field::of_text("title", some_text(random, 3)));
  if (random.below(2) != 0) {
    std::vector<std::string> tags;
    for (std::uint64_t i = random.below(4); i > 0; --i)
      tags.push_back("t" + std::to_string(random.below(5)));
    out.fields.push_back(Field::of_values("tags", std::move(tags)));
  }
  return out;
}

// Puts documents that `make` makes into an index and into the model of it.
template <class Make>
void index_batch(Index& index, std::map<std::string, Document>& model, int count, Make make) {
  std::vector<Document> documents;
  for (int i = 0; i < count; ++i) {
    documents.push_back(make());
    model[documents.back().id] = documents.back();
  }
  index.index_documents(documents);
}

// Compares everything with everything, by the definition.
class Oracle {
 public:
  explicit Oracle(Schema schema) : schema_(std::move(schema)) {
    for (const FieldSpec& field : schema_.fields) extractors_.emplace_back(field.features);
  }

  std::vector<Match> matches(const std::map<std::string, Document>& documents,
                             const Document& query, const SimilarOptions& options) const {
    std::vector<Match> out;
    for (const auto& [id, document] : documents) {
      if (id == query.id) continue;
      std::vector<WeighedOverlap> overlaps;
      Match match{id, 0, true, {}};
      for (std::size_t f = 0; f < schema_.fields.size(); ++f) {
        const FeatureSet& a = features(query, f);
        const FeatureSet& b = features(document, f);
        const Overlap both = benzer::overlap(a, b, weighting_of(schema_.fields[f].features));
        if (both.set_union == 0) continue;
        const bool is_contained = schema_.measure == Measure::kContainment;
        const Overlap overlap = is_contained && !a.empty() && !b.empty()
                                    ? Overlap{both.intersection, std::min(a.size(), b.size())}
                                    : both;
        overlaps.push_back({overlap, schema_.fields[f].weight.millionths()});
        match.fields.push_back({schema_.fields[f].name, overlap.jaccard(), overlap});
        if (is_contained)
          match.fields.back().shares = {
              a.empty() ? 0.0
                        : static_cast<double>(both.intersection) / static_cast<double>(a.size()),
              b.empty() ? 0.0
                        : static_cast<double>(both.intersection) / static_cast<double>(b.size())};
      }
      if (!reaches(
              options.score, overlaps,
              options.floor ? *options.floor : options.threshold.value_or(schema_.min_threshold)))
        continue;
      match.score = score_of(options.score, overlaps);
      out.push_back(std::move(match));
    }
    std::sort(out.begin(), out.end(), [](const Match& x, const Match& y) {
      return x.score != y.score ? x.score > y.score : x.id < y.id;
    });
    out.resize(std::min(out.size(), options.limit));
    return out;
  }

 private:
  const FeatureSet& features(const Document& document, std::size_t f) const {
    static const FeatureSet kNone;
    for (const Field& field : document.fields) {
      if (field.name != schema_.fields[f].name) continue;
      const auto [known, is_new] = known_.try_emplace({f, field.text, field.values});
      if (is_new) known->second = extract(field, f);
      return known->second;
    }
    return kNone;
  }
  FeatureSet extract(const Field& field, std::size_t f) const {
    FeatureBuffer buffer;
    if (schema_.fields[f].features.text()) {
      extractors_[f].extract(field.text, buffer);
    } else {
      const std::vector<std::string_view> values(field.values.begin(), field.values.end());
      extractors_[f].extract_values(values, buffer);
    }
    return FeatureSet(buffer.features());
  }

  Schema schema_;
  std::vector<FeatureExtractor> extractors_;
  using Contents = std::tuple<std::size_t, std::string, std::vector<std::string>>;
  mutable std::map<Contents, FeatureSet> known_;
};

}  // namespace benzer
