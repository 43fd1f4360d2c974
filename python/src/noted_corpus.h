// Notes what the documents of a table were, so that the rows that a caller gives later can be told
// from other ones.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benzer/arrow.h"
#include "benzer/corpus.h"

namespace benzer::python {

// A corpus of tables that notes a hash of each document when it is scanned first: of its text or
// values, id, group and numbers. Memory: 8 bytes for each document.
class NotedCorpus final : public Corpus {
 public:
  explicit NotedCorpus(std::unique_ptr<Corpus> corpus) : corpus_(std::move(corpus)) {}

  // Whether these tables have the documents that this corpus has after its references, in the same
  // order. It reads the tables once.
  bool has_rows_of(ArrowOptions tables, int threads) const;

  void scan(DocumentVisitor& visitor, int threads) override;
  std::uint32_t size() const noexcept override { return corpus_->size(); }
  DocumentLabel label(std::uint32_t document) const override { return corpus_->label(document); }
  std::string id_format(bool with_references) const override {
    return corpus_->id_format(with_references);
  }
  std::uint32_t references() const noexcept override { return corpus_->references(); }
  std::span<const std::string> sources() const override { return corpus_->sources(); }
  std::uint32_t source_of(std::uint32_t document) const override {
    return corpus_->source_of(document);
  }
  void prepare(std::span<const std::uint32_t> documents) override { corpus_->prepare(documents); }
  void scan_again(DocumentVisitor& visitor, int threads) override {
    corpus_->scan_again(visitor, threads);
  }
  std::unique_ptr<Reader> reader() const override { return corpus_->reader(); }

 private:
  std::unique_ptr<Corpus> corpus_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace benzer::python
