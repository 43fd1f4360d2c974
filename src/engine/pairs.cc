// Finds all similar pairs of an index, and the clusters that they form.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "benzer/index.h"
#include "benzer/runtime.h"

#include "base/disjoint_sets.h"
#include "base/utc_time.h"
#include "engine/attributes.h"
#include "engine/comparison_list.h"
#include "engine/contents.h"
#include "engine/decision_book.h"
#include "engine/keep_ranks.h"
#include "engine/search.h"
#include "engine/whole_index.h"

namespace benzer {
namespace {

struct Piece {
  std::span<const DocumentNumber> documents;
  std::vector<std::vector<Search::Similar>> similar;  // to each of them: originals
  std::vector<std::vector<Search::Similar>> below;    // likewise those that are not similar enough
  std::uint64_t candidates = 0, empty = 0;
};

// A question about the whole index, answered as of the moment at which it is asked. The index and
// the options must outlive it.
struct Question {
  Question(const Index& index, const WholeIndexOptions& how)
      : options(how),
        search(index.schema(), similar_options(how)),
        decisions(WholeIndex::decisions(index, how)),
        reader(WholeIndex::reader(index, how.stop)),
        decided(decisions, *reader),
        contents(*reader, AttributeFilter(index.schema())),
        ranks(index.schema(), *reader, contents, how),
        has_shares(index.schema().measure == Measure::kContainment),
        may_expire(index.schema().find_attribute(AttributeSpec::kExpiry).has_value()) {
    if (how.collect_compared) comparisons.emplace(index.schema());
    counts.documents = contents.documents().size();
  }

  // Looks up each of the documents by its stored keys, and calls visit(document, similar originals)
  // for one after the other, in their order. Leaves out originals for which is_wanted(document,
  // original) is false. A document may be looked for that has none of the sampled keys of its own
  // original; that one is similar to it in any case.
  template <class IsWanted, class Visit>
  void for_each_similar(std::span<const DocumentNumber> documents, IsWanted is_wanted,
                        Visit visit) {
    for_each_piece<Piece>(
        *reader, documents,
        with_all_counted(options, "compare", documents.size(), counts.documents),
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
              [&](std::size_t i, DocumentNumber original) {
                return contents.is_left(original) && is_wanted(of[i], original);
              },
              piece.candidates, comparisons ? &piece.below : nullptr);
          for (std::size_t i = 0; i < of.size(); ++i) {
            const DocumentNumber original = own.original(of[i]);
            if (contents.count_copies(original) > 0 && is_wanted(of[i], original))
              add_equal(original, piece.similar[i]);
          }
        },
        [&](const Piece& piece) {
          counts.candidates += piece.candidates;
          counts.empty += piece.empty;
          for (std::size_t i = 0; i < piece.documents.size(); ++i) {
            visit(piece.documents[i], std::span(piece.similar[i]));
            if (!comparisons) continue;
            for (const Search::Similar& other : piece.below[i])
              comparisons->add_below(piece.documents[i], other.document, other.score);
          }
        });
  }

  static void add_equal(DocumentNumber original, std::vector<Search::Similar>& similar) {
    const auto place = std::ranges::lower_bound(similar, original, {}, &Search::Similar::document);
    if (place == similar.end() || place->document != original)
      similar.insert(place, {original, 1, {1, 1}});
  }

  const WholeIndexOptions& options;
  const Search search;
  const std::vector<Decision> decisions;
  const std::unique_ptr<StoreReader> reader;
  const DecidedDocuments decided;
  const Contents contents;
  const KeepRanks ranks;
  const bool has_shares;                      // whether the measure is containment
  const bool may_expire;                      // whether documents may have a time of expiry
  std::optional<ComparisonList> comparisons;  // absent if they are not collected
  WholeIndexCounts counts;
};

// Finds which documents similar pairs connect. An original and its copies are one node, except for
// documents that a decision says are not duplicates of others: each of these is a node of its own.
class Components {
 public:
  // with_links: keep the best link of each document, too.
  Components(const Contents& contents, const DecidedDocuments& decided, bool with_links)
      : contents_(contents),
        decided_(decided),
        end_(contents.documents().empty() ? 0 : contents.documents().back() + std::size_t{1}),
        connected_(static_cast<std::uint32_t>(end_)),
        links_(with_links ? end_ : 0) {}

  // One more than the largest number of a document.
  std::size_t end() const noexcept { return end_; }

  // Adds a pair of similar originals or, if a == b, an original that is similar to its copies. Each
  // pair must be added once. Returns how many pairs of documents it represents.
  std::uint64_t join(DocumentNumber a, DocumentNumber b, double score) {
    if (a == b) return join_copies(a, score);
    std::uint64_t pairs = 0;
    Node one, other;
    for (const Node& x : nodes(a, one))
      for (const Node& y : nodes(b, other)) pairs += join(x, y, score);
    return pairs;
  }

  // The pairs that were left out because decisions set their documents apart.
  std::uint64_t set_apart() const noexcept { return set_apart_; }

  DocumentNumber root(DocumentNumber document) { return connected_.root(document); }
  // Returns what links a document to its component. A copy is linked to the first of the documents
  // that equal it, and that one to the most similar of the others, or to the first of these.
  MostSimilar link(DocumentNumber document, DocumentNumber original) const {
    if (contents_.count_copies(original) == 0 || decided_.is_apart(document))
      return links_[document];
    const Group& group = groups_.at(original);
    MostSimilar best = links_[group.first];
    if (group.size > 1)
      offer(best, document, document == group.first ? group.second : group.first, group.score);
    return best;
  }

 private:
  // Documents with the same features, which all have the same pairs with others.
  struct Node {
    DocumentNumber first = 0;
    std::uint64_t size = 0;
  };
  // An original with its copies. The base class is the node of those that no decision sets apart.
  struct Group : Node {
    DocumentNumber second = 0;
    double score = -1;  // of any two of them
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

  // Offers a link to a document. A later document that is equal to it becomes the link only if
  // there is no other, since that one is itself linked to this document.
  static void offer(MostSimilar& link, DocumentNumber own, DocumentNumber other, double score) {
    const auto is_later = [own](const MostSimilar& one) {
      return one.score == 1 && one.number > own;
    };
    const MostSimilar offered{other, score};
    if (link.is_known() && is_later(link) != is_later(offered)) {
      if (is_later(link)) link = offered;
      return;
    }
    link.offer(other, score);
  }

  std::uint64_t join(const Node& a, const Node& b, double score) {
    if (decided_.are_apart(a.first, b.first)) {
      ++set_apart_;  // each of the two nodes is one document
      return 0;
    }
    connected_.join(a.first, b.first);
    if (!links_.empty()) {
      offer(links_[a.first], a.first, b.first, score);
      offer(links_[b.first], b.first, a.first, score);
    }
    return a.size * b.size;
  }
  std::uint64_t join_copies(DocumentNumber original, double score) {
    Group& copies = group(original);
    copies.score = score;
    contents_.for_each(original, [&](DocumentNumber document) {
      if (!decided_.is_apart(document)) connected_.join(copies.first, document);
    });
    std::uint64_t pairs = copies.size < 2 ? 0 : copies.size * (copies.size - 1) / 2;
    for (std::size_t i = 0; i < copies.nodes.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) pairs += join(copies.nodes[j], copies.nodes[i], score);
    return pairs;
  }

  const Contents& contents_;
  const DecidedDocuments& decided_;
  std::size_t end_;
  DisjointSets connected_;
  std::uint64_t set_apart_ = 0;
  std::vector<MostSimilar> links_;                    // of the first of each node, to other nodes
  std::unordered_map<DocumentNumber, Group> groups_;  // by originals that have copies
};

// A removed document and the score with its keeper.
struct RemovedDocument {
  DocumentNumber document;
  double score;      // with the keeper
  MostSimilar link;  // for components only
  Shares shares;     // with containment: of this document, and of its keeper
};
struct FoundCluster {
  DocumentNumber keeper;
  std::vector<RemovedDocument> removed;  // ascending
};

// Chooses the keepers among documents that similar pairs connect.
class Chooser {
 public:
  explicit Chooser(const Question& question)
      : reader_(*question.reader),
        search_(question.search),
        decided_(question.decided),
        contents_(question.contents),
        options_(question.options),
        has_shares_(question.has_shares) {}

  // Takes one document after the other, in keep order, and removes it if it is similar to an
  // earlier one that is kept; with containment, if that one has enough of its features. Its keeper
  // is the most similar of these, or the first of several.
  std::vector<FoundCluster> leaders(std::span<const DocumentNumber> connected) {
    std::vector<std::pair<DocumentNumber, std::uint32_t>> places;
    for (std::uint32_t place = 0; place < connected.size(); ++place)
      places.emplace_back(connected[place], place);
    std::sort(places.begin(), places.end());
    const auto place_of = [&](DocumentNumber document) {
      const auto found = std::lower_bound(places.begin(), places.end(), std::pair(document, 0U));
      return found != places.end() && found->first == document ? found->second : 0U;
    };
    std::vector<MostSimilar> keepers(connected.size());
    std::vector<double> shares_of_keepers(has_shares_ ? connected.size() : 0);
    for (std::uint32_t keeper = 0; keeper < connected.size(); ++keeper) {
      if (keepers[keeper].is_known()) continue;
      throw_if_stopped(options_.stop);
      const DocumentHashes hashes = reader_.get_hashes(connected[keeper]);
      std::vector<DocumentNumber> later = similar_to(connected[keeper], hashes);
      std::erase_if(later, [&](DocumentNumber document) {
        return place_of(document) <= keeper || decided_.are_apart(document, connected[keeper]);
      });
      const std::vector<Search::Compared> compared = search_.compare_all(reader_, hashes, later);
      for (std::size_t i = 0; i < later.size(); ++i) {
        const auto& [score, shares, is_covered] = compared[i];
        if (!is_covered) continue;
        const std::uint32_t place = place_of(later[i]);
        keepers[place].offer(keeper, has_shares_ ? shares.of_b : score);
        if (has_shares_ && keepers[place].number == keeper) shares_of_keepers[place] = shares.of_a;
      }
    }
    std::vector<FoundCluster> found(connected.size());  // by keeper
    for (const auto& [document, place] : places)
      if (const MostSimilar& keeper = keepers[place]; keeper.is_known())
        found[keeper.number].removed.push_back(
            {document,
             keeper.score,
             {},
             has_shares_ ? Shares{keeper.score, shares_of_keepers[place]} : Shares{}});
    for (std::uint32_t keeper = 0; keeper < connected.size(); ++keeper)
      found[keeper].keeper = connected[keeper];
    std::erase_if(found, [](const FoundCluster& cluster) { return cluster.removed.empty(); });
    return found;
  }

  // Keeps the first document, and removes the others unless a decision sets them apart from it.
  std::vector<FoundCluster> component(std::span<const DocumentNumber> connected,
                                      const Components& components) {
    throw_if_stopped(options_.stop);
    FoundCluster found{connected[0], {}};
    std::vector<DocumentNumber> others(connected.begin() + 1, connected.end());
    // A third document may connect two that a decision says are not duplicates.
    std::erase_if(others, [&](DocumentNumber document) {
      return decided_.are_apart(document, connected[0]);
    });
    std::sort(others.begin(), others.end());
    const std::vector<Search::Compared> compared =
        search_.compare_all(reader_, reader_.get_hashes(connected[0]), others);
    for (std::size_t i = 0; i < others.size(); ++i)
      found.removed.push_back({others[i],
                               compared[i].score,
                               components.link(others[i], reader_.original(others[i])),
                               {}});
    if (found.removed.empty()) return {};
    return {std::move(found)};
  }

 private:
  // Returns all documents that are similar to one of the index, and so all that equal it, even if
  // it has none of its sampled keys.
  std::vector<DocumentNumber> similar_to(DocumentNumber document, const DocumentHashes& hashes) {
    std::vector<DocumentNumber> out = search_.all(reader_, hashes);
    const DocumentNumber original = reader_.original(document);
    if (!has_shares_ || contents_.count_copies(original) == 0) return out;
    contents_.for_each(original, [&](DocumentNumber equal) { out.push_back(equal); });
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  StoreReader& reader_;
  const Search& search_;
  const DecidedDocuments& decided_;
  const Contents& contents_;
  const WholeIndexOptions& options_;
  const bool has_shares_;
};

IndexCluster with_ids(const Question& question, const FoundCluster& found) {
  StoreReader& reader = *question.reader;
  const bool has_shares = question.has_shares;
  IndexCluster out{std::string(reader.id(found.keeper)), {}, 1};
  if (question.may_expire) {
    const UtcTime at = AttributeCodec::expiry(reader.attributes(found.keeper));
    if (at != AttributeCodec::kNever && is_writable_utc_time(at))
      out.keeper_expires_at = utc_text(at);
  }
  for (const RemovedDocument& removed : found.removed) {
    out.members.push_back({std::string(reader.id(removed.document)), removed.score, {}});
    if (has_shares) out.members.back().shares = removed.shares;
    if (removed.link.is_known())
      out.members.back().link =
          IndexCluster::Link{std::string(reader.id(removed.link.number)), removed.link.score};
    out.weakest = std::min(out.weakest, removed.score);
  }
  reader.throw_if_unreadable();
  return out;
}

}  // namespace

// Looks up each document, copies included, since pairs of copies are visited, too.
WholeIndexCounts Index::for_each_similar_pair(
    const WholeIndexOptions& options,
    const std::function<void(const ScoredIds& pair)>& visit) const {
  Question question(*this, options);
  std::string id_a, id_b;
  std::vector<Search::Similar> later;  // documents that are similar to one, and after it
  question.for_each_similar(
      question.contents.documents(),
      [&](DocumentNumber document, DocumentNumber original) {
        return question.ranks.precedes(document, question.contents.last(original));
      },
      [&](DocumentNumber a, std::span<const Search::Similar> similar) {
        later.clear();
        for (const Search::Similar& original : similar)
          question.contents.for_each(original.document, [&](DocumentNumber document) {
            if (question.ranks.precedes(a, document))
              later.push_back({document, original.score, original.shares});
          });
        std::ranges::sort(later, {}, &Search::Similar::document);
        for (const auto& [b, score, shares] : later) {
          if (question.decided.are_apart(a, b)) {
            ++question.counts.set_apart;
            continue;
          }
          ++question.counts.pairs;
          id_a = question.reader->id(a);
          id_b = question.reader->id(b);
          question.reader->throw_if_unreadable();
          ScoredIds pair{id_a, id_b, score};
          if (question.has_shares) pair.shares = shares;
          visit(pair);
        }
      });
  return question.counts;
}

namespace {

void find_clusters(Question& question,
                   const std::function<void(const IndexCluster& cluster)>& visit) {
  const WholeIndexOptions& options = question.options;
  const bool are_leaders = options.clustering == Clustering::kLeader;
  if (question.has_shares && !are_leaders)
    throw Error(ErrorCode::kInvalidArgument, "clustering by components has no containment",
                "leave " + Parameter{"cluster"} + " out");
  Components components(question.contents, question.decided, !are_leaders);
  question.for_each_similar(
      question.contents.originals(),
      [&](DocumentNumber document, DocumentNumber original) {
        return question.ranks.precedes(document, original) ||
               (original == document && question.contents.count_copies(document) > 0);
      },
      [&](DocumentNumber a, std::span<const Search::Similar> similar) {
        for (const Search::Similar& b : similar) {
          const std::uint64_t pairs = components.join(a, b.document, b.score);
          question.counts.pairs += pairs;
          if (!question.comparisons || pairs == 0) continue;
          if (a == b.document) {
            std::uint64_t documents = 0;
            question.contents.for_each(a, [&](DocumentNumber) { ++documents; });
            question.comparisons->add_equal(documents - 1, b.score);
          } else {
            question.comparisons->add_similar(a, b.document, b.score);
          }
        }
      });

  // Pairs of the first document of a component and another one of it, sorted.
  std::vector<std::pair<DocumentNumber, DocumentNumber>> members;
  for (const DocumentNumber document : question.contents.documents())
    if (const DocumentNumber first = components.root(document); first != document)
      members.push_back({first, document});
  std::sort(members.begin(), members.end());
  Chooser chooser(question);
  std::vector<FoundCluster> clusters;
  for (auto at = members.begin(); at != members.end();) {
    std::vector<DocumentNumber> connected = {at->first};
    for (; at != members.end() && at->first == connected[0]; ++at) connected.push_back(at->second);
    question.ranks.sort(connected);
    question.decided.put_keepers_first(connected);
    for (FoundCluster& found :
         are_leaders ? chooser.leaders(connected) : chooser.component(connected, components))
      clusters.push_back(std::move(found));
  }
  // A component may have several leaders, and those of other components may come between them.
  std::sort(clusters.begin(), clusters.end(),
            [](const FoundCluster& a, const FoundCluster& b) { return a.keeper < b.keeper; });
  question.counts.clusters = clusters.size();
  question.counts.set_apart = components.set_apart();
  question.counts.chosen_keepers =
      static_cast<std::uint64_t>(std::ranges::count_if(clusters, [&](const FoundCluster& found) {
        return question.decided.is_chosen(found.keeper);
      }));
  for (const FoundCluster& found : clusters) visit(with_ids(question, found));
}

}  // namespace

WholeIndexCounts Index::for_each_cluster(
    const WholeIndexOptions& options,
    const std::function<void(const IndexCluster& cluster)>& visit) const {
  Question question(*this, options);
  question.comparisons.reset();  // nobody would get them
  find_clusters(question, visit);
  return question.counts;
}

void IndexDedup::for_each_batch(
    const std::function<void(const std::vector<std::string>& ids)>& visit) const {
  constexpr std::size_t kBatch = 1000;
  std::vector<std::string> ids;
  for (const IndexCluster& cluster : clusters) {
    for (const IndexCluster::Member& member : cluster.members) {
      ids.push_back(member.id);
      if (ids.size() < kBatch) continue;
      visit(ids);
      ids.clear();
    }
  }
  if (!ids.empty()) visit(ids);
}

std::vector<GuardRailBreach> check_guard_rails(const IndexDedup& found, const GuardRails& rails) {
  std::vector<GuardRailBreach> breaches;
  const std::uint64_t documents = found.counts.documents;
  for (std::size_t place = 0; place < found.clusters.size(); ++place) {
    const std::uint64_t size = found.clusters[place].members.size() + 1;
    if (rails.is_too_large(size, documents))
      breaches.push_back(
          {GuardRailBreach::Kind::kCluster, static_cast<std::uint32_t>(place), size, documents});
  }
  if (rails.loses_too_much(found.removals, documents))
    breaches.push_back({GuardRailBreach::Kind::kSource, 0, found.removals, documents});
  return breaches;
}

IndexDedup Index::deduplicate(const WholeIndexOptions& options) const {
  IndexDedup out;
  Question question(*this, options);
  find_clusters(question, [&](const IndexCluster& cluster) {
    const std::uint64_t members = cluster.members.size();
    out.removals += members;
    out.largest_cluster = std::max(out.largest_cluster, members + 1);
    out.weakest = std::min(out.weakest, cluster.weakest);
    out.clusters.push_back(cluster);
  });
  out.counts = question.counts;
  if (question.comparisons)
    out.compared = question.comparisons->finish(*question.reader, question.contents);
  return out;
}

}  // namespace benzer
