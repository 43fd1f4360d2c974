// Makes tables of what a run has found.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "benzer/dedup.h"
#include "benzer/passages.h"

#include "columns.h"

namespace benzer::python {

// All functions are called with the GIL, but for add() of the classes.

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

// A row for each passage: its document and place, and its first place. The last column is its text;
// where passages are removed, how many words of the first place are left.
class PassageTable {
 public:
  // corpus: that of find_passages(). removal: null if nothing is removed.
  explicit PassageTable(const Corpus& corpus, const PassageRemoval* removal = nullptr);
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

// A row for each part that is cut out of a document, and one for what else a dropped one had.
class CutTable {
 public:
  explicit CutTable(const Corpus& corpus);
  ~CutTable();
  CutTable(const CutTable&) = delete;
  CutTable& operator=(const CutTable&) = delete;

  // text: of the document.
  void add(const DocumentCuts& document, std::string_view text);
  // Makes the table, once.
  nanobind::object take();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The new texts of documents that lose something and are kept: a table with the column `text`.
class EditedTexts {
 public:
  void add(const DocumentCuts& document, std::string_view text);
  nanobind::object take();

 private:
  Column text_{"text", Column::Kind::kText};
};

// One byte for each document that is no reference: 1 if it is kept.
nanobind::bytes kept_mask(const Corpus& corpus, const PassageRemoval& removal);
// One byte for each document that is kept and no reference: 1 if it loses something.
nanobind::bytes edited_mask(const Corpus& corpus, const PassageRemoval& removal);
nanobind::bytes kept_mask(const Corpus& corpus, const DedupResult& result);
// Documents of each source, references first.
std::vector<std::uint64_t> source_sizes(const Corpus& corpus, const DedupResult& result);

}  // namespace benzer::python
