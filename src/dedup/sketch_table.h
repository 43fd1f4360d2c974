// What is known of all documents after the first pass: about 300 bytes each at 128 slots in 16
// bands.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "benzer/features.h"

#include "base/column_table.h"
#include "base/workspace.h"
#include "dedup/fingerprint.h"

namespace benzer {

struct DocumentFacts {
  FeatureFingerprint fingerprint;
  std::uint64_t bytes = 0;
  std::uint64_t group = 0;     // Fingerprinter::group()
  std::uint32_t features = 0;  // with repeats; 0: empty
  std::uint32_t is_short = 0;  // or 1
};

// What is known of some documents, as it goes into the table.
struct SketchRows {
  // A picture that is none.
  struct Problem {
    std::uint32_t place;  // among these documents
    std::string sentence;
  };
  std::vector<DocumentFacts> facts;
  std::vector<long double> numbers;              // number_fields of each document
  std::vector<std::uint8_t> cut;                 // the low byte of every slot of each document
  std::vector<std::vector<std::uint64_t>> keys;  // of each band: a key of each document
  std::vector<FeatureSet> sets;                  // where they are kept
  std::vector<Problem> problems;
  std::uint64_t replaced = 0;
  std::uint64_t only_common = 0;

  void clear();
};

class SketchTable {
 public:
  // bands and slots are 0 where only sets are kept.
  SketchTable(int bands, int slots, std::size_t number_fields, Workspace& workspace);

  // Takes the sets; the rest may be used again.
  void append(SketchRows& rows);
  // Leaves at most so many bytes of it in memory.
  void shrink(std::uint64_t bytes) { rows_.shrink(bytes); }
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(rows_.size()); }
  std::size_t bands() const noexcept { return bands_; }
  std::size_t slots() const noexcept { return slots_; }
  std::size_t number_fields() const noexcept { return number_fields_; }
  Workspace& workspace() const noexcept { return workspace_; }

  // Readers of one thread each; the row is the document's number.
  ColumnReader<DocumentFacts> facts() const { return {rows_, kFacts}; }
  // What keep rules ask for.
  ColumnReader<long double> numbers() const { return {rows_, kNumbers}; }
  // The cut signature: the low byte of every slot. Two different slots agree in it once in 256
  // times, so an estimate from it is never below the one from full slots.
  ColumnReader<std::uint8_t> cut_signatures() const { return {rows_, kCut}; }
  // Null if it is not in memory.
  const std::uint8_t* resident_cut_signature(std::uint32_t document) const noexcept {
    return static_cast<const std::uint8_t*>(rows_.resident(document, kCut));
  }
  ColumnReader<std::uint64_t> keys(std::size_t band) const { return {rows_, kKeys + band}; }

  std::vector<FeatureSet> sets;  // of each document; none if they are not kept

  bool has_secret_fingerprints = true;  // otherwise their key is known to others
  std::uint32_t references = 0;         // the first so many documents
  std::uint64_t replaced = 0;
  std::uint64_t only_common = 0;
  std::uint64_t undecodable = 0;
  std::uint32_t most_features = 0;  // of a document, repeats included
  std::uint64_t most_bytes = 0;     // of a document

 private:
  enum Column : std::size_t { kFacts, kNumbers, kCut, kKeys };

  std::size_t bands_, slots_, number_fields_;
  Workspace& workspace_;
  ColumnTable rows_;
};

}  // namespace benzer
