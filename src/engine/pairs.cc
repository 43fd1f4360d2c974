// All similar pairs of an index, and what they connect.
#include <algorithm>
#include <optional>

#include "benzer/index.h"

#include "base/families.h"
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
                               const WholeIndexOptions& options, Visit visit) {
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
          counts.pairs += piece.similar[i].size();
          for (const Search::Similar& other : piece.similar[i])
            visit(piece.documents[i], other.document, other.score);
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

}  // namespace

WholeIndexCounts Index::for_each_similar_pair(
    const WholeIndexOptions& options,
    const std::function<void(const SimilarIds& pair)>& visit) const {
  const Search search(schema(), similar_options(options));
  const std::unique_ptr<StoreReader> reader = WholeIndex::reader(*this);
  return for_each_pair(*reader, search, documents_in_order(*reader), options,
                       [&](DocumentNumber a, DocumentNumber b, double score) {
                         visit({reader->id(a), reader->id(b), score});
                       });
}

WholeIndexCounts Index::for_each_cluster(
    const WholeIndexOptions& options,
    const std::function<void(const IndexCluster& cluster)>& visit) const {
  const Search search(schema(), similar_options(options));
  const std::unique_ptr<StoreReader> reader = WholeIndex::reader(*this);
  const std::vector<DocumentNumber> documents = documents_in_order(*reader);
  const std::size_t end = documents.empty() ? 0 : documents.back() + std::size_t{1};
  Families families(static_cast<std::uint32_t>(end));
  std::vector<BestLink> links(end);
  WholeIndexCounts counts = for_each_pair(*reader, search, documents, options,
                                          [&](DocumentNumber a, DocumentNumber b, double score) {
                                            families.join(a, b);
                                            links[a].offer(b, score);
                                            links[b].offer(a, score);
                                          });

  // By keeper, then by number: the keeper of a family is its first document.
  std::vector<std::pair<DocumentNumber, DocumentNumber>> members;
  for (const DocumentNumber document : documents)
    if (const DocumentNumber keeper = families.root(document); keeper != document)
      members.push_back({keeper, document});
  std::sort(members.begin(), members.end());
  for (auto first = members.begin(); first != members.end();) {
    check_stop(options);
    const DocumentNumber keeper = first->first;
    std::vector<DocumentNumber> of_keeper;
    for (; first != members.end() && first->first == keeper; ++first)
      of_keeper.push_back(first->second);
    const std::vector<double> scores =
        search.scores(*reader, reader->get_hashes(keeper), of_keeper);
    IndexCluster cluster{std::string(reader->id(keeper)), {}, 1};
    for (std::size_t i = 0; i < of_keeper.size(); ++i) {
      const BestLink& link = links[of_keeper[i]];
      cluster.members.push_back({std::string(reader->id(of_keeper[i])), scores[i],
                                 std::string(reader->id(link.document)), link.score});
      cluster.weakest = std::min(cluster.weakest, scores[i]);
    }
    ++counts.clusters;
    visit(cluster);
  }
  return counts;
}

}  // namespace benzer
