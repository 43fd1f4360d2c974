// Goes through all documents of an index, for questions about the whole index.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "benzer/error.h"
#include "benzer/index.h"
#include "benzer/runtime.h"

#include "base/parallel.h"
#include "base/pipeline.h"
#include "base/pool.h"
#include "store/store.h"

namespace benzer {

class Hasher;

class WholeIndex {
 public:
  // As long as the reader lives, an index in memory or in a folder cannot reuse the room of
  // documents that are removed meanwhile.
  // stop: for StoreReader::stop_when().
  static std::unique_ptr<StoreReader> reader(const Index& index,
                                             const std::atomic<bool>* stop = nullptr);
  static const Hasher& hasher(const Index& index);
  // The decisions that the question follows.
  static std::vector<Decision> decisions(const Index& index, const WholeIndexOptions& options);
};

// Returns the options for a Search that answers the question.
inline SimilarOptions similar_options(const WholeIndexOptions& options) {
  return {.threshold = options.threshold,
          .score = options.score,
          .allow_low_recall = options.allow_low_recall,
          .stop = options.stop};
}

// Returns options whose progress counts all documents, as `stage`, even if only some of them are
// looked at: originals, which stand for their copies. The options must outlive what it returns.
inline WholeIndexOptions with_all_counted(const WholeIndexOptions& options, std::string_view stage,
                                          std::size_t looked_at, std::size_t all) {
  WholeIndexOptions out = options;
  if (options.progress)
    out.progress = [stage, looked_at, all, &tell = options.progress](const Progress& progress) {
      tell({stage, progress.done == looked_at ? all : progress.done * all / looked_at, all});
    };
  return out;
}

// Returns all documents in the order of the store: the order in which they were put in, except for
// those that a merge of segments has moved.
inline std::vector<DocumentNumber> documents_in_order(StoreReader& reader) {
  std::vector<DocumentNumber> out;
  out.reserve(reader.size());
  reader.for_each([&](DocumentNumber document) {
    out.push_back(document);
    return true;
  });
  std::sort(out.begin(), out.end());
  return out;
}

// Calls work(reader, piece of documents, result) in parallel, each time with a reader that no other
// thread uses, and consume(result) in the order of the pieces, one at a time. Results are reused,
// so work() must overwrite what an earlier piece has left in them.
template <class Result, class Work, class Consume>
void for_each_piece(StoreReader& reader, std::span<const DocumentNumber> documents,
                    const WholeIndexOptions& options, Work work, Consume consume) {
  // Enough for lookups to overlap, and few enough that lists of very common keys take little
  // memory.
  constexpr std::size_t kPiece = 64;
  struct Item {
    std::span<const DocumentNumber> piece;
    Result result;
  };
  Pool<StoreReader> readers;
  std::size_t begun = 0;
  std::size_t done = 0;
  ordered_pipeline<Item>(
      resolve_threads(options.threads),
      [&](Item& item) {
        throw_if_stopped(options.stop);
        item.piece = documents.subspan(begun, std::min(kPiece, documents.size() - begun));
        begun += item.piece.size();
        return !item.piece.empty();
      },
      [&](Item& item) {
        auto own = readers.take([&] { return reader.another(); });
        work(*own, item.piece, item.result);
        readers.give(std::move(own));
      },
      [&](Item& item) {
        consume(item.result);
        done += item.piece.size();
        if (options.progress) options.progress({"compare", done, documents.size()});
      });
}

}  // namespace benzer
