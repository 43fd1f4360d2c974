// All similar pairs of an index, and what they connect.
#include <algorithm>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "benzer/index.h"

#include "base/families.h"
#include "base/stop.h"
#include "engine/contents.h"
#include "engine/decision_book.h"
#include "engine/search.h"
#include "engine/whole_index.h"

namespace benzer {
namespace {

struct Piece {
  std::span<const DocumentNumber> documents;
  std::vector<std::vector<Search::Similar>> similar;  // originals, of each of them
  std::uint64_t candidates = 0, empty = 0;
};

// Looks up each of the documents with the keys that the store holds of it, and calls
// visit(document, similar originals) one after the other, in their order. is_wanted(document,
// original): is the original asked for?
template <class IsWanted, class Visit>
void for_each_similar(StoreReader& reader, const Search& search,
                      std::span<const DocumentNumber> documents, const WholeIndexOptions& options,
                      WholeIndexCounts& counts, IsWanted is_wanted, Visit visit) {
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
        piece.similar = search.originals(
            own, hashes,
            [&](std::size_t i, DocumentNumber original) { return is_wanted(of[i], original); },
            piece.candidates);
      },
      [&](const Piece& piece) {
        counts.candidates += piece.candidates;
        counts.empty += piece.empty;
        for (std::size_t i = 0; i < piece.documents.size(); ++i)
          visit(piece.documents[i], std::span(piece.similar[i]));
      });
}

struct BestLink {
  DocumentNumber document = 0;
  double score = -1;
  // Of equal ones the earliest stays.
  void offer(DocumentNumber other, double with) {
    if (with > score || (with == score && other < document)) *this = {other, with};
  }
};

// Which documents similar pairs connect. An original and its copies are one node, except for those
// that were decided not to be duplicates of others: each of these is a node of its own.
class Components {
 public:
  // with_links: keep the best link of each document, too.
  Components(const Contents& contents, const DecidedDocuments& decided, bool with_links)
      : contents_(contents),
        decided_(decided),
        end_(contents.documents().empty() ? 0 : contents.documents().back() + std::size_t{1}),
        families_(static_cast<std::uint32_t>(end_)),
        links_(with_links ? end_ : 0) {}

  // One more than the largest number of a document.
  std::size_t end() const noexcept { return end_; }

  // Two originals are similar; or one is to itself, and so to its copies. Each pair must come once.
  // Returns how many pairs of documents that makes.
  std::uint64_t join(DocumentNumber a, DocumentNumber b, double score) {
    if (a == b) return join_copies(a, score);
    std::uint64_t pairs = 0;
    Node one, other;
    for (const Node& x : nodes(a, one))
      for (const Node& y : nodes(b, other)) pairs += join(x, y, score);
    return pairs;
  }

  DocumentNumber root(DocumentNumber document) { return families_.root(document); }
  BestLink link(DocumentNumber document, DocumentNumber original) const {
    if (contents_.count_copies(original) == 0 || decided_.is_apart(document))
      return links_[document];
    const Group& group = groups_.at(original);
    BestLink best = links_[group.first];
    if (group.size > 1)
      best.offer(document == group.first ? group.second : group.first, group.score);
    return best;
  }

 private:
  // Documents with the same features, which all have the same pairs with others.
  struct Node {
    DocumentNumber first = 0;
    std::uint64_t size = 0;
  };
  // An original with its copies; as a node those of them that are not decided apart.
  struct Group : Node {
    DocumentNumber second = 0;
    double score = -1;  // of each with the others
    std::vector<Node> nodes;
  };

  Group& group(DocumentNumber original) {
    const auto [found, is_new] = groups_.try_emplace(original);
    Group& out = found->second;
    if (!is_new) return out;
    contents_.for_each(original, [&](DocumentNumber document) {
      if (decided_.is_apart(document)) {
        out.nodes.push_back({document, 1});
        return;
      }
      if (out.size == 0) out.first = document;
      if (out.size == 1) out.second = document;
      ++out.size;
    });
    if (out.size > 0) out.nodes.push_back(out);
    return out;
  }
  std::span<const Node> nodes(DocumentNumber original, Node& alone) {
    if (contents_.count_copies(original) > 0) return group(original).nodes;
    alone = {original, 1};
    return {&alone, 1};
  }

  std::uint64_t join(const Node& a, const Node& b, double score) {
    if (decided_.are_apart(a.first, b.first)) return 0;
    families_.join(a.first, b.first);
    if (!links_.empty()) {
      links_[a.first].offer(b.first, score);
      links_[b.first].offer(a.first, score);
    }
    return a.size * b.size;
  }
  std::uint64_t join_copies(DocumentNumber original, double score) {
    Group& copies = group(original);
    copies.score = score;
    contents_.for_each(original, [&](DocumentNumber document) {
      if (!decided_.is_apart(document)) families_.join(copies.first, document);
    });
    std::uint64_t pairs = copies.size < 2 ? 0 : copies.size * (copies.size - 1) / 2;
    for (std::size_t i = 0; i < copies.nodes.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) pairs += join(copies.nodes[j], copies.nodes[i], score);
    return pairs;
  }

  const Contents& contents_;
  const DecidedDocuments& decided_;
  std::size_t end_;
  Families families_;
  std::vector<BestLink> links_;                       // of the first of a node with other nodes
  std::unordered_map<DocumentNumber, Group> groups_;  // by originals that have copies
};

// With the progress of originals told as that of all documents.
WholeIndexOptions by_originals(const WholeIndexOptions& options, const Contents& contents) {
  WholeIndexOptions out = options;
  if (!options.progress) return out;
  out.progress = [&contents, tell = options.progress](std::uint64_t done, std::uint64_t all) {
    const std::uint64_t documents = contents.documents().size();
    tell(done == all ? documents : done * documents / all, documents);
  };
  return out;
}

}  // namespace

// Each document is asked for by itself, as there is a line for each pair of copies, too.
WholeIndexCounts Index::for_each_similar_pair(
    const WholeIndexOptions& options,
    const std::function<void(const SimilarIds& pair)>& visit) const {
  const Search search(schema(), similar_options(options));
  const std::vector<Decision> decisions = WholeIndex::decisions(*this, options);
  const std::unique_ptr<StoreReader> reader = WholeIndex::reader(*this);
  const DecidedDocuments decided(decisions, *reader);
  const Contents contents(*reader);
  WholeIndexCounts counts;
  counts.documents = contents.documents().size();
  std::string id_a, id_b;
  std::vector<std::pair<DocumentNumber, double>> later;  // documents that are similar to one
  for_each_similar(
      *reader, search, contents.documents(), options, counts,
      [&](DocumentNumber document, DocumentNumber original) {
        return original > document || contents.last(original) > document;
      },
      [&](DocumentNumber a, std::span<const Search::Similar> similar) {
        later.clear();
        for (const Search::Similar& original : similar)
          contents.for_each(original.document, [&](DocumentNumber document) {
            if (document > a) later.emplace_back(document, original.score);
          });
        std::sort(later.begin(), later.end());
        for (const auto& [b, score] : later) {
          if (decided.are_apart(a, b)) continue;
          ++counts.pairs;
          id_a = reader->id(a);
          id_b = reader->id(b);
          reader->throw_if_unreadable();
          visit({id_a, id_b, score});
        }
      });
  return counts;
}

WholeIndexCounts Index::for_each_cluster(
    const WholeIndexOptions& options,
    const std::function<void(const IndexCluster& cluster)>& visit) const {
  const Search search(schema(), similar_options(options));
  const std::vector<Decision> decisions = WholeIndex::decisions(*this, options);
  const std::unique_ptr<StoreReader> reader = WholeIndex::reader(*this);
  const DecidedDocuments decided(decisions, *reader);
  const Contents contents(*reader);
  const bool are_leaders = options.clustering == Clustering::kLeader;
  Components components(contents, decided, !are_leaders);  // a leader is the link of its documents
  WholeIndexCounts counts;
  counts.documents = contents.documents().size();
  for_each_similar(
      *reader, search, contents.originals(), by_originals(options, contents), counts,
      [&](DocumentNumber document, DocumentNumber original) {
        return original > document || (original == document && contents.count_copies(document) > 0);
      },
      [&](DocumentNumber a, std::span<const Search::Similar> similar) {
        for (const Search::Similar& b : similar)
          counts.pairs += components.join(a, b.document, b.score);
      });

  // By the first document of a family, then by number.
  std::vector<std::pair<DocumentNumber, DocumentNumber>> members;
  for (const DocumentNumber document : contents.documents())
    if (const DocumentNumber first = components.root(document); first != document)
      members.push_back({first, document});
  std::sort(members.begin(), members.end());
  // It stays, or goes because of one that does.
  std::vector<bool> is_done(are_leaders ? components.end() : 0);
  for (auto at = members.begin(); at != members.end();) {
    std::vector<DocumentNumber> family = {at->first};
    for (; at != members.end() && at->first == family[0]; ++at) family.push_back(at->second);
    decided.put_keepers_first(family);
    for (const DocumentNumber keeper : family) {
      throw_if_stopped(options.stop);
      if (are_leaders && is_done[keeper]) continue;
      const DocumentHashes hashes = reader->get_hashes(keeper);
      std::vector<DocumentNumber> others = are_leaders ? search.all(*reader, hashes) : family;
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
          const BestLink link = are_leaders
                                    ? BestLink{keeper, scores[i]}
                                    : components.link(others[i], reader->original(others[i]));
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
