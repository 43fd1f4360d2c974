#include "noted_corpus.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <string_view>

namespace benzer::python {
namespace {

std::uint64_t hash_of(const DocumentView& document) {
  std::uint64_t hash = 0;
  const auto add_word = [&](std::uint64_t word) {
    hash = std::rotl((hash ^ word) * 0x9e3779b97f4a7c15, 29);
  };
  const auto add = [&](std::string_view bytes) {
    add_word(bytes.size());
    add_word(std::hash<std::string_view>{}(bytes));
  };
  add(document.text);
  add_word(document.values.size());
  for (const std::string_view value : document.values) add(value);
  for (const double weight : document.weights) add_word(std::bit_cast<std::uint64_t>(weight));
  add(document.id);
  add(document.group);
  for (const Number& number : document.numbers)
    for (const std::uint64_t part : std::bit_cast<std::array<std::uint64_t, 2>>(number))
      add_word(part);
  return hash;
}

// Hands all documents on to another visitor, if there is one, and collects their hashes.
class NotingVisitor final : public DocumentVisitor {
 public:
  NotingVisitor(DocumentVisitor* next, std::vector<std::uint64_t>& hashes)
      : next_(next), hashes_(hashes) {}

  std::unique_ptr<Block> start_block() override {
    auto block = std::make_unique<Noted>();
    if (next_) block->next = next_->start_block();
    return block;
  }
  void finish_block(std::unique_ptr<Block> block) override {
    auto& noted = static_cast<Noted&>(*block);
    hashes_.insert(hashes_.end(), noted.hashes.begin(), noted.hashes.end());
    if (next_) next_->finish_block(std::move(noted.next));
  }
  bool blocks_may_wait() const override { return next_ && next_->blocks_may_wait(); }

 private:
  struct Noted final : Block {
    void add(const DocumentView& document) override {
      hashes.push_back(hash_of(document));
      if (next) next->add(document);
    }
    std::uint64_t set_aside() override {
      return (next ? next->set_aside() : 0) + hashes.capacity() * sizeof(std::uint64_t);
    }
    std::unique_ptr<Block> next;
    std::vector<std::uint64_t> hashes;
  };

  DocumentVisitor* next_;
  std::vector<std::uint64_t>& hashes_;
};

}  // namespace

void NotedCorpus::scan(DocumentVisitor& visitor, int threads) {
  NotingVisitor noting(&visitor, hashes_);
  corpus_->scan(noting, threads);
}

bool NotedCorpus::has_rows_of(ArrowOptions tables, int threads) const {
  ArrowCorpus corpus(std::move(tables));
  std::vector<std::uint64_t> hashes;
  NotingVisitor noting(nullptr, hashes);
  corpus.scan(noting, threads);
  return std::equal(hashes_.begin() + references(), hashes_.end(), hashes.begin(), hashes.end());
}

}  // namespace benzer::python
