#include "dedup/sketch_pass.h"

#include <limits>
#include <mutex>

#include <xxhash.h>

#include "benzer/error.h"
#include "benzer/sketch.h"

#include "base/parallel.h"
#include "dedup/count_pass.h"

namespace benzer {
namespace {

FeatureFingerprint fingerprint(std::span<const std::uint64_t> features) {
  FeatureFingerprint print;
  for (const std::uint64_t feature : features) {
    print.sum += feature;
    // A second, independent sum: one widening multiplication of the two halves vectorises
    // everywhere.
    const std::uint64_t low = static_cast<std::uint32_t>(feature ^ 0x9E3779B9u);
    const std::uint64_t high = feature >> 32;
    print.product_sum += low * high + (feature >> 17);
  }
  return print;
}

std::uint64_t group_hash(std::string_view group) {
  return group.empty() ? 0 : XXH3_64bits(group.data(), group.size());
}

class SketchVisitor : public DocumentVisitor {
 public:
  SketchVisitor(const SimilarityOptions& options, const FeatureExtractor& extractor,
                const Banding& banding, bool keep_sets, const Corpus& corpus, SketchTable& table)
      : options_(options),
        banding_(banding),
        keep_sets_(keep_sets),
        corpus_(corpus),
        extractor_(extractor),
        minhasher_(options.config.sketch, options.config.features),
        table_(table) {}

  std::unique_ptr<Block> start_block() override {
    check_stop(options_);
    std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<SketchBlock>(*this);
    std::unique_ptr<Block> block = std::move(free_.back());
    free_.pop_back();
    return block;
  }

  void finish_block(std::unique_ptr<Block> finished) override {
    auto& block = static_cast<SketchBlock&>(*finished);
    table_.append(block.rows());
    block.rows().clear();
    table_.references = corpus_.references();
    if (options_.progress) options_.progress({"read", table_.size(), 0});
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(finished));
  }

 private:
  class SketchBlock : public Block {
   public:
    explicit SketchBlock(const SketchVisitor& visitor)
        : visitor_(visitor),
          slots_(static_cast<std::size_t>(visitor.minhasher_.slots())),
          keys_(visitor.table_.bands()) {
      rows_.keys.resize(visitor.table_.bands());
    }

    void add(const DocumentView& document) override {
      if (visitor_.options_.config.features.is_text()) {
        visitor_.extractor_.extract(document.text, buffer_);
      } else {
        visitor_.extractor_.extract_values(document.values, buffer_);
      }
      const std::span<const std::uint64_t> features = buffer_.features();
      const std::uint64_t group = group_hash(document.group);
      rows_.facts.push_back({fingerprint(features), document.bytes, group,
                             static_cast<std::uint32_t>(features.size()), buffer_.is_short()});
      // Documents of different groups are different sets and meet in no band.
      rows_.facts.back().fingerprint.sum += group;
      add_numbers(document.numbers);
      rows_.only_common += buffer_.only_common();
      rows_.replaced += document.replaced || buffer_.replaced() > 0;
      if (visitor_.keep_sets_) {
        rows_.sets.emplace_back(features);
        return;
      }
      visitor_.minhasher_.sketch(features, slots_);
      visitor_.banding_.keys(slots_, keys_);
      for (std::size_t band = 0; band < keys_.size(); ++band)
        rows_.keys[band].push_back(keys_[band] + group);
      for (const std::uint64_t slot : slots_) rows_.cut.push_back(static_cast<std::uint8_t>(slot));
    }

    SketchRows& rows() { return rows_; }

   private:
    void add_numbers(std::span<const long double> numbers) {
      for (std::size_t i = 0; i < visitor_.table_.number_fields(); ++i)
        rows_.numbers.push_back(i < numbers.size() ? numbers[i]
                                                   : std::numeric_limits<long double>::quiet_NaN());
    }

    const SketchVisitor& visitor_;
    FeatureBuffer buffer_;
    std::vector<std::uint64_t> slots_;
    std::vector<std::uint64_t> keys_;
    SketchRows rows_;
  };

  const SimilarityOptions& options_;
  Banding banding_;
  bool keep_sets_;
  const Corpus& corpus_;
  const FeatureExtractor& extractor_;
  MinHasher minhasher_;
  SketchTable& table_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> free_;  // blocks keep their buffers for the next one
};

}  // namespace

SketchTable sketch_corpus(Corpus& corpus, const SimilarityOptions& options,
                          const FeatureExtractor& extractor, const Banding& banding, bool keep_sets,
                          std::size_t number_fields, Workspace& workspace) {
  SketchTable table(keep_sets ? 0 : banding.bands, keep_sets ? 0 : options.config.sketch.slots,
                    number_fields, workspace);
  SketchVisitor visitor(options, extractor, banding, keep_sets, corpus, table);
  read_corpus(corpus, extractor, visitor, resolve_threads(options.threads));
  return table;
}

void check_stop(const SimilarityOptions& options) {
  if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed))
    throw Error(ErrorCode::kInterrupted, "interrupted");
}

}  // namespace benzer
