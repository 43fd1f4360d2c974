#include "dedup/sketch_pass.h"

#include <iterator>
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
    block.append_to(table_);
    table_.references = corpus_.references();
    if (options_.progress) options_.progress({"read", table_.size(), 0});
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(finished));
  }

 private:
  class SketchBlock : public Block {
   public:
    explicit SketchBlock(const SketchVisitor& visitor)
        : visitor_(visitor), slots_(static_cast<std::size_t>(visitor.minhasher_.slots())) {}

    void add(const DocumentView& document) override {
      if (visitor_.options_.config.features.is_text()) {
        visitor_.extractor_.extract(document.text, buffer_);
      } else {
        visitor_.extractor_.extract_values(document.values, buffer_);
      }
      const std::span<const std::uint64_t> features = buffer_.features();
      const std::uint64_t group = group_hash(document.group);
      facts_.push_back({fingerprint(features), document.bytes, group,
                        static_cast<std::uint32_t>(features.size()), buffer_.is_short()});
      // Documents of different groups are different sets and meet in no band.
      facts_.back().fingerprint.sum += group;
      add_numbers(document.numbers);
      only_common_ += buffer_.only_common();
      replaced_ += document.replaced || buffer_.replaced() > 0;
      if (visitor_.keep_sets_) {
        sets_.emplace_back(features);
        return;
      }
      visitor_.minhasher_.sketch(features, slots_);
      const std::size_t bands = static_cast<std::size_t>(visitor_.banding_.bands);
      keys_.resize(keys_.size() + bands);
      const std::span<std::uint64_t> keys = std::span(keys_).last(bands);
      visitor_.banding_.keys(slots_, keys);
      for (std::uint64_t& key : keys) key += group;
      for (const std::uint64_t slot : slots_) cut_.push_back(static_cast<std::uint8_t>(slot));
    }

    void add_numbers(std::span<const long double> numbers) {
      const std::size_t wanted = visitor_.table_.numbers.width();
      if (wanted == 0) return;
      for (std::size_t i = 0; i < wanted; ++i)
        numbers_.push_back(i < numbers.size() ? numbers[i]
                                              : std::numeric_limits<long double>::quiet_NaN());
    }

    void append_to(SketchTable& table) {
      table.replaced += replaced_;
      table.only_common += only_common_;
      table.facts.append(facts_.data(), facts_.size());
      if (table.numbers.width() > 0) table.numbers.append(numbers_.data(), facts_.size());
      if (visitor_.keep_sets_) {
        std::move(sets_.begin(), sets_.end(), std::back_inserter(table.sets));
      } else {
        table.keys.append(keys_.data(), facts_.size());
        table.cut_signatures.append(cut_.data(), facts_.size());
      }
      facts_.clear();
      numbers_.clear();
      keys_.clear();
      cut_.clear();
      sets_.clear();
      replaced_ = 0;
      only_common_ = 0;
    }

   private:
    const SketchVisitor& visitor_;
    FeatureBuffer buffer_;
    std::vector<std::uint64_t> slots_;
    std::vector<DocumentFacts> facts_;
    std::vector<long double> numbers_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint8_t> cut_;
    std::vector<FeatureSet> sets_;
    std::uint64_t replaced_ = 0;
    std::uint64_t only_common_ = 0;
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

SketchTable::SketchTable(int bands, int slots, std::size_t number_fields)
    : numbers(number_fields),
      keys(static_cast<std::size_t>(bands)),
      cut_signatures(static_cast<std::size_t>(slots)) {}

SketchTable sketch_corpus(Corpus& corpus, const SimilarityOptions& options,
                          const FeatureExtractor& extractor, const Banding& banding, bool keep_sets,
                          std::size_t number_fields) {
  SketchTable table(banding.bands, options.config.sketch.slots, number_fields);
  SketchVisitor visitor(options, extractor, banding, keep_sets, corpus, table);
  read_corpus(corpus, extractor, visitor, resolve_threads(options.threads));
  return table;
}

void check_stop(const SimilarityOptions& options) {
  if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed))
    throw Error(ErrorCode::kInterrupted, "interrupted");
}

}  // namespace benzer
