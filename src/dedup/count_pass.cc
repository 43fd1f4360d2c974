#include "dedup/count_pass.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "base/parallel.h"
#include "base/pool.h"
#include "base/workspace.h"
#include "dedup/document.h"
#include "dedup/sketch_pass.h"
#include "features/frequency_counter.h"

namespace benzer {
namespace {

// Returns the features that are counted.
FeatureSpec without_frequencies(FeatureSpec spec) {
  spec.drop_common = 0;
  spec.tf_idf = false;
  spec.frequencies = nullptr;
  return spec;
}

// Hands on the features of each document, each once, without weights.
class FeatureVisitor : public DocumentVisitor {
 public:
  // What a block of documents collects.
  using Collected = std::vector<std::uint64_t>;

  FeatureVisitor(const SimilarityOptions& options, std::string_view phase)
      : options_(options),
        phase_(phase),
        extractor_(without_frequencies(options.config.features)),
        room_(options.memory_limit) {}

  std::unique_ptr<Block> start_block() override {
    throw_if_stopped(options_.stop);
    return blocks_.take([this] { return std::make_unique<FeatureBlock>(*this); });
  }

  void finish_block(std::unique_ptr<Block> finished) override {
    auto& block = static_cast<FeatureBlock&>(*finished);
    documents_ += std::exchange(block.documents, 0);
    take(block.collected);
    block.collected.clear();
    if (options_.progress) options_.progress({phase_, documents_, 0});
    blocks_.give(std::move(finished));
  }

 protected:
  // Receives the features of a document. Any number of threads may call it at a time.
  virtual void add(std::span<const std::uint64_t> features, Collected& out) = 0;
  // Receives what a block has collected. One thread at a time.
  virtual void take(Collected&) {}

 private:
  struct FeatureBlock : Block {
    explicit FeatureBlock(FeatureVisitor& owner) : visitor(owner), buffer(owner.options_.stop) {}

    void add(const DocumentView& document) override {
      const MemoryRoom::Part part =
          visitor.room_.take(extraction_bytes(document, visitor.extractor_.spec()));
      visitor.add(unique_features(visitor.extractor_, document, buffer).features(), collected);
      ++documents;
      if (part) buffer = FeatureBuffer(visitor.options_.stop);
    }

    // Only blocks that collect nothing may wait.
    std::uint64_t set_aside() override {
      buffer = FeatureBuffer(visitor.options_.stop);
      return sizeof *this;
    }

    FeatureVisitor& visitor;
    FeatureBuffer buffer;
    Collected collected;
    std::uint64_t documents = 0;
  };

  const SimilarityOptions& options_;
  std::string_view phase_;
  FeatureExtractor extractor_;
  MemoryRoom room_;
  std::uint64_t documents_ = 0;
  Pool<Block> blocks_;  // finished blocks are used again with their buffers
};

class CountVisitor : public FeatureVisitor {
 public:
  CountVisitor(const SimilarityOptions& options, internal::FrequencyCounter& counts)
      : FeatureVisitor(options, "count"), counts_(counts) {}

  // They collect nothing.
  bool blocks_may_wait() const override { return true; }

 private:
  void add(std::span<const std::uint64_t> features, Collected&) override { counts_.add(features); }

  internal::FrequencyCounter& counts_;
};

// Finds the features that most documents have: all with a frequency of at least a certain one,
// which is the least of 2 and more by which at most `most` are found. It begins with 2 and grows
// whenever too many have been found. So the result does not depend on the order.
class FrequentFeatures : public FeatureVisitor {
 public:
  FrequentFeatures(const SimilarityOptions& options, const internal::FrequencyCounter& counts,
                   std::size_t most)
      : FeatureVisitor(options, "gather"), counts_(counts), most_(most) {}

  struct Result {
    std::uint32_t least = 0;
    std::vector<DocumentFrequencies::Entry> entries;
  };
  Result finish() {
    shrink();
    Result out{least_, {}};
    for (const std::uint64_t feature : found_)
      out.entries.push_back({feature, counts_.estimate(feature)});
    return out;
  }

 private:
  void add(std::span<const std::uint64_t> features, Collected& out) override {
    for (const std::uint64_t feature : features)
      if (counts_.estimate(feature) >= least_) out.push_back(feature);
  }

  void take(Collected& collected) override {
    found_.insert(found_.end(), collected.begin(), collected.end());
    if (found_.size() > 4 * most_) shrink();
  }

  void shrink() {
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    if (found_.size() > most_) {
      std::vector<std::uint32_t> frequencies;
      for (const std::uint64_t feature : found_) frequencies.push_back(counts_.estimate(feature));
      const auto first_too_many = frequencies.begin() + static_cast<std::ptrdiff_t>(most_);
      std::nth_element(frequencies.begin(), first_too_many, frequencies.end(), std::greater<>());
      least_ = *first_too_many + 1;
    }
    std::erase_if(found_,
                  [&](std::uint64_t feature) { return counts_.estimate(feature) < least_; });
  }

  const internal::FrequencyCounter& counts_;
  std::size_t most_;
  std::atomic<std::uint32_t> least_ = 2;
  std::vector<std::uint64_t> found_;
};

}  // namespace

FeatureExtractor make_extractor(Corpus& corpus, const SimilarityOptions& options) {
  const FeatureSpec& spec = options.config.features;
  if (!spec.needs_frequencies()) return FeatureExtractor(spec);
  auto counts = std::make_shared<internal::FrequencyCounter>();
  CountVisitor visitor(options, *counts);
  corpus.scan(visitor, resolve_threads(options.threads));
  if (spec.tf_idf) {
    counts->finish(corpus.size());
  } else {
    counts->finish(corpus.size(), spec.drop_common);
  }
  return FeatureExtractor(spec, std::move(counts));
}

void read_corpus(Corpus& corpus, const FeatureExtractor& extractor, DocumentVisitor& visitor,
                 int threads) {
  if (extractor.frequencies()) {
    corpus.scan_again(visitor, threads);
  } else {
    corpus.scan(visitor, threads);
  }
}

std::shared_ptr<const DocumentFrequencies> count_frequencies(Corpus& corpus,
                                                             const SimilarityOptions& options) {
  FeatureSpec weighed = options.config.features;
  weighed.tf_idf = true;
  weighed.frequencies = nullptr;
  FeatureSpec::parse(weighed.str());  // throws if these cannot have +tf-idf
  internal::FrequencyCounter counts;
  CountVisitor visitor(options, counts);
  const int threads = resolve_threads(options.threads);
  corpus.scan(visitor, threads);
  if (corpus.size() == 0)
    throw Error(ErrorCode::kBadInput,
                "there are no documents, so nothing tells which features are rare");
  FrequentFeatures frequent(options, counts, DocumentFrequencies::kMostFeatures);
  corpus.scan_again(frequent, threads);
  FrequentFeatures::Result found = frequent.finish();
  // A counter can be too high, and a frequency cannot be above that of all documents.
  const std::uint32_t most = corpus.size();
  for (DocumentFrequencies::Entry& entry : found.entries)
    entry.documents = std::min(entry.documents, most);
  return DocumentFrequencies::make(without_frequencies(options.config.features), most,
                                   std::min(found.least - 1, most), std::move(found.entries));
}

}  // namespace benzer
