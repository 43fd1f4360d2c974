#include "benzer/partition.h"

#include <algorithm>

#include "benzer/error.h"

#include "base/disjoint_sets.h"
#include "dedup/candidates.h"
#include "dedup/complete_options.h"
#include "dedup/count_pass.h"
#include "dedup/sketch_pass.h"
#include "features/config_text.h"

namespace benzer {
namespace {

void check_can_be_divided(const FeatureSpec& features) {
  if (!features.is_sketched() || features.image())
    throw Error(ErrorCode::kInvalidArgument,
                "features of pictures cannot be compared on several machines: " + features.str(),
                "compare texts or values, or deduplicate the pictures on one machine");
  if (features.needs_frequencies())
    throw Error(ErrorCode::kInvalidArgument,
                "the features " + features.str() +
                    " need the frequencies of all documents before the first is sketched",
                features.tf_idf
                    ? "count them before (" + Parameter{"frequencies"} + "), or leave +tf-idf out"
                    : ErrorText("leave +drop-common out"));
}

void check_sizes(const SimilarityOptions& options, std::span<const std::uint8_t> a,
                 std::span<const std::uint8_t> b) {
  internal::check_sketch(options.config.sketch, options.config.features);
  if (a.size() != b.size() || a.size() % static_cast<std::size_t>(options.config.sketch.slots) != 0)
    throw Error(ErrorCode::kInvalidArgument,
                "the signatures have another size than the sketch " + options.config.sketch.str());
}

}  // namespace

PartitionSketches sketch_partition(Corpus& corpus, const DedupOptions& requested,
                                   const PartitionKey& key) {
  DedupOptions options = requested;
  PartitionSketches out;
  out.counts = complete_options(options);
  check_can_be_divided(options.config.features);
  refuse_containment(options, "a run on several machines");
  const Secret secret{key.first, key.second, 1};
  Workspace workspace;
  const FeatureExtractor extractor(options.config.features);
  SketchTask task{options, extractor, options.keep.fields().size(), options.keep.uses_size()};
  task.fingerprint_key = &secret;
  const SketchTable table = sketch_corpus(corpus, task, workspace);

  out.bands = table.bands();
  out.slots = table.slots();
  out.keys.resize(table.size() * out.bands);
  for (std::size_t band = 0; band < out.bands; ++band) {
    auto keys = table.keys(band);
    for (std::uint32_t d = 0; d < table.size(); ++d) out.keys[d * out.bands + band] = *keys.row(d);
  }
  auto all_facts = table.facts();
  auto cut = table.cut_signatures();
  for (std::uint32_t d = 0; d < table.size(); ++d) {
    const DocumentFacts& facts = *all_facts.row(d);
    count_document(facts, out.counts);
    out.fingerprints.push_back(facts.fingerprint.sum);
    out.fingerprints.push_back(facts.fingerprint.product_sum);
    out.bytes.push_back(facts.bytes);
    out.is_short.push_back(facts.is_short != 0);
    const bool is_left_out = facts.is_short && options.short_policy != ShortPolicy::kExact;
    out.takes_part.push_back(facts.features > 0 && !is_left_out);
    const std::uint8_t* signature = cut.row(d);
    out.cut.insert(out.cut.end(), signature, signature + out.slots);
  }
  out.counts.replaced = table.replaced;
  return out;
}

std::vector<std::uint8_t> near_signatures(const SimilarityOptions& options,
                                          std::span<const std::uint8_t> a,
                                          std::span<const std::uint8_t> b) {
  check_sizes(options, a, b);
  const SignatureFilter filter(options);
  std::vector<std::uint8_t> out(a.size() / filter.slots());
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = filter.passes(&a[i * filter.slots()], &b[i * filter.slots()]);
  return out;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> connect_near_signatures(
    const SimilarityOptions& options, std::span<const std::uint8_t> cut) {
  check_sizes(options, cut, cut);
  const SignatureFilter filter(options);
  const auto count = static_cast<std::uint32_t>(cut.size() / filter.slots());
  DisjointSets sets(count);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint8_t* signature = &cut[i * filter.slots()];
    for (std::size_t j = i + 1; (j = filter.next(signature, cut, j)) < count; ++j) {
      const auto other = static_cast<std::uint32_t>(j);
      if (sets.root(i) == sets.root(other)) continue;
      sets.join(i, other);
      out.emplace_back(i, other);
    }
  }
  return out;
}

void Connections::add(std::span<const DocumentPair> pairs) {
  pairs_.insert(pairs_.end(), pairs.begin(), pairs.end());
}

std::vector<DocumentPair> Connections::components() {
  std::vector<std::uint64_t> documents;
  documents.reserve(2 * pairs_.size());
  for (const DocumentPair& pair : pairs_) {
    documents.push_back(pair.a);
    documents.push_back(pair.b);
  }
  std::sort(documents.begin(), documents.end());
  documents.erase(std::unique(documents.begin(), documents.end()), documents.end());
  if (documents.size() >= MostSimilar::kNone)
    throw Error(
        ErrorCode::kInvalidArgument, "more documents have candidates than one machine can connect",
        "raise the threshold, or divide the documents by a column (" + Parameter{"by"} + ")");
  DisjointSets sets(static_cast<std::uint32_t>(documents.size()));
  const auto place = [&](std::uint64_t document) {
    return static_cast<std::uint32_t>(
        std::lower_bound(documents.begin(), documents.end(), document) - documents.begin());
  };
  for (const DocumentPair& pair : pairs_) sets.join(place(pair.a), place(pair.b));
  pairs_ = {};
  std::vector<DocumentPair> out;
  out.reserve(documents.size());
  for (std::uint32_t i = 0; i < documents.size(); ++i)
    out.push_back({documents[sets.root(i)], documents[i]});
  return out;
}

}  // namespace benzer
