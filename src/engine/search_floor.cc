// Finds the documents that are most similar to a query, also those below the threshold for which
// bands were planned. So it looks at the cut signatures of all documents, instead of bands.
#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "engine/cut_agreement.h"
#include "engine/hash_keys.h"
#include "engine/search_comparison.h"

namespace benzer {
namespace {

// Documents that are looked at before the best of them are compared. With 64 queries the lists of
// these take 8 MiB.
constexpr std::size_t kAtATime = 16'384;
// Matches beyond those of the limit that are kept before the worst are discarded.
constexpr std::size_t kMostExtra = 1024;
// How far rounding may move a mean of similarities above the highest of them.
constexpr double kRounding = 1e-9;

}  // namespace

// The most similar documents of one query so far.
//
// A document whose score is t has at least one field whose similarity is t, and whose signatures
// agree in as many slots as the cut for t asks for, but for the small probability that the recall
// allows. So documents are compared in order of their equal slots, until fewer are equal than the
// cut for the worst score that is still among the best asks for. That score only grows, and never
// beyond that of the last of the true answer, so that each of these is found with the probability
// of its own cut.
class Search::MostSimilar {
 public:
  MostSimilar(const Search& search, const DocumentHashes& query)
      : search_(search), query_(query), least_equal_(search.least_equal_) {}

  // Notes a document whose signatures agree enough. cuts: its cut signature of each field, or null;
  // is_original is called only if they do.
  void look_at(DocumentNumber document, std::span<const std::uint8_t* const> cuts,
               const std::function<bool()>& is_original) {
    std::uint32_t equal = 0;
    bool has_field = false;
    for (const FieldHashes& field : query_.fields) {
      if (cuts[field.field] == nullptr) continue;
      has_field = true;
      equal = std::max(equal, equal_slots(field, cuts[field.field]));
    }
    if (has_field && equal >= least_equal_ && is_original()) near_.push_back({equal, document});
  }

  // Compares the documents that were noted.
  void compare_noted(StoreReader& reader, Comparison& comparison, SimilarCounts& counts) {
    std::sort(near_.begin(), near_.end(), [](const Near& x, const Near& y) {
      return x.equal != y.equal ? x.equal > y.equal : x.document < y.document;
    });
    std::vector<DocumentNumber> documents;
    for (const Near& near : near_) documents.push_back(near.document);
    reader.prefetch(documents);
    collected_.is_loaded = false;  // others may have used the comparison
    for (const Near& near : near_) {
      throw_if_stopped(search_.options_.stop);
      if (near.equal < least_equal_) break;
      ++counts.compared;
      const std::size_t before = collected_.found.size();
      search_.collect(reader, comparison, query_, near.document, collected_, counts);
      for (std::size_t i = before; i < collected_.found.size(); ++i) add(collected_.found[i].score);
      if (collected_.found.size() > kMostExtra &&
          collected_.found.size() - kMostExtra > search_.options_.limit)
        discard_worst(reader);
    }
    near_.clear();
  }

  std::vector<Match> take(StoreReader& reader) {
    return search_.best(reader, std::move(collected_.found), collected_.fields);
  }

 private:
  struct Near {
    std::uint32_t equal;  // slots
    DocumentNumber document;
  };

  // Hashes of images, and sketches without positions, have no slots: their features are compared.
  std::uint32_t equal_slots(const FieldHashes& field, const std::uint8_t* cut) const noexcept {
    if (search_.slots_ == 0 || search_.is_hash(field.field))
      return std::numeric_limits<std::uint32_t>::max();
    return search_.equal_slots(field.cut.data(), cut);
  }

  void add(double score) {
    if (search_.options_.limit == 0) return;
    if (scores_.size() == search_.options_.limit) {
      if (score <= scores_.top()) return;
      scores_.pop();
    }
    scores_.push(score);
    if (scores_.size() < search_.options_.limit || scores_.top() <= collected_.least) return;
    collected_.least = scores_.top();
    if (search_.slots_ == 0) return;
    const SignatureCut cut = cut_for(std::max(0.0, collected_.least - kRounding),
                                     static_cast<int>(search_.slots_), search_.schema_.recall);
    least_equal_ = std::max(least_equal_, static_cast<std::uint32_t>(cut.least_equal));
  }

  void discard_worst(StoreReader& reader) {
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    std::vector<Found>& found = collected_.found;
    found.resize(search_.sort_best(reader, found));
    std::vector<std::uint32_t> places(collected_.fields.size(), kNone);
    std::vector<std::vector<FieldMatch>> fields;
    for (Found& one : found) {
      std::uint32_t& place = places[one.fields];
      if (place == kNone) {
        place = static_cast<std::uint32_t>(fields.size());
        fields.push_back(std::move(collected_.fields[one.fields]));
      }
      one.fields = place;
    }
    collected_.fields = std::move(fields);
    collected_.is_loaded = false;  // the comparison may refer to a match that is gone
  }

  const Search& search_;
  const DocumentHashes& query_;
  std::uint32_t least_equal_;
  std::vector<Near> near_;
  Collected collected_;
  std::priority_queue<double, std::vector<double>, std::greater<>> scores_;  // the `limit` best
};

void Search::check_floor() const {
  if (options_.threshold)
    throw Error(ErrorCode::kInvalidArgument, Subject::parameter("floor"),
                "a floor and a threshold were given",
                "give a threshold for all similar documents, or a floor for the most similar ones");
  if (options_.allow_low_recall)
    throw Error(ErrorCode::kInvalidArgument, Subject::parameter("floor"),
                Parameter{"allow_low_recall"} + " has no effect with " + Parameter{"floor"} +
                    ", which finds documents at any score",
                "leave it out");
  if (!options_.exact)
    throw Error(ErrorCode::kInvalidArgument, Subject::parameter("floor"),
                "a floor was given for estimated scores, but the most similar documents are found "
                "by exact ones",
                "leave out the floor, or ask for exact scores");
}

std::vector<std::vector<Match>> Search::most_similar(StoreReader& reader,
                                                     std::span<const DocumentHashes> queries,
                                                     SimilarCounts& counts) const {
  std::vector<MostSimilar> best;
  best.reserve(queries.size());
  for (const DocumentHashes& query : queries) best.emplace_back(*this, query);
  Comparison comparison(*this, reader);
  const auto compare_noted = [&] {
    for (MostSimilar& one : best) one.compare_noted(reader, comparison, counts);
  };
  std::vector<const std::uint8_t*> cuts(schema_.fields.size());
  std::size_t seen = 0;
  reader.for_each([&](DocumentNumber document) {
    throw_if_stopped(options_.stop);
    for (std::uint32_t field = 0; field < cuts.size(); ++field)
      cuts[field] = reader.cut(document, field);
    std::optional<bool> known;
    const auto is_original = [&] {
      if (!known) known = reader.original(document) == document;
      return *known;
    };
    for (MostSimilar& one : best) one.look_at(document, cuts, is_original);
    counts.candidates += queries.size();
    if (++seen % kAtATime == 0) compare_noted();
    return true;
  });
  compare_noted();
  std::vector<std::vector<Match>> out;
  for (MostSimilar& one : best) out.push_back(one.take(reader));
  reader.throw_if_unreadable();
  return out;
}

double Search::floor_probability(std::span<const FieldPair> fields) const {
  if (slots_ == 0) return 1;
  double highest = 0;
  for (std::uint32_t field = 0; field < fields.size(); ++field) {
    if (is_hash(field) && fields[field].similarity > 0) return 1;
    highest = std::max(highest, fields[field].similarity);
  }
  return 1 - cut_for(highest, static_cast<int>(slots_), schema_.recall).loss;
}

double Search::floor_recall(const Schema& completed) {
  if (has_only_hashes(completed) || completed.keys || !completed.sketch.has_positions()) return 1;
  return 1 - allowed_loss(completed.recall);
}

}  // namespace benzer
