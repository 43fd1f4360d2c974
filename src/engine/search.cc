#include "engine/search.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "engine/hash_keys.h"
#include "sketch/kernels/kernels.h"
#include "verify/feature_comparison.h"
#include "verify/score.h"
#include "verify/signature_cut.h"

namespace benzer {
namespace {

// Slots are cut to four bits, so that two different slots agree in 1 of 16 cases.
constexpr double kByChance = 1.0 / 16;

double agreement(double similarity) noexcept { return similarity + (1 - similarity) * kByChance; }

SignatureCut cut_of(const Schema& schema, const Threshold& threshold) {
  if (!schema.sketch.has_positions()) return {};  // no signatures are kept
  return signature_cut(agreement(threshold.value()), schema.sketch.slots,
                       allowed_loss(schema.recall));
}

}  // namespace

// A document that matches, and the number of its list of field matches, which documents with the
// same features share.
struct Search::Found {
  double score;
  DocumentNumber document;
  std::uint32_t fields;
};

// Compares a query, whose features are loaded once, with any number of documents.
class Search::Comparison {
 public:
  Comparison(const Search& search, StoreReader& reader) : search_(search), reader_(reader) {
    for (const FieldSpec& field : search.schema_.fields) comparisons_.emplace_back(field.features);
    match_features_.resize(comparisons_.size());
  }

  void load(const DocumentHashes& query) {
    query_.assign(search_.schema_.fields.size(), nullptr);
    for (const FieldHashes& field : query.fields) {
      query_[field.field] = &field;
      if (search_.options_.exact || search_.is_hash(field.field))
        comparisons_[field.field].load(field.features);
    }
    match_.reset();
  }

  // The score, if it reaches the threshold.
  std::optional<double> compare(DocumentNumber document) {
    is_repeated_ = false;
    return search_.options_.exact ? compare_exactly(document) : estimate(document);
  }
  // Whether the document has the same features as the last match before it, and so the same score
  // and fields.
  bool is_repeated() const noexcept { return is_repeated_; }
  // Returns the fields of the last match that was not a repetition. May be called once for each.
  std::vector<FieldMatch> take_fields() { return std::move(fields_); }

  // Returns the score even if it is below the threshold. take_fields() then has what makes it up.
  double score_exactly(DocumentNumber document) {
    const Schema& schema = search_.schema_;
    fields_.clear();
    overlaps_.clear();
    for (std::uint32_t field = 0; field < schema.fields.size(); ++field) {
      const std::span<const std::uint64_t> other = reader_.features(document, field);
      const Weighting weighting = weighting_of(schema.fields[field].features);
      const std::uint64_t own = query_[field] ? size_of(query_[field]->features, weighting) : 0;
      if (own == 0 && other.empty()) continue;
      const Overlap overlap = own == 0 || other.empty()
                                  ? Overlap{0, own + size_of(other, weighting)}
                                  : comparisons_[field].compare(other);
      overlaps_.push_back({overlap, schema.fields[field].weight.millionths()});
      fields_.push_back({schema.fields[field].name, overlap.jaccard(), overlap});
    }
    return score_of(search_.options_.score, overlaps_);
  }
  // Whether the last score of score_exactly() reaches the threshold.
  bool is_similar() const { return reaches(search_.options_.score, overlaps_, search_.threshold_); }

 private:
  std::optional<double> compare_exactly(DocumentNumber document) {
    const Schema& schema = search_.schema_;
    if (schema.fields.size() == 1) {  // the comparison stops once the threshold is out of reach
      const std::span<const std::uint64_t> other = reader_.features(document, 0);
      if (match_ && std::ranges::equal(other, match_features_[0])) return repeat();
      const auto overlap = comparisons_[0].compare(other, search_.threshold_);
      if (!overlap) return std::nullopt;
      match_features_[0].assign(other.begin(), other.end());
      fields_ = {{schema.fields[0].name, overlap->jaccard(), *overlap}};
      return match_ = overlap->jaccard();
    }
    if (match_ && equals_match(document)) return repeat();
    const double score = score_exactly(document);
    if (!is_similar()) return std::nullopt;
    for (std::uint32_t field = 0; field < schema.fields.size(); ++field) {
      const std::span<const std::uint64_t> other = reader_.features(document, field);
      match_features_[field].assign(other.begin(), other.end());
    }
    return match_ = score;
  }

  bool equals_match(DocumentNumber document) {
    for (std::uint32_t field = 0; field < match_features_.size(); ++field)
      if (!std::ranges::equal(reader_.features(document, field), match_features_[field]))
        return false;
    return true;
  }

  std::optional<double> repeat() {
    is_repeated_ = true;
    return match_;
  }

  std::optional<double> estimate(DocumentNumber document) {
    const Schema& schema = search_.schema_;
    fields_.clear();
    scores_.clear();
    for (std::uint32_t field = 0; field < schema.fields.size(); ++field) {
      const std::uint8_t* other = reader_.cut(document, field);
      if (query_[field] == nullptr && other == nullptr) continue;
      const double score =
          query_[field] == nullptr || other == nullptr ? 0
          : search_.is_hash(field)
              ? comparisons_[field].compare(reader_.features(document, field)).jaccard()
          : search_.minhashers_.empty() ? search_.estimate(query_[field]->cut.data(), other)
                                        : estimate_from_features(document, field);
      scores_.push_back({score, schema.fields[field].weight.value()});
      fields_.push_back({schema.fields[field].name, score, {}});
    }
    const double score = score_of(search_.options_.score, scores_);
    if (score < search_.threshold_.value()) return std::nullopt;
    return score;
  }

  // Signatures without positions are not stored: a comparison needs their whole values, which may
  // take more room than the features of the document.
  double estimate_from_features(DocumentNumber document, std::uint32_t field) {
    const MinHasher& minhasher = search_.minhashers_[field];
    return estimate_jaccard(minhasher.sketch(query_[field]->features),
                            minhasher.sketch(reader_.features(document, field)));
  }

  const Search& search_;
  StoreReader& reader_;
  std::vector<const FieldHashes*> query_;       // by field; null: the query lacks it
  std::vector<FeatureComparison> comparisons_;  // by field
  std::vector<WeighedOverlap> overlaps_;
  std::vector<WeighedScore> scores_;
  std::vector<FieldMatch> fields_;
  // Stores without copies return many documents with equal features, often one after the other.
  std::optional<double> match_;  // the score of the last exact match of this query
  std::vector<std::vector<std::uint64_t>> match_features_;  // of that match, by field
  bool is_repeated_ = false;
};

// Decides by cut signatures which documents that share a key with a query's field are compared.
class Search::CutFilter {
 public:
  explicit CutFilter(const Search& search) : search_(search) {}

  void load(const FieldHashes& query) {
    if (std::exchange(query_, &query) == &query || !search_.is_hash(query.field)) return;
    picture_ = read_hash_features(query.features);
  }
  bool passes(const std::uint8_t* cut) const noexcept {
    if (!search_.is_hash(query_->field)) return search_.passes(query_->cut.data(), cut);
    if (picture_.count == 0) return true;  // without a hash, only equal images share its key
    const auto most = static_cast<std::uint32_t>(search_.distances_[query_->field]);
    for (std::size_t turn = 0; turn < static_cast<std::size_t>(picture_.count); ++turn)
      if (search_.kernels_.count_different_bits(picture_.hashes[turn].words.data(), cut,
                                                kHashWords) <= most)
        return true;
    return false;
  }

 private:
  const Search& search_;
  const FieldHashes* query_ = nullptr;
  HashesOfPicture picture_;
};

Search::Search(const Schema& completed, const SimilarOptions& options)
    : schema_(completed),
      options_(options),
      threshold_(options.threshold.value_or(completed.min_threshold)),
      slots_(completed.sketch.has_positions() ? static_cast<std::uint32_t>(completed.sketch.slots)
                                              : 0),
      cut_bytes_((slots_ + 1) / 2),
      least_equal_(static_cast<std::uint32_t>(cut_of(completed, threshold_).least_equal)),
      kernels_(kernels_for(active_cpu_level())),
      layout_(layout_of(completed)),
      filter_(completed, options.where) {
  for (const FieldSpec& field : completed.fields) {
    const int bits = field.features.hash_bits();
    distances_.push_back(bits == 0 ? -1 : largest_distance(bits, threshold_));
  }
  if (!completed.sketch.has_positions())
    for (const FieldSpec& field : completed.fields)
      minhashers_.emplace_back(completed.sketch, field.features);
  // Different decimals may have the same double. Such a threshold counts as below, too.
  const bool is_below = threshold_ != completed.min_threshold &&
                        threshold_.value() <= completed.min_threshold.value();
  if (is_below && !options.allow_low_recall)
    throw Error(ErrorCode::kInvalidArgument, Subject::parameter("threshold"),
                fmt::format("the threshold {} is below {}, for which the index was planned: of the "
                            "pairs there it would find {:.2g} %",
                            threshold_.str(), completed.min_threshold.str(),
                            100 * expected_recall(completed, threshold_)),
                "allow that (" + Parameter{"allow_low_recall", "true"} +
                    fmt::format("), or ask for {} or more", completed.min_threshold.str()));
}

double Search::expected_recall(const Schema& completed, const Threshold& threshold) {
  if (has_only_hashes(completed)) return 1;
  return std::max(0.0, completed.banding->candidate_probability(threshold.value()) -
                           cut_of(completed, threshold).loss);
}

double Search::found_probability(std::span<const double> similarities) const {
  double missed = 1;
  for (std::uint32_t field = 0; field < similarities.size(); ++field) {
    const double similarity = similarities[field];
    if (is_hash(field)) {  // found for certain within the distance, and never beyond it
      if (similarity >= threshold_.value()) return 1;
      continue;
    }
    missed *= 1 - schema_.banding->candidate_probability(similarity) *
                      pass_probability(static_cast<int>(least_equal_), agreement(similarity),
                                       static_cast<int>(slots_));
  }
  return 1 - missed;
}

std::uint32_t Search::equal_slots(const std::uint8_t* a, const std::uint8_t* b) const noexcept {
  // With an odd number of slots the last half byte is 0 in both, and was counted as equal.
  return kernels_.count_equal_halves(a, b, cut_bytes_) - slots_ % 2;
}

bool Search::passes(const std::uint8_t* a, const std::uint8_t* b) const noexcept {
  return equal_slots(a, b) >= least_equal_;
}

double Search::estimate(const std::uint8_t* a, const std::uint8_t* b) const noexcept {
  const double share = static_cast<double>(equal_slots(a, b)) / slots_;
  return std::max(0.0, (share - kByChance) / (1 - kByChance));
}

// If a score reaches the threshold, then the similarity of at least one field does, whatever the
// rule. The bands of that field find the document, and its signature passes there. So each field is
// looked up by itself, and several fields lose nothing beyond what one loses.
std::vector<std::vector<DocumentNumber>> Search::candidates(
    StoreReader& reader, std::span<const DocumentHashes> queries,
    const std::function<bool(std::size_t, DocumentNumber)>& is_wanted,
    std::uint64_t& compared) const {
  std::vector<std::vector<DocumentNumber>> out(queries.size());
  std::vector<const FieldHashes*> asked;
  std::vector<std::size_t> whose;
  std::vector<const FieldHashes*> hashes;       // the field of the query that each is asked for
  std::deque<std::vector<FieldHashes>> probes;  // of image hashes
  for (std::size_t query = 0; query < queries.size(); ++query) {
    for (const FieldHashes& field : queries[query].fields) {
      const auto ask = [&](const FieldHashes& keys) {
        asked.push_back(&keys);
        whose.push_back(query);
        hashes.push_back(&field);
      };
      if (!is_hash(field.field)) {
        ask(field);
        continue;
      }
      probes.push_back(hash_probes(field, schema_.fields[field.field].features.hash_bits(),
                                   distances_[field.field], layout_));
      for (const FieldHashes& probe : probes.back()) ask(probe);
    }
  }
  std::vector<std::vector<DocumentNumber>> found(asked.size());
  reader.get_ids(asked, found);
  CutFilter filter(*this);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (is_wanted)
      std::erase_if(found[i],
                    [&](DocumentNumber document) { return !is_wanted(whose[i], document); });
    compared += found[i].size();
    filter.load(*hashes[i]);
    for (const DocumentNumber document : found[i]) {
      throw_if_stopped(options_.stop);
      const std::uint8_t* cut = reader.cut(document, hashes[i]->field);
      if (cut != nullptr && filter.passes(cut)) out[whose[i]].push_back(document);
    }
  }
  if (schema_.fields.size() > 1 || !probes.empty()) {
    for (std::vector<DocumentNumber>& of_query : out) {
      std::sort(of_query.begin(), of_query.end());
      of_query.erase(std::unique(of_query.begin(), of_query.end()), of_query.end());
    }
  }
  return out;
}

void Search::prefetch(StoreReader& reader,
                      std::span<const std::vector<DocumentNumber>> found) const {
  if (!options_.exact) return;
  std::vector<DocumentNumber> all;
  for (const std::vector<DocumentNumber>& of_query : found)
    all.insert(all.end(), of_query.begin(), of_query.end());
  reader.prefetch(all);
}

std::vector<Match> Search::best(StoreReader& reader, std::vector<Found> found,
                                std::span<const std::vector<FieldMatch>> fields) const {
  const auto before = [&](const Found& x, const Found& y) {
    if (x.score != y.score) return x.score > y.score;
    return reader.id(x.document) < reader.id(y.document);
  };
  const std::size_t count = std::min(options_.limit, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), found.end(),
                    before);
  std::vector<Match> out;
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    out.push_back({std::string(reader.id(found[i].document)),
                   found[i].score,
                   options_.exact,
                   fields[found[i].fields],
                   {},
                   filter_.codec().decode(reader.attributes(found[i].document))});
  return out;
}

// Without a condition, the copies with the smallest ids are those that may be among the best, and
// their number tells how many are similar.
template <class Visit>
void Search::for_each_wanted_copy(StoreReader& reader, DocumentNumber original, std::size_t most,
                                  Visit visit) const {
  if (!filter_.is_needed()) {
    for (const DocumentNumber copy : reader.first_copies(original, most)) visit(copy);
    return;
  }
  reader.for_each_copy(original, [&](DocumentNumber copy) {
    if (filter_.passes(reader, copy)) visit(copy);
    return true;
  });
}

// Compares each original once, and reads only those of its copies that may be among the best. A
// condition is asked before the comparison, and of candidates only, so that a query with one is
// never slower, and finds what it would find without it.
std::vector<Match> Search::matches(StoreReader& reader, Comparison& comparison,
                                   const DocumentHashes& query,
                                   std::span<const DocumentNumber> documents,
                                   SimilarCounts& counts) const {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  // One of the copies may be the query itself, which is left out.
  const std::size_t most_copies = options_.limit == kMost ? kMost : options_.limit + 1;
  std::vector<Found> found;
  std::vector<std::vector<FieldMatch>> fields;
  bool is_loaded = false;
  for (const DocumentNumber document : documents) {
    throw_if_stopped(options_.stop);
    const bool is_left_out = reader.id(document) == query.id || !filter_.passes(reader, document);
    if (is_left_out && reader.count_copies(document) == 0) continue;
    if (!is_loaded) comparison.load(query);
    is_loaded = true;
    const std::optional<double> score = comparison.compare(document);
    if (!score) continue;
    if (!comparison.is_repeated()) fields.push_back(comparison.take_fields());
    const auto place = static_cast<std::uint32_t>(fields.size() - 1);
    if (!is_left_out) {
      found.push_back({*score, document, place});
      ++counts.similar;
    }
    const std::uint64_t copies = reader.count_copies(document);
    if (copies == 0) continue;
    const std::size_t before = found.size();
    for_each_wanted_copy(reader, document, most_copies, [&](DocumentNumber copy) {
      if (reader.id(copy) != query.id) found.push_back({*score, copy, place});
    });
    if (filter_.is_needed()) {
      counts.similar += found.size() - before;
      continue;
    }
    counts.similar += copies;
    if (is_left_out || query.id.empty()) continue;
    const std::optional<DocumentNumber> own = reader.find(query.id);
    if (own && reader.original(*own) == document) --counts.similar;
  }
  return best(reader, std::move(found), fields);
}

std::vector<std::vector<Match>> Search::run(StoreReader& reader,
                                            std::span<const DocumentHashes> queries,
                                            SimilarCounts& counts) const {
  const std::vector<std::vector<DocumentNumber>> documents =
      candidates(reader, queries, {}, counts.candidates);
  counts.queries += queries.size();
  std::vector<std::vector<Match>> out(queries.size());
  prefetch(reader, documents);
  Comparison comparison(*this, reader);
  for (std::size_t query = 0; query < queries.size(); ++query) {
    if (documents[query].empty()) continue;
    counts.compared += documents[query].size();
    out[query] = matches(reader, comparison, queries[query], documents[query], counts);
  }
  reader.throw_if_unreadable();
  return out;
}

std::vector<std::vector<Search::Similar>> Search::originals(
    StoreReader& reader, std::span<const DocumentHashes> queries,
    const std::function<bool(std::size_t, DocumentNumber)>& is_wanted, std::uint64_t& candidates,
    std::vector<std::vector<Similar>>* below) const {
  const auto found = this->candidates(reader, queries, is_wanted, candidates);
  std::vector<std::vector<Similar>> out(queries.size());
  if (below != nullptr) below->assign(queries.size(), {});
  prefetch(reader, found);
  Comparison comparison(*this, reader);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (found[i].empty()) continue;
    comparison.load(queries[i]);
    for (const DocumentNumber document : found[i]) {
      throw_if_stopped(options_.stop);
      if (below != nullptr) {
        const double score = comparison.score_exactly(document);
        (comparison.is_similar() ? out : *below)[i].push_back({document, score});
      } else if (const auto score = comparison.compare(document)) {
        out[i].push_back({document, *score});
      }
    }
  }
  reader.throw_if_unreadable();
  return out;
}

SimilarCounts& SimilarCounts::operator+=(const SimilarCounts& other) noexcept {
  queries += other.queries;
  candidates += other.candidates;
  compared += other.compared;
  similar += other.similar;
  return *this;
}

std::vector<DocumentNumber> Search::all(StoreReader& reader, const DocumentHashes& query) const {
  std::uint64_t candidates = 0;
  std::vector<DocumentNumber> out;
  const std::vector<std::vector<Similar>> found = originals(reader, {&query, 1}, {}, candidates);
  for (const Similar& similar : found[0]) {
    out.push_back(similar.document);
    reader.for_each_copy(similar.document, [&](DocumentNumber copy) {
      out.push_back(copy);
      return true;
    });
  }
  std::sort(out.begin(), out.end());
  reader.throw_if_unreadable();
  return out;
}

Search::Pair Search::compare(StoreReader& reader, const DocumentHashes& query,
                             DocumentNumber document) const {
  Comparison comparison(*this, reader);
  comparison.load(query);
  const double score = comparison.score_exactly(document);
  Pair out{{std::string(reader.id(document)), score, true, comparison.take_fields()},
           comparison.is_similar()};
  reader.throw_if_unreadable();
  return out;
}

std::vector<double> Search::scores(StoreReader& reader, const DocumentHashes& query,
                                   std::span<const DocumentNumber> documents) const {
  std::vector<double> out;
  reader.prefetch(documents);
  Comparison comparison(*this, reader);
  comparison.load(query);
  std::unordered_map<DocumentNumber, double> known;  // of originals that have copies
  for (const DocumentNumber document : documents) {
    throw_if_stopped(options_.stop);
    const DocumentNumber original = reader.original(document);
    if (original == document) {
      out.push_back(comparison.score_exactly(document));
      continue;
    }
    const auto [score, is_new] = known.try_emplace(original);
    if (is_new) score->second = comparison.score_exactly(document);
    out.push_back(score->second);
  }
  return out;
}

}  // namespace benzer
