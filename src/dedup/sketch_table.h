// Stores what the first pass finds out about all documents: about 300 bytes each at 128 slots in 16
// bands.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "benzer/features.h"
#include "benzer/number.h"

#include "base/column_table.h"
#include "base/workspace.h"
#include "dedup/fingerprint.h"

namespace benzer {

struct DocumentFacts {
  FeatureFingerprint fingerprint;
  std::uint64_t bytes = 0;
  std::uint64_t group = 0;     // Fingerprinter::group()
  std::uint32_t features = 0;  // with repeats; 0: empty
  std::uint32_t is_short = 0;  // 0 or 1
};

// The rows of some documents, before they are appended to the table.
struct SketchRows {
  // Why an image cannot be decoded.
  struct Problem {
    std::uint32_t place;  // among these documents
    std::string sentence;
  };
  std::vector<DocumentFacts> facts;
  std::vector<Number> numbers;                   // number_fields of each document
  std::vector<std::uint8_t> cut;                 // the low byte of every slot of each document
  std::vector<std::vector<std::uint64_t>> keys;  // of each band: a key of each document
  std::vector<FeatureSet> sets;                  // of each document; empty if they are not kept
  std::vector<Problem> problems;
  std::uint64_t replaced = 0;
  std::uint64_t only_common = 0;

  void clear();
  // Gives unused memory back, and returns how many bytes are left.
  std::uint64_t shrink();
};

class SketchTable {
 public:
  // bands and slots are 0 if only sets are kept.
  SketchTable(int bands, int slots, std::size_t number_fields, Workspace& workspace);

  // Appends the rows. Moves the sets out of them; the other vectors stay as they are.
  void append(SketchRows& rows);
  // Writes rows to a file until at most this many bytes of the table are in memory.
  void shrink(std::uint64_t bytes) { rows_.shrink(bytes); }
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(rows_.size()); }
  std::size_t bands() const noexcept { return bands_; }
  std::size_t slots() const noexcept { return slots_; }
  std::size_t number_fields() const noexcept { return number_fields_; }
  Workspace& workspace() const noexcept { return workspace_; }

  // The columns, in which the row is the document's number. Each reader is for one thread.
  ColumnReader<DocumentFacts> facts() const { return {rows_, kFacts}; }
  // The numbers of the fields that keep rules name, and then the size of the document if it is
  // asked for: the pixels of a picture, or the number of different features.
  ColumnReader<Number> numbers() const { return {rows_, kNumbers}; }
  // Returns how many different features each document has, which must have been asked for.
  std::vector<std::uint32_t> feature_counts() const;
  // The cut signature: the low byte of every slot. Two different slots agree in it once in 256
  // times, so an estimate from it is never below the one from full slots.
  ColumnReader<std::uint8_t> cut_signatures() const { return {rows_, kCut}; }
  // Returns null if the signature is not in memory.
  const std::uint8_t* resident_cut_signature(std::uint32_t document) const noexcept {
    return static_cast<const std::uint8_t*>(rows_.resident(document, kCut));
  }
  // With containment: the anchors in place of band keys.
  ColumnReader<std::uint64_t> keys(std::size_t band) const { return {rows_, kKeys + band}; }

  std::vector<FeatureSet> sets;  // of each document; empty if they are not kept

  bool has_secret_fingerprints = true;  // false: others can know the key of the fingerprints
  std::uint32_t references = 0;         // this many documents, the first ones, are references
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
