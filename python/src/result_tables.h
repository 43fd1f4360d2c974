// Makes tables of what a run has found.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <nanobind/nanobind.h>

#include "benzer/dedup.h"
#include "benzer/passages.h"

namespace benzer::python {

// All functions are called with the GIL, but for PassageTable::add().

// The removed documents, each with its keeper and score; of components also the linking document.
nanobind::object removed_table(const Corpus& corpus, const DedupResult& result);
// Every cluster with its documents, the kept one first.
nanobind::object clusters_table(const Corpus& corpus, const DedupResult& result,
                                const Clusters& clusters);
// The columns that annotate the documents that are no references.
nanobind::object annotations_table(const Corpus& corpus, const DedupResult& result,
                                   const Clusters& clusters);
// for_each calls what it is given with each pair. With containment both shares are columns.
nanobind::object pairs_table(
    const Corpus& corpus,
    const std::function<void(const std::function<void(const FoundPair&)>&)>& for_each,
    Measure measure);

// A row for each passage: its document and place, its first place, and its text.
class PassageTable {
 public:
  // corpus: that of find_passages().
  explicit PassageTable(const Corpus& corpus);
  ~PassageTable();
  PassageTable(const PassageTable&) = delete;
  PassageTable& operator=(const PassageTable&) = delete;

  void add(const Passage& passage);
  // Makes the table, once.
  nanobind::object take();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// One byte for each document that is no reference: 1 if it is kept.
nanobind::bytes kept_mask(const Corpus& corpus, const DedupResult& result);
// Documents of each source, references first.
std::vector<std::uint64_t> source_sizes(const Corpus& corpus, const DedupResult& result);

}  // namespace benzer::python
