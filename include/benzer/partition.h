// The steps of a run on documents that are on several machines, each done where its documents are.
//
// They decide nothing. They find which documents must be looked at together: whatever pair
// deduplicate() could find, both its documents are in one component. So deduplicate() of some whole
// components removes what deduplicate() of all documents removes of these, with the same keepers
// and scores. (Only its limits of effort, which are for each call, are further away.)
//
//   sketch_partition()          what pass 1 knows of each document
//   pack_keys()                 the keys of bands, divided among machines so that equal ones meet
//   KeyBuckets                  the pairs that share a key, or the whole bucket if it is large
//   near_signatures(),          of these, the pairs that pass the check of pass 2
//   connect_near_signatures()
//   Connections                 the components of the pairs
//
// benzer.spark (python/benzer/spark.py) is made of them. Documents have numbers of 64 bits, which
// the caller gives them; nothing here depends on what they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benzer/dedup.h"

namespace benzer {

// A random number that all machines of a run share, and nobody else knows: who knows it can write
// texts that share nothing and have equal fingerprints.
struct PartitionKey {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

// What is known of the documents of a part, in their order.
struct PartitionSketches {
  std::size_t bands = 0;  // keys of each document
  std::size_t slots = 0;  // bytes of its cut signature
  // Two numbers for each document, equal for documents of the same group with the same features,
  // counted as often as they occur.
  std::vector<std::uint64_t> fingerprints;
  std::vector<std::uint64_t> keys;
  // The low byte of every slot of the signature.
  std::vector<std::uint8_t> cut;
  // Length of its text (or values), in bytes.
  std::vector<std::uint64_t> bytes;
  // Whether it takes part in pairs: it has features, and is not short if short documents are kept
  // or dropped.
  std::vector<std::uint8_t> takes_part;
  std::vector<std::uint8_t> is_short;
  // Their numbers: documents, bytes, empty, short_documents, replaced; config and recall.
  SimilarityCounts counts;
};

// Sketches the documents of a corpus without references. Throws what deduplicate() throws, and
// Error(kInvalidArgument) for features that need to know all documents (+drop-common, +tf-idf
// without frequencies) and for features of pictures.
PartitionSketches sketch_partition(Corpus& corpus, const DedupOptions& options,
                                   const PartitionKey& key);

// Divides entries (a key and the document that has it) among parts by their keys, and packs those
// of each part into about 6 bytes each, of which 5 are the key's: entries of one part with
// different keys are taken for equal once in 2^40 times. keys: as many for each document as there
// are bands. documents: ascending numbers make it smallest. parts: at least 1.
std::vector<std::string> pack_keys(std::span<const std::uint64_t> keys,
                                   std::span<const std::uint64_t> documents, std::size_t parts);

// Two documents.
struct DocumentPair {
  std::uint64_t a = 0;  // below b
  std::uint64_t b = 0;
  friend auto operator<=>(const DocumentPair&, const DocumentPair&) = default;
};

// An entry of a bucket.
struct KeyEntry {
  std::uint64_t key = 0;
  std::uint64_t document = 0;
  friend auto operator<=>(const KeyEntry&, const KeyEntry&) = default;
};

// Finds the documents that share a key. Memory: 16 bytes an entry, and the pairs. Threads: one.
class KeyBuckets {
 public:
  // What find() has found.
  struct Found {
    // All pairs of documents in a bucket of at most `most` of them, each once, sorted.
    std::vector<DocumentPair> pairs;
    // The entries of larger buckets, sorted.
    std::vector<KeyEntry> large;
  };

  // Adds what pack_keys() has made for one part. Throws Error(kCorrupt) for other bytes.
  void add(std::string_view packed);
  // Call it once, at the end.
  Found find(std::size_t most);

 private:
  std::vector<KeyEntry> entries_;
};

// Returns, for each pair of signatures, 1 if deduplicate() would compare the documents exactly,
// else 0. a, b: cut signatures of options.config.sketch.slots bytes each, as many on both sides;
// throws Error(kInvalidArgument) for other sizes.
std::vector<std::uint8_t> near_signatures(const SimilarityOptions& options,
                                          std::span<const std::uint8_t> a,
                                          std::span<const std::uint8_t> b);

// Joins the documents of a bucket whose signatures pass that check. Returns pairs of places that
// connect the same documents as all pairs that pass, at most one for each document. Cost: 3 ns for
// each two of them.
std::vector<std::pair<std::uint32_t, std::uint32_t>> connect_near_signatures(
    const SimilarityOptions& options, std::span<const std::uint8_t> cut);

// Finds the components of pairs. Memory: 16 bytes a pair. Threads: one.
class Connections {
 public:
  void add(std::span<const DocumentPair> pairs);
  // Returns each document that is in a pair, as `b`, and the lowest document of its component, as
  // `a`; the lowest itself is paired with itself. Sorted by document. Call it once, at the end.
  std::vector<DocumentPair> components();

 private:
  std::vector<DocumentPair> pairs_;
};

}  // namespace benzer
