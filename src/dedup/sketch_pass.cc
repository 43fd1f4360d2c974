#include "dedup/sketch_pass.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/runtime.h"
#include "benzer/sketch.h"

#include "base/parallel.h"
#include "base/pool.h"
#include "base/record_log.h"
#include "dedup/anchors.h"
#include "dedup/count_pass.h"
#include "dedup/document.h"

namespace benzer {
namespace {

class SketchVisitor : public DocumentVisitor {
 public:
  SketchVisitor(const SketchTask& task, const Corpus& corpus, SketchTable& table,
                SimilarityCounts* counts = nullptr)
      : options_(task.options),
        banding_(task.banding()),
        sets_only_(task.sets_only),
        with_size_(task.with_size),
        keep_sets_(sets_only_ || options_.config.features.image()),
        count_unique_(with_size_ && !options_.config.features.image()),
        anchors_(task.anchors),
        corpus_(corpus),
        extractor_(task.extractor),
        minhasher_(options_.config.sketch, options_.config.features),
        fingerprinter_(task.fingerprint_key
                           ? Fingerprinter(*task.fingerprint_key)
                           : Fingerprinter(!corpus.saves() && !options_.keep_stages)),
        table_(table),
        room_(options_.memory_limit),
        counts_(counts) {}

  std::unique_ptr<Block> start_block() override {
    throw_if_stopped(options_.stop);
    return blocks_.take([this] { return std::make_unique<SketchBlock>(*this); });
  }

  std::string made_by() const override {
    std::string out =
        fmt::format("features={}\nsketch={}\nseed={}\n", options_.config.features.str(),
                    options_.config.sketch.str(), options_.config.features.seed);
    if (with_size_) out += "size=features\n";
    if (anchors_ > 0) out += fmt::format("anchors={}\n", anchors_);
    return out;
  }

  // The table keeps what the blocks hold, or a file their bytes.
  bool blocks_may_wait() const override { return true; }

  void finish_block(std::unique_ptr<Block> finished) override {
    auto& block = static_cast<SketchBlock&>(*finished);
    for (const SketchRows::Problem& problem : block.rows().problems) {
      const std::uint32_t document = table_.size() + problem.place;
      table_.undecodable += document >= corpus_.references();
      if (options_.problem) options_.problem(document, problem.sentence);
    }
    if (counts_ == nullptr) {
      table_.append(block.rows());
    } else {
      count(block.rows());
    }
    block.clear();
    // If large documents have set memory aside, less is left for the table.
    Workspace& workspace = table_.workspace();
    if (workspace.limited() && workspace.held() > workspace.tables_allowed())
      table_.shrink(workspace.tables_allowed());
    table_.has_secret_fingerprints = fingerprinter_.is_secret();
    if (options_.progress)
      options_.progress({"read", counts_ ? counts_->documents : table_.size(), 0});
    // Otherwise all blocks that waited at a time would keep their memory until the end.
    if (!block.was_set_aside()) blocks_.give(std::move(finished));
  }

 private:
  void count(const SketchRows& rows) {
    counts_->replaced += rows.replaced;
    for (const DocumentFacts& facts : rows.facts) count_document(facts, *counts_);
  }

  class SketchBlock : public Block {
   public:
    explicit SketchBlock(SketchVisitor& visitor)
        : visitor_(visitor),
          buffer_(visitor.options_.stop),
          slots_(visitor.anchors_ > 0 ? 0 : static_cast<std::size_t>(visitor.minhasher_.slots())),
          keys_(visitor.table_.bands()),
          anchors_(std::max(visitor.anchors_, 1), visitor.options_.config.features.seed) {
      rows_.keys.resize(visitor.table_.bands());
    }

    void add(const DocumentView& document) override {
      const std::uint64_t bytes = extraction_bytes(document, visitor_.extractor_.spec());
      const MemoryRoom::Part part = visitor_.room_.take(bytes);
      if (bytes > visitor_.room_.most())
        visitor_.table_.workspace().set_aside(bytes - visitor_.room_.most());
      add_features(document);
      if (part) buffer_ = FeatureBuffer(visitor_.options_.stop);
    }

    void add_features(const DocumentView& document) {
      // The group is part of the fingerprint and of the band keys, so documents of different groups
      // are different sets and share no key.
      const std::uint64_t group = visitor_.fingerprinter_.group(document.group);
      FeatureFingerprint print = visitor_.fingerprinter_.of_none(group);
      std::uint32_t count = 0;
      internal::UniqueFeatures set;
      std::fill(slots_.begin(), slots_.end(), kEmptySlot);
      anchors_.clear();
      const auto take = [&](std::span<const std::uint64_t> features) {
        throw_if_stopped(visitor_.options_.stop);
        visitor_.fingerprinter_.add(features, print);
        if (visitor_.keep_sets_ || visitor_.count_unique_) set.add(features);
        if (visitor_.anchors_ > 0) {
          anchors_.add(features);
        } else if (!visitor_.sets_only_) {
          sketch(features, count == 0);
        }
        count += static_cast<std::uint32_t>(features.size());
      };
      extract_features(visitor_.extractor_, document, buffer_, std::ref(take));
      rows_.facts.push_back({print, document.bytes, group, count, buffer_.is_short()});
      FeatureSet unique = set.take();
      add_numbers(document.numbers, visitor_.count_unique_ ? unique.size() : buffer_.pixels());
      rows_.only_common += buffer_.only_common();
      rows_.replaced += document.replaced || buffer_.replaced() > 0;
      if (!buffer_.problem().empty())
        rows_.problems.push_back(
            {static_cast<std::uint32_t>(rows_.facts.size() - 1), buffer_.problem()});
      if (visitor_.keep_sets_) rows_.sets.push_back(std::move(unique));
      if (visitor_.sets_only_) return;
      if (visitor_.anchors_ > 0) {
        add_anchors(group);
        return;
      }
      if (visitor_.corpus_.saves()) {
        // Only the low half of a slot is saved. So only that half makes the band keys, since loaded
        // documents must share keys with those that are read.
        for (std::uint64_t& slot : slots_) {
          saved_slots_.push_back(static_cast<std::uint32_t>(slot));
          slot = saved_slots_.back();
        }
      }
      add_slots(group);
    }

    SketchRows& rows() { return rows_; }

    std::uint64_t set_aside() override {
      was_set_aside_ = true;
      buffer_ = FeatureBuffer(visitor_.options_.stop);
      saved_slots_ = {};
      return rows_.shrink();
    }
    bool was_set_aside() const noexcept { return was_set_aside_; }

    void save(std::string& out) const override {
      FieldWriter fields(out);
      fields.list(rows_.facts);
      fields.list(rows_.numbers);
      if (visitor_.anchors_ > 0) {
        for (const std::vector<std::uint64_t>& keys : rows_.keys) fields.list(keys);
      } else {
        fields.list(saved_slots_);
      }
      fields.number(rows_.replaced);
    }

    void load(std::string_view bytes, std::size_t documents) override {
      FieldReader fields(bytes);
      fields.list(rows_.facts);
      fields.list(rows_.numbers);
      bool keys_are_right = true;
      if (visitor_.anchors_ > 0) {
        for (std::vector<std::uint64_t>& keys : rows_.keys) {
          fields.list(keys);
          keys_are_right &= keys.size() == documents;
        }
      } else {
        fields.list(saved_slots_);
        keys_are_right = saved_slots_.size() == documents * slots_.size();
      }
      rows_.replaced = fields.number();
      if (rows_.facts.size() != documents || !fields.at_end() || !keys_are_right ||
          rows_.numbers.size() != documents * visitor_.table_.number_fields())
        throw Error(ErrorCode::kCorrupt, "a stage holds other numbers of documents than it says");
      if (visitor_.anchors_ > 0) return;
      for (std::size_t i = 0; i < documents; ++i) {
        std::copy_n(saved_slots_.begin() + static_cast<std::ptrdiff_t>(i * slots_.size()),
                    slots_.size(), slots_.begin());
        add_slots(rows_.facts[i].group);
      }
    }

    // With a memory limit, blocks that wait for work hold no memory, since the number of documents
    // in a block varies.
    void clear() {
      if (visitor_.options_.memory_limit > 0) {
        rows_ = {};
        rows_.keys.resize(keys_.size());
        saved_slots_ = {};
      }
      rows_.clear();
      saved_slots_.clear();
    }

   private:
    void sketch(std::span<const std::uint64_t> features, bool first) {
      if (first) {
        visitor_.minhasher_.sketch(features, slots_);
      } else {
        visitor_.minhasher_.add(features, slots_);
      }
    }

    void add_slots(std::uint64_t group) {
      visitor_.banding_.keys(slots_, keys_);
      for (std::size_t band = 0; band < keys_.size(); ++band)
        rows_.keys[band].push_back(keys_[band] + group);
      for (const std::uint64_t slot : slots_) rows_.cut.push_back(static_cast<std::uint8_t>(slot));
    }

    // Fewer anchors than there are columns are followed by numbers that nothing reads.
    void add_anchors(std::uint64_t group) {
      std::size_t place = 0;
      anchors_.for_each(
          [&](std::uint64_t feature) { rows_.keys[place++].push_back(feature + group); });
      for (; place < keys_.size(); ++place) rows_.keys[place].push_back(0);
    }

    void add_numbers(std::span<const Number> numbers, std::uint64_t size) {
      const std::size_t fields = visitor_.table_.number_fields() - (visitor_.with_size_ ? 1 : 0);
      for (std::size_t i = 0; i < fields; ++i)
        rows_.numbers.push_back(i < numbers.size() ? numbers[i] : Number());
      if (visitor_.with_size_) rows_.numbers.emplace_back(size);
    }

    SketchVisitor& visitor_;
    FeatureBuffer buffer_;
    std::vector<std::uint64_t> slots_;
    std::vector<std::uint64_t> keys_;
    AnchorPicker anchors_;
    SketchRows rows_;
    std::vector<std::uint32_t> saved_slots_;  // the low halves of slots
    bool was_set_aside_ = false;
  };

  const SimilarityOptions& options_;
  Banding banding_;
  bool sets_only_, with_size_, keep_sets_;
  bool count_unique_;  // the size of a document is the number of its different features
  int anchors_;        // 0: band keys are kept
  const Corpus& corpus_;
  const FeatureExtractor& extractor_;
  MinHasher minhasher_;
  Fingerprinter fingerprinter_;
  SketchTable& table_;
  MemoryRoom room_;
  SimilarityCounts* counts_;  // not null: the rows are counted and not appended to the table
  Pool<Block> blocks_;        // finished blocks are used again with their buffers
};

SketchTable empty_table(const SketchTask& task, Workspace& workspace) {
  const bool has_slots = !task.sets_only && task.anchors == 0;
  return SketchTable(task.sets_only     ? 0
                     : task.anchors > 0 ? task.anchors
                                        : task.banding().bands,
                     has_slots ? task.options.config.sketch.slots : 0,
                     task.number_fields + (task.with_size ? 1 : 0), workspace);
}

}  // namespace

SketchTable sketch_corpus(Corpus& corpus, const SketchTask& task, Workspace& workspace) {
  SketchTable table = empty_table(task, workspace);
  SketchVisitor visitor(task, corpus, table);
  read_corpus(corpus, task.extractor, visitor, resolve_threads(task.options.threads));
  table.references = corpus.references();
  return table;
}

void sketch_to_save(Corpus& corpus, const SketchTask& task, SimilarityCounts& counts) {
  Workspace workspace;
  SketchTable table = empty_table(task, workspace);
  SketchVisitor visitor(task, corpus, table, &counts);
  corpus.scan(visitor, resolve_threads(task.options.threads));
}

void count_document(const DocumentFacts& facts, SimilarityCounts& counts) noexcept {
  ++counts.documents;
  counts.bytes += facts.bytes;
  counts.empty += facts.features == 0;
  counts.short_documents += facts.is_short;
}

}  // namespace benzer
