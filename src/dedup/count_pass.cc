#include "dedup/count_pass.h"

#include <memory>
#include <utility>

#include "benzer/runtime.h"

#include "base/parallel.h"
#include "base/pool.h"
#include "base/workspace.h"
#include "dedup/document.h"
#include "dedup/sketch_pass.h"
#include "features/document_frequencies.h"

namespace benzer {
namespace {

// Returns the features that are counted.
FeatureSpec without_frequencies(FeatureSpec spec) {
  spec.drop_common = 0;
  spec.tf_idf = false;
  return spec;
}

class CountVisitor : public DocumentVisitor {
 public:
  CountVisitor(const SimilarityOptions& options, internal::DocumentFrequencies& counts)
      : options_(options),
        extractor_(without_frequencies(options.config.features)),
        counts_(counts),
        room_(options.memory_limit) {}

  std::unique_ptr<Block> start_block() override {
    throw_if_stopped(options_.stop);
    return blocks_.take([this] { return std::make_unique<CountBlock>(*this); });
  }

  void finish_block(std::unique_ptr<Block> finished) override {
    documents_ += std::exchange(static_cast<CountBlock&>(*finished).documents, 0);
    if (options_.progress) options_.progress({"count", documents_, 0});
    blocks_.give(std::move(finished));
  }

 private:
  struct CountBlock : Block {
    explicit CountBlock(CountVisitor& owner) : visitor(owner), buffer(owner.options_.stop) {}

    void add(const DocumentView& document) override {
      const MemoryRoom::Part part =
          visitor.room_.take(extraction_bytes(document, visitor.extractor_.spec()));
      visitor.counts_.add(unique_features(visitor.extractor_, document, buffer).features());
      ++documents;
      if (part) buffer = FeatureBuffer(visitor.options_.stop);
    }

    CountVisitor& visitor;
    FeatureBuffer buffer;
    std::uint64_t documents = 0;
  };

  const SimilarityOptions& options_;
  FeatureExtractor extractor_;
  internal::DocumentFrequencies& counts_;
  MemoryRoom room_;
  std::uint64_t documents_ = 0;
  Pool<Block> blocks_;  // finished blocks are used again with their buffers
};

}  // namespace

FeatureExtractor make_extractor(Corpus& corpus, const SimilarityOptions& options) {
  const FeatureSpec& spec = options.config.features;
  if (!spec.needs_frequencies()) return FeatureExtractor(spec);
  auto counts = std::make_shared<internal::DocumentFrequencies>();
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

}  // namespace benzer
