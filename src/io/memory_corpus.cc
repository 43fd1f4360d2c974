#include <algorithm>
#include <numeric>
#include <utility>

#include "benzer/corpus.h"
#include "benzer/error.h"
#include "benzer/internal/json.h"

#include "base/parallel.h"
#include "io/line_index.h"
#include "io/second_scan.h"

namespace benzer {

// Reads entries as documents; holds the views of a value set until the next one is read.
class MemoryReader final : public Corpus::Reader {
 public:
  explicit MemoryReader(const MemoryCorpus& corpus) : corpus_(corpus) {}

  DocumentView read(std::uint32_t document) override {
    const MemoryCorpus::Entry& entry = corpus_.entries_[document];
    values_.assign(entry.values.begin(), entry.values.end());
    DocumentView view;
    view.text = entry.text;
    view.values = values_;
    view.weights = entry.weights;
    view.bytes = entry.text.size();
    for (const std::string_view value : values_) view.bytes += value.size();
    view.id = entry.id;
    view.group = entry.fields.group;
    view.numbers = entry.fields.numbers;
    return view;
  }

 private:
  const MemoryCorpus& corpus_;
  std::vector<std::string_view> values_;
};

std::span<const std::string> Corpus::sources() const {
  static const std::string kNameless;
  return {&kNameless, 1};
}

void Corpus::scan_again(DocumentVisitor& visitor, int threads) {
  std::vector<std::uint32_t> all(size());
  std::iota(all.begin(), all.end(), std::uint32_t{0});
  prepare(all);
  read_in_blocks(visitor, size(), resolve_threads(threads), [this] { return reader(); });
}

void MemoryCorpus::add(Entry entry) {
  LineIndex::check_count(entries_.size() + std::uint64_t{1});
  inputs_have_ids_ |= !entry.id.empty();
  entries_.push_back(std::move(entry));
}

void MemoryCorpus::add_text(std::string id, std::string text, KeepFields fields) {
  add({std::move(id), std::move(text), {}, {}, std::move(fields)});
}

void MemoryCorpus::add_values(std::string id, std::vector<std::string> values, KeepFields fields) {
  add_weighted_values(std::move(id), std::move(values), {}, std::move(fields));
}

void MemoryCorpus::add_weighted_values(std::string id, std::vector<std::string> values,
                                       std::vector<double> weights, KeepFields fields) {
  add({std::move(id), {}, std::move(values), std::move(weights), std::move(fields)});
}

void MemoryCorpus::end_references() {
  references_ = size();
  references_have_ids_ |= std::exchange(inputs_have_ids_, false);
}

void MemoryCorpus::scan(DocumentVisitor& visitor, int threads) {
  read_in_blocks(visitor, size(), resolve_threads(threads), [this] { return reader(); });
}

std::uint32_t MemoryCorpus::size() const noexcept {
  return static_cast<std::uint32_t>(entries_.size());
}

DocumentLabel MemoryCorpus::label(std::uint32_t document) const {
  const Entry& entry = entries_[document];
  if (!entry.id.empty()) return {json_string(entry.id), {}, 0};
  // A number could be the id of another document.
  const bool has_ids = document < references_ ? references_have_ids_ : inputs_have_ids_;
  return {has_ids ? "null" : std::to_string(document), {}, 0};
}

std::unique_ptr<Corpus::Reader> MemoryCorpus::reader() const {
  return std::make_unique<MemoryReader>(*this);
}

}  // namespace benzer
