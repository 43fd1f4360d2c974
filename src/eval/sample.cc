#include "eval/sample.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "base/parallel.h"
#include "base/splitmix.h"
#include "dedup/document.h"
#include "dedup/fingerprint.h"
#include "dedup/sketch_pass.h"

namespace benzer {
namespace {

struct Drawn {
  std::uint64_t hash;
  std::uint32_t document;
  friend auto operator<=>(const Drawn&, const Drawn&) = default;
};

// Returns the documents whose hash is in [from, to], by hash.
std::vector<Drawn> between(std::uint32_t size, std::uint64_t key, std::uint64_t from,
                           std::uint64_t to) {
  std::vector<Drawn> drawn;
  for (std::uint32_t document = 0; document < size; ++document) {
    const std::uint64_t hash = splitmix64(key ^ document);
    if (hash >= from && hash <= to) drawn.push_back({hash, document});
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

class CountingVisitor : public DocumentVisitor {
 public:
  explicit CountingVisitor(const SimilarityOptions& options) : options_(options) {}

  std::unique_ptr<Block> start_block() override {
    throw_if_stopped(options_.stop);
    return std::make_unique<Counter>();
  }
  void finish_block(std::unique_ptr<Block> block) override {
    documents_ += static_cast<Counter&>(*block).documents;
    if (options_.progress) options_.progress({"read", documents_, 0});
  }

 private:
  struct Counter : Block {
    void add(const DocumentView&) override { ++documents; }
    std::uint64_t documents = 0;
  };
  const SimilarityOptions& options_;
  std::uint64_t documents_ = 0;
};

}  // namespace

bool extract_participant(const FeatureExtractor& extractor, ShortPolicy short_policy,
                         const DocumentView& document, FeatureBuffer& buffer) {
  extract_features(extractor, document, buffer);
  return !buffer.features().empty() && (short_policy == ShortPolicy::kExact || !buffer.is_short());
}

void check_has_bands(const FeatureSpec& features) {
  if (features.is_sketched()) return;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("the features {} have no bands, and so no recall to measure: all similar "
                          "pairs are found",
                          features.str()));
}

std::uint64_t set_key(const DocumentView& document, std::span<const std::uint64_t> features) {
  const Fingerprinter fingerprinter(true);
  return fingerprinter(features, fingerprinter.group(document.group)).sum;
}

std::uint64_t group_key(std::string_view group) { return Fingerprinter(true).group(group); }

std::vector<SampledDocument> draw_sample(Corpus& corpus, const SimilarityOptions& options,
                                         const FeatureExtractor& extractor, std::uint32_t wanted,
                                         std::uint64_t seed) {
  constexpr std::uint64_t kLast = ~std::uint64_t{0};
  std::vector<SampledDocument> sample;
  FeatureBuffer buffer(options.stop);
  const std::uint64_t key = splitmix64(seed);
  // Begins with a range of hashes that should hold the sample and some documents without features.
  // If it holds too many of these, more ranges follow, each twice as wide.
  double width = (1.1 * wanted + 50) / std::max(1.0, static_cast<double>(corpus.size()));
  for (std::uint64_t from = 0; sample.size() < wanted; width *= 2) {
    const double room = static_cast<double>(kLast - from);
    const bool last = width * 0x1p64 >= room;
    const std::uint64_t to = last ? kLast : from + static_cast<std::uint64_t>(width * 0x1p64);
    const std::vector<Drawn> drawn = between(corpus.size(), key, from, to);

    std::vector<std::uint32_t> documents;
    for (const Drawn& one : drawn) documents.push_back(one.document);
    std::sort(documents.begin(), documents.end());
    corpus.prepare(documents);
    const std::unique_ptr<Corpus::Reader> reader = corpus.reader();
    for (const Drawn& one : drawn) {
      if (sample.size() == wanted) break;
      throw_if_stopped(options.stop);
      const DocumentView view = reader->read(one.document);
      if (!extract_participant(extractor, options.short_policy, view, buffer)) continue;
      sample.push_back({one.document, std::string(view.group), FeatureSet(buffer.features()),
                        set_key(view, buffer.features())});
    }
    if (last) break;
    from = to + 1;
  }
  std::sort(sample.begin(), sample.end(), [](const SampledDocument& x, const SampledDocument& y) {
    return x.document < y.document;
  });
  return sample;
}

void count_documents(Corpus& corpus, const SimilarityOptions& options) {
  CountingVisitor visitor(options);
  corpus.scan(visitor, resolve_threads(options.threads));
}

}  // namespace benzer
