// All similar pairs of an index, and what they connect.
#include <algorithm>
#include <optional>
#include <string>

#include "benzer/index.h"

#include "base/families.h"
#include "base/stop.h"
#include "engine/decision_book.h"
#include "engine/search.h"
#include "engine/whole_index.h"

namespace benzer {
namespace {

struct Piece {
  std::span<const DocumentNumber> documents;
  std::vector<std::vector<Search::Similar>> similar;  // of each of them
  std::uint64_t candidates = 0, empty = 0;
};

// Calls visit(a, b, score) for each similar pair once, a < b, sorted by (a, b). Each document is
// looked up with the keys that the store holds of it, and compared with those behind it.
template <class Visit>
WholeIndexCounts for_each_pair(StoreReader& reader, const Search& search,
                               std::span<const DocumentNumber> documents,
                               const DecidedDocuments& decided, const WholeIndexOptions& options,
                               Visit visit) {
  WholeIndexCounts counts;
  counts.documents = documents.size();
  for_each_piece<Piece>(
      reader, documents, options,
      [&](StoreReader& own, std::span<const DocumentNumber> of, Piece& piece) {
        piece.documents = of;
        piece.candidates = piece.empty = 0;
        std::vector<DocumentHashes> hashes;
        own.prefetch(of);
        for (const DocumentNumber document : of) {
          hashes.push_back(own.get_hashes(document));
          piece.empty += hashes.back().fields.empty();
        }
        piece.similar = search.behind(own, of, hashes, piece.candidates);
      },
      [&](const Piece& piece) {
        counts.candidates += piece.candidates;
        counts.empty += piece.empty;
        for (std::size_t i = 0; i < piece.documents.size(); ++i) {
          for (const Search::Similar& other : piece.similar[i]) {
            if (decided.are_apart(piece.documents[i], other.document)) continue;
            ++counts.pairs;
            visit(piece.documents[i], other.document, other.score);
          }
        }
      });
  return counts;
}

struct BestLink {
  DocumentNumber document = 0;
  double score = -1;
  // Pairs come in order, so that the earliest of equal ones stays.
  void offer(DocumentNumber other, double with) {
    if (with > score) *this = {other, with};
  }
};

std::vector<DocumentNumber> numbers(const std::vector<Search::Similar>& documents) {
  std::vector<DocumentNumber> out;
  for (const Search::Similar& one : documents) out.push_back(one.document);
  return out;
}

}  // namespace

WholeIndexCounts Index::for_each_similar_pair(
    const WholeIndexOptions& options,
    const std::function<void(const SimilarIds& pair)>& visit) const {
  const Search search(schema(), similar_options(options));
  const std::vector<Decision> decisions = WholeIndex::decisions(*this, options);
  const std::unique_ptr<StoreReader> reader = WholeIndex::reader(*this);
  std::string id_a, id_b;
  return for_each_pair(*reader, search, documents_in_order(*reader),
                       DecidedDocuments(decisions, *reader), options,
                       [&](DocumentNumber a, DocumentNumber b, double score) {
                         id_a = reader->id(a);
                         id_b = reader->id(b);
                         reader->throw_if_unreadable();
                         visit({id_a, id_b, score});
                       });
}

WholeIndexCounts Index::for_each_cluster(
    const WholeIndexOptions& options,
    const std::function<void(const IndexCluster& cluster)>& visit) const {
  const Search search(schema(), similar_options(options));
  const std::vector<Decision> decisions = WholeIndex::decisions(*this, options);
  const std::unique_ptr<StoreReader> reader = WholeIndex::reader(*this);
  const DecidedDocuments decided(decisions, *reader);
  const std::vector<DocumentNumber> documents = documents_in_order(*reader);
  const std::size_t end = documents.empty() ? 0 : documents.back() + std::size_t{1};
  Families families(static_cast<std::uint32_t>(end));
  const bool are_leaders = options.clustering == Clustering::kLeader;
  std::vector<BestLink> links(are_leaders ? 0 : end);
  WholeIndexCounts counts = for_each_pair(*reader, search, documents, decided, options,
                                          [&](DocumentNumber a, DocumentNumber b, double score) {
                                            families.join(a, b);
                                            if (are_leaders) return;  // their link is the keeper
                                            links[a].offer(b, score);
                                            links[b].offer(a, score);
                                          });

  // By the first document of a family, then by number.
  std::vector<std::pair<DocumentNumber, DocumentNumber>> members;
  for (const DocumentNumber document : documents)
    if (const DocumentNumber first = families.root(document); first != document)
      members.push_back({first, document});
  std::sort(members.begin(), members.end());
  std::vector<bool> is_done(are_leaders ? end : 0);  // it stays, or goes because of one that does
  for (auto at = members.begin(); at != members.end();) {
    std::vector<DocumentNumber> family = {at->first};
    for (; at != members.end() && at->first == family[0]; ++at) family.push_back(at->second);
    decided.put_keepers_first(family);
    for (const DocumentNumber keeper : family) {
      throw_if_stopped(options.stop);
      if (are_leaders && is_done[keeper]) continue;
      const DocumentHashes hashes = reader->get_hashes(keeper);
      std::vector<DocumentNumber> others =
          are_leaders ? numbers(search.all(*reader, hashes)) : family;
      // A third document may connect two that are no duplicates.
      std::erase_if(others, [&](DocumentNumber document) {
        return document == keeper || (are_leaders && is_done[document]) ||
               decided.are_apart(document, keeper);
      });
      std::sort(others.begin(), others.end());
      if (!others.empty()) {
        const std::vector<double> scores = search.scores(*reader, hashes, others);
        IndexCluster cluster{std::string(reader->id(keeper)), {}, 1};
        for (std::size_t i = 0; i < others.size(); ++i) {
          const BestLink link = are_leaders ? BestLink{keeper, scores[i]} : links[others[i]];
          cluster.members.push_back({std::string(reader->id(others[i])), scores[i],
                                     std::string(reader->id(link.document)), link.score});
          cluster.weakest = std::min(cluster.weakest, scores[i]);
        }
        reader->throw_if_unreadable();
        ++counts.clusters;
        visit(cluster);
      }
      if (!are_leaders) break;
      is_done[keeper] = true;
      for (const DocumentNumber document : others) is_done[document] = true;
    }
  }
  return counts;
}

}  // namespace benzer
