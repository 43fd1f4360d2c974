#include "eval/compare_pass.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "benzer/runtime.h"

#include "base/parallel.h"
#include "base/pool.h"
#include "dedup/sketch_pass.h"
#include "eval/run_sketch.h"
#include "eval/sample_index.h"

namespace benzer {
namespace {

class CompareVisitor : public DocumentVisitor {
 public:
  CompareVisitor(const Corpus& corpus, const SimilarityOptions& options,
                 const FeatureExtractor& extractor, const std::vector<SampledDocument>& sample,
                 const ComparePassOptions& pass)
      : options_(options),
        extractor_(extractor),
        weighting_(weighting_of(options.config.features)),
        sample_(sample),
        pass_(pass),
        index_(features_of(sample, weighting_)),
        size_(corpus.size()) {
    const bool by_containment = options.measure == Measure::kContainment;
    if (pass.find && by_containment) {
      anchors_.emplace(options);
    } else if (pass.find) {
      sketcher_.emplace(options);
    }
    for (const SampledDocument& one : sample) {
      // J >= s needs at least s |A| common features, or weight. The slack is for the rounding of s.
      // Containment needs them of the smaller set only, which is the other one perhaps.
      sizes_.push_back(size_of(one.features.features(), weighting_));
      const double least =
          std::ceil(pass.least_similarity * static_cast<double>(sizes_.back()) - 1e-6);
      least_shared_.push_back(by_containment ? 1
                                             : static_cast<std::uint64_t>(std::max(1.0, least)));
      if (sketcher_) sketches_.push_back(sketcher_->sketch(one.features.features()));
    }
    counts_.references = corpus.references();
    counts_.documents = corpus.size() - corpus.references();
  }

  std::unique_ptr<Block> start_block() override {
    throw_if_stopped(options_.stop);
    return blocks_.take([this] { return std::make_unique<CompareBlock>(*this); });
  }

  void finish_block(std::unique_ptr<Block> finished) override {
    auto& block = static_cast<CompareBlock&>(*finished);
    block.hand_over(*this);
    if (options_.progress) options_.progress({"compare", next_document_, size_});
    blocks_.give(std::move(finished));
  }

  const ComparePassCounts& counts() const noexcept { return counts_; }

 private:
  static SampleIndex features_of(const std::vector<SampledDocument>& sample, Weighting weighting) {
    std::vector<std::span<const std::uint64_t>> sets;
    for (const SampledDocument& one : sample) sets.push_back(one.features.features());
    return SampleIndex(sets, weighting);
  }

  class CompareBlock : public Block {
   public:
    explicit CompareBlock(const CompareVisitor& visitor)
        : visitor_(visitor), buffer_(visitor.options_.stop), counter_(visitor.index_) {}

    void add(const DocumentView& document) override {
      const std::uint32_t position = documents_++;
      const bool takes_part = extract_participant(
          visitor_.extractor_, visitor_.options_.short_policy, document, buffer_);
      const std::span<const std::uint64_t> features = buffer_.features();
      if (features.empty()) empty_.push_back(position);
      if (buffer_.is_short()) short_.push_back(position);
      if (!takes_part) return;
      participants_.push_back({position, set_key(document, features), group_key(document.group)});
      compare(position, document, features);
    }

    void hand_over(CompareVisitor& to) {
      const std::uint32_t first = to.next_document_;
      const std::uint64_t references = to.counts_.references;
      const auto no_reference = [&](std::uint32_t position) {
        return first + position >= references;
      };
      to.counts_.empty += std::count_if(empty_.begin(), empty_.end(), no_reference);
      to.counts_.short_documents += std::count_if(short_.begin(), short_.end(), no_reference);
      to.counts_.taking_part += participants_.size();
      auto met = meetings_.begin();
      for (Participant& participant : participants_) {
        const std::uint32_t position = participant.document;
        participant.document += first;
        if (to.pass_.participant) to.pass_.participant(participant);
        for (; met != meetings_.end() && met->document == position; ++met) {
          const std::uint32_t other = to.sample_[met->sampled].document;
          met->document = participant.document;
          if (other == met->document || (other < references && met->document < references))
            continue;
          if (to.pass_.meeting) to.pass_.meeting(*met);
        }
      }
      to.next_document_ += documents_;
      documents_ = 0;
      empty_.clear();
      short_.clear();
      participants_.clear();
      meetings_.clear();
    }

   private:
    void compare(std::uint32_t position, const DocumentView& document,
                 std::span<const std::uint64_t> features) {
      std::optional<FeatureSet> unique;
      std::optional<std::uint64_t> size;
      std::optional<RunSketch> sketch;
      for (const std::uint32_t s : counter_.count(features)) {
        const SampledDocument& other = visitor_.sample_[s];
        const std::uint64_t shared = counter_.shared(s);
        if (shared < visitor_.least_shared_[s] || document.group != other.group) continue;
        if (!size) {
          unique.emplace(features);
          size = size_of(unique->features(), visitor_.weighting_);
        }
        const std::uint64_t size_of_other = visitor_.sizes_[s];
        Meeting met{position, s, {shared, *size + size_of_other - shared}};
        met.equal = met.overlap.set_union == shared;
        if (visitor_.options_.measure == Measure::kContainment)
          met.overlap.set_union = std::min(*size, size_of_other);
        met.similar =
            visitor_.options_.threshold.reached(met.overlap.intersection, met.overlap.set_union);
        if (!met.similar && met.score() < visitor_.pass_.least_similarity) continue;
        if (met.similar && visitor_.anchors_) {
          met.found = visitor_.anchors_->finds(unique->features(), other.features.features());
        } else if (met.similar && visitor_.sketcher_) {
          if (!sketch) sketch = visitor_.sketcher_->sketch(features);
          met.found = visitor_.sketcher_->finds(*sketch, visitor_.sketches_[s]);
        }
        meetings_.push_back(met);
      }
    }

    const CompareVisitor& visitor_;
    FeatureBuffer buffer_;
    SharedCounter counter_;
    // Numbers are relative to the block until it is handed over.
    std::uint32_t documents_ = 0;
    std::vector<std::uint32_t> empty_, short_;
    std::vector<Participant> participants_;
    std::vector<Meeting> meetings_;
  };

  const SimilarityOptions& options_;
  const FeatureExtractor& extractor_;
  Weighting weighting_;
  const std::vector<SampledDocument>& sample_;
  const ComparePassOptions& pass_;
  SampleIndex index_;
  std::optional<RunSketcher> sketcher_;
  std::optional<RunAnchors> anchors_;        // with containment
  std::vector<RunSketch> sketches_;          // of the sample
  std::vector<std::uint64_t> sizes_;         // of the sample
  std::vector<std::uint64_t> least_shared_;  // with each sampled document
  std::uint64_t size_ = 0;
  std::uint32_t next_document_ = 0;
  ComparePassCounts counts_;
  Pool<Block> blocks_;  // finished blocks, whose buffers are used again
};

}  // namespace

ComparePassCounts compare_with_sample(Corpus& corpus, const SimilarityOptions& options,
                                      const FeatureExtractor& extractor,
                                      const std::vector<SampledDocument>& sample,
                                      const ComparePassOptions& pass) {
  CompareVisitor visitor(corpus, options, extractor, sample, pass);
  corpus.scan_again(visitor, resolve_threads(options.threads));
  return visitor.counts();
}

}  // namespace benzer
