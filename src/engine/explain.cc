#include "engine/explain.h"

#include <algorithm>
#include <string_view>

#include "base/weight.h"
#include "store/sampled_keys.h"
#include "verify/feature_comparison.h"

namespace benzer {
namespace {

constexpr std::size_t kMostPassages = 10;
constexpr std::size_t kLongestPassage = 300;

// The end of the last character that ends at `end` or before, if the text is UTF-8.
std::size_t boundary_before(std::string_view text, std::size_t end) noexcept {
  const auto goes_on = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  for (int back = 0; back < 3 && end > 0 && end < text.size() && goes_on(end); ++back) --end;
  return end;
}

}  // namespace

// The pieces [first, end) of a field, which follow one another.
struct Explainer::Run {
  std::size_t first, end;
};

Explainer::Explainer(const Hasher& hasher, const Search& search, const DocumentHashes& hashes,
                     const Document* document)
    : hasher_(hasher), search_(search), hashes_(hashes), traced_(hasher.schema().fields.size()) {
  if (document == nullptr) return;
  for (const Field& field : document->fields) {
    const std::size_t number = *hasher.schema().find(field.name);
    const FeatureExtractor& extractor = hasher.extractor(number);
    if (extractor.spec().image()) continue;
    traced_[number] = trace_field(extractor, field);
    if (extractor.spec().is_weighted())
      for (TracedField::Piece& piece : traced_[number]->pieces) piece.feature &= ~kWeightBits;
  }
}

std::vector<Explainer::Run> Explainer::shared_runs(const TracedField& traced,
                                                   const FeatureLookup& shared) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < traced.pieces.size(); ++i) {
    if (!shared.contains(traced.pieces[i].feature)) continue;
    if (traced.is_text && !runs.empty() && runs.back().end == i) {
      ++runs.back().end;
    } else {
      runs.push_back({i, i + 1});
    }
  }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const Run& x, const Run& y) { return x.end - x.first > y.end - y.first; });
  return runs;
}

void Explainer::explain_bands(const FieldHashes& own, const FieldHashes& other,
                              FieldExplanation& out) const {
  const bool is_one_table = !hasher_.schema().sketch.has_positions();
  for (std::uint32_t band = 0; band < own.keys.size(); ++band) {
    const bool met =
        is_one_table
            ? own.keys[band] != kNoStoreKey &&
                  std::binary_search(other.keys.begin(), other.keys.end(), own.keys[band])
            : own.keys[band] == other.keys[band] && hasher_.layout().is_key(own.keys[band]);
    if (met) out.bands.push_back(band);
  }
}

void Explainer::explain_keys(const FieldHashes& own, const FieldHashes& other,
                             FieldExplanation& out) {
  const std::vector<std::uint32_t> asked = query_keys(own.features);
  out.keys = static_cast<std::uint32_t>(other.keys.size());
  for (std::uint32_t key = 0; key < out.keys; ++key)
    if (std::binary_search(asked.begin(), asked.end(), other.keys[key])) out.bands.push_back(key);
}

FieldExplanation Explainer::explain(std::size_t number, const FieldHashes& own,
                                    const FieldHashes& other) const {
  FieldExplanation out;
  if (hasher_.schema().keys) {
    explain_keys(own, other, out);
  } else {
    explain_bands(own, other, out);
  }

  // An image hash has no passages: its features are chunks of its bits.
  if (hasher_.extractor(number).spec().comparison() == Comparison::kHashes) return out;

  // A value that both have is shared, whatever its weights.
  const bool has_weights = hasher_.extractor(number).spec().is_weighted();
  const auto lookup = [&](std::span<const std::uint64_t> features) {
    FeatureLookup all;
    for (const std::uint64_t feature : features)
      all.insert(has_weights ? feature & ~kWeightBits : feature);
    return all;
  };
  FeatureLookup shared = lookup(own.features);
  const FeatureLookup others = lookup(other.features);
  std::erase_if(shared, [&](std::uint64_t feature) { return !others.contains(feature); });
  if (const auto& traced = traced_[number]) {
    FeatureLookup hidden = shared;
    for (const Run& run : shared_runs(*traced, shared)) {
      if (out.passages.size() == kMostPassages) break;
      SharedPassage passage;
      for (std::size_t i = run.first; i < run.end; ++i)
        passage.features += hidden.erase(traced->pieces[i].feature);
      if (passage.features == 0) continue;  // all of it is in earlier passages
      const std::string_view text = traced->text;
      const std::size_t begin = traced->pieces[run.first].begin;
      const std::size_t end = traced->pieces[run.end - 1].end;
      passage.is_cut = end - begin > kLongestPassage;
      const std::size_t shown_end =
          passage.is_cut ? boundary_before(text, begin + kLongestPassage) : end;
      passage.text = text.substr(begin, shown_end - begin);
      out.passages.push_back(std::move(passage));
    }
    out.more = hidden.size();
  } else {
    out.more = shared.size();
  }
  return out;
}

void Explainer::explain(StoreReader& reader, Match& match) const {
  const std::optional<DocumentNumber> found = reader.find(match.id);
  // On a server the document may have been removed since it was found.
  const DocumentHashes others = found ? reader.get_hashes(*found) : DocumentHashes();
  std::vector<Search::FieldPair> pairs(hasher_.schema().fields.size());
  for (FieldMatch& field : match.fields) {
    const std::size_t number = *hasher_.schema().find(field.field);
    const FieldHashes* own = hashes_.find(number);
    const FieldHashes* other = others.find(number);
    if (own == nullptr || other == nullptr) {
      const Weighting weighting = weighting_of(hasher_.extractor(number).spec());
      field.overlap = {0, (own ? size_of(own->features, weighting) : 0) +
                              (other ? size_of(other->features, weighting) : 0)};
      field.explanation.emplace();
      continue;
    }
    field.explanation = explain(number, *own, *other);
    const FeatureSpec& spec = hasher_.extractor(number).spec();
    if (spec.comparison() == Comparison::kHashes || spec.is_weighted()) {
      FeatureComparison comparison(spec);
      comparison.load(own->features);
      field.overlap = comparison.compare(other->features);
      pairs[number] = {field.overlap.jaccard()};
      continue;
    }
    std::uint64_t intersection = field.explanation->more;
    for (const SharedPassage& passage : field.explanation->passages)
      intersection += passage.features;
    field.overlap = overlap_of_sizes(intersection, own->features.size(), other->features.size(),
                                     hasher_.schema().measure);
    pairs[number] = {field.overlap.jaccard(), intersection, other->features.size()};
  }
  match.found_probability = search_.found_probability(pairs);
}

}  // namespace benzer
