// Turns a document into its hashes: the features, cut signature and band keys of each field.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/features.h"
#include "benzer/schema.h"
#include "benzer/sketch.h"

#include "engine/attributes.h"
#include "engine/query_problems.h"
#include "store/store.h"

namespace benzer {

// Returns how many hashes a store keeps for each field of documents with this schema.
HashLayout layout_of(const Schema& completed) noexcept;

// Threads: immutable; share freely, with one Scratch per thread.
class Hasher {
 public:
  struct Scratch {
    // Hashing ends with Error(kInterrupted) when the flag, which may be null, turns true.
    void stop_when(const std::atomic<bool>* flag) noexcept {
      stop = flag;
      buffer.stop_when(flag);
    }
    const std::atomic<bool>* stop = nullptr;
    FeatureBuffer buffer;
    std::vector<std::uint64_t> slots;
    std::vector<std::uint64_t> keys;
  };

  explicit Hasher(const Schema& completed);
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  const Schema& schema() const noexcept { return schema_; }
  HashLayout layout() const noexcept { return layout_of(schema_); }
  const AttributeCodec& attributes() const noexcept { return codec_; }
  const FeatureExtractor& extractor(std::size_t field) const { return parts_[field].extractor; }

  // Returns what is wrong with the document, as a sentence; empty if nothing is.
  std::string check(const Document& document, bool needs_id) const;
  // Checks all documents, of which none needs an id.
  void check_queries(const std::vector<Document>& documents, QueryProblems& problems) const;

  // Hashes a document that has passed check(); fields without features are left out. Returns what
  // is wrong with its images or its attributes, as a sentence; empty if nothing is.
  std::string hash(const Document& document, Scratch& scratch, DocumentHashes& out) const;
  // The same without its attributes, which queries do not use.
  std::string hash_query(const Document& document, Scratch& scratch, DocumentHashes& out) const;

  struct Queries {
    std::vector<DocumentHashes> hashes;
    std::vector<const Document*> documents;  // what the hashes were made from
  };
  // Hashes those of the queries [begin, end) that have no problem.
  Queries hash_queries(const std::vector<Document>& documents, std::size_t begin, std::size_t end,
                       Scratch& scratch, QueryProblems& problems) const;

 private:
  std::string hash_fields(const Document& document, Scratch& scratch, DocumentHashes& out) const;
  std::string extract(const Field& field, std::size_t number, FeatureBuffer& out) const;
  struct FieldPart {
    FeatureExtractor extractor;
    MinHasher minhasher;
  };
  Schema schema_;
  AttributeCodec codec_{schema_};
  std::vector<FieldPart> parts_;
};

}  // namespace benzer
