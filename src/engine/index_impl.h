// What an open index consists of: the hasher of its schema, its store, and what people decided.
// index.cc opens it and asks, index_writing.cc changes it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "benzer/index.h"
#include "benzer/runtime.h"

#include "base/pipeline.h"
#include "base/pool.h"
#include "engine/decision_book.h"
#include "engine/hasher.h"
#include "engine/open_store.h"
#include "store/store.h"

namespace benzer {

class Search;

struct Index::Impl {
  // Documents that are hashed and written at a time: enough that taking the lock costs little, and
  // few enough that their hashes are still in the CPU's caches when they are written.
  static constexpr std::size_t kPiece = 64;

  explicit Impl(const Schema& completed);  // in memory
  Impl(OpenedStore opened, const std::string& decisions_file, const OpenOptions& options);

  // Returns the matches of each query. documents: what the hashes were made from; empty if that is
  // not known. counts may be null.
  std::vector<std::vector<Match>> search(const Search& search, StoreReader& reader,
                                         std::span<const DocumentHashes> hashes,
                                         std::span<const Document* const> documents,
                                         SimilarCounts* counts) const;

  // Takes working memory that stops at the flag, or without one at that of the index.
  std::unique_ptr<Hasher::Scratch> take_scratch(const std::atomic<bool>* own_stop) const;

  // Hashes the documents in parallel and meanwhile calls take(begin, hashes) for one piece after
  // the other, in order. Sets problems[i] to why document i cannot be hashed, or to an empty
  // string; take() must skip documents that have a problem.
  template <class Take>
  void hash_in_order(const std::vector<Document>& documents, int threads,
                     const std::atomic<bool>* own_stop, std::vector<std::string>& problems,
                     Take take) const {
    struct Piece {
      std::size_t begin = 0;
      std::vector<DocumentHashes> hashes;
    };
    problems.resize(documents.size());
    std::size_t next = 0;
    ordered_pipeline<Piece>(
        // Hashing one piece takes less time than waking threads.
        documents.size() <= kPiece ? 1 : resolve_threads(threads),
        [&](Piece& piece) {
          piece.begin = next;
          piece.hashes.resize(std::min(kPiece, documents.size() - next));
          next += piece.hashes.size();
          return !piece.hashes.empty();
        },
        [&](Piece& piece) {
          auto scratch = take_scratch(own_stop);
          for (std::size_t i = 0; i < piece.hashes.size(); ++i) {
            const Document& document = documents[piece.begin + i];
            std::string& problem = problems[piece.begin + i];
            problem = hasher.check(document, true);
            if (problem.empty()) problem = hasher.hash(document, *scratch, piece.hashes[i]);
          }
          scratches.give(std::move(scratch));
        },
        [&](Piece& piece) { take(piece.begin, piece.hashes); });
  }

  // Hashes a query. Throws Error(kInvalidArgument) for a document that does not fit the schema, and
  // Error(kBadInput) for an image that cannot be read or decoded.
  DocumentHashes hash_query(const Document& document, const std::atomic<bool>* own_stop) const;

  std::unique_ptr<StoreReader> reader(const std::atomic<bool>* own_stop = nullptr) const;
  Store& store() const;

  // A forked process has the same files and connections, and none of the threads.
  bool is_forked() const noexcept;
  void check_process() const;
  void check_writable() const;
  // Throws Error(kInvalidArgument) if an index of another schema has hashed the documents.
  void check_is_own(const HashedDocuments& documents) const;

  // Puts in hashed documents, some at a time.
  class Adding;

  Hasher hasher;
  const std::uint64_t fingerprint = hasher.schema().fingerprint();
  const std::atomic<bool>* stop = nullptr;  // interrupts hashing
  bool read_only = false;
  bool allows_kept_documents = true;
  std::string folder;  // of the store, if it is one in a folder
  mutable Pool<Hasher::Scratch> scratches;
  DiskStore* disk = nullptr;  // the store, if it is one in a folder
  std::unique_ptr<DecisionBook> decisions = std::make_unique<DecisionBook>();
  bool takes_decisions = true;

 private:
  std::unique_ptr<Store> store_;
  std::optional<pid_t> opened_by_;  // none for an index in memory, which each process has itself
};

}  // namespace benzer
