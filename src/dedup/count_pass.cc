#include "dedup/count_pass.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "dedup/sketch_pass.h"
#include "features/common_features.h"

namespace benzer {
namespace {

FeatureSpec without_drop_common(FeatureSpec spec) {
  spec.drop_common = 0;
  return spec;
}

class CountVisitor : public DocumentVisitor {
 public:
  CountVisitor(const SimilarityOptions& options, internal::CommonFeatures& counts)
      : options_(options),
        extractor_(without_drop_common(options.config.features)),
        counts_(counts) {}

  std::unique_ptr<Block> start_block() override {
    check_stop(options_);
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<CountBlock>(*this);
    std::unique_ptr<Block> block = std::move(free_.back());
    free_.pop_back();
    return block;
  }

  void finish_block(std::unique_ptr<Block> finished) override {
    documents_ += std::exchange(static_cast<CountBlock&>(*finished).documents, 0);
    if (options_.progress) options_.progress({"count", documents_, 0});
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(finished));
  }

 private:
  struct CountBlock : Block {
    explicit CountBlock(CountVisitor& owner) : visitor(owner) {}

    void add(const DocumentView& document) override {
      if (visitor.extractor_.spec().is_text()) {
        visitor.extractor_.extract(document.text, buffer);
      } else {
        visitor.extractor_.extract_values(document.values, buffer);
      }
      visitor.counts_.add(FeatureSet(buffer.features()).features());
      ++documents;
    }

    CountVisitor& visitor;
    FeatureBuffer buffer;
    std::uint64_t documents = 0;
  };

  const SimilarityOptions& options_;
  FeatureExtractor extractor_;
  internal::CommonFeatures& counts_;
  std::uint64_t documents_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> free_;  // blocks keep their buffers for the next one
};

}  // namespace

FeatureExtractor make_extractor(Corpus& corpus, const SimilarityOptions& options) {
  const FeatureSpec& spec = options.config.features;
  if (spec.drop_common == 0) return FeatureExtractor(spec);
  auto counts = std::make_shared<internal::CommonFeatures>();
  CountVisitor visitor(options, *counts);
  corpus.scan(visitor, resolve_threads(options.threads));
  counts->finish(corpus.size(), spec.drop_common);
  return FeatureExtractor(spec, std::move(counts));
}

void read_corpus(Corpus& corpus, const FeatureExtractor& extractor, DocumentVisitor& visitor,
                 int threads) {
  if (extractor.common()) {
    corpus.scan_again(visitor, threads);
  } else {
    corpus.scan(visitor, threads);
  }
}

}  // namespace benzer
