#include "engine/search.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "engine/cut_agreement.h"
#include "engine/hash_keys.h"
#include "engine/search_comparison.h"
#include "engine/wanted_copies.h"
#include "sketch/kernels/kernels.h"

namespace benzer {
namespace {

// Whether cut signatures are kept.
bool has_signatures(const Schema& schema) {
  return schema.measure == Measure::kJaccard && schema.sketch.has_positions();
}

SignatureCut cut_of(const Schema& schema, const Threshold& threshold) {
  if (!has_signatures(schema)) return {};
  return cut_for(threshold.value(), schema.sketch.slots, schema.recall);
}

}  // namespace

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
      threshold_(options.floor ? *options.floor
                               : options.threshold.value_or(completed.min_threshold)),
      slots_(has_signatures(completed) ? static_cast<std::uint32_t>(completed.sketch.slots) : 0),
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
  if (completed.keys && !options.exact)
    throw Error(ErrorCode::kInvalidArgument, Subject::parameter("exact"),
                "estimated scores come from signatures, and containment has none",
                "ask for exact scores");
  if (options.floor) {
    check_floor();
    return;
  }
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
  if (completed.keys) {
    const std::uint32_t least = completed.keys->least;
    return completed.keys->found_probability(
        threshold.needed_intersection(least, least, Measure::kContainment), least);
  }
  return std::max(0.0, completed.banding->candidate_probability(threshold.value()) -
                           cut_of(completed, threshold).loss);
}

double Search::found_probability(std::span<const FieldPair> fields) const {
  if (options_.floor) return floor_probability(fields);
  double missed = 1;
  for (std::uint32_t field = 0; field < fields.size(); ++field) {
    const auto& [similarity, shared, size] = fields[field];
    if (is_hash(field)) {  // found for certain within the distance, and never beyond it
      if (similarity >= threshold_.value()) return 1;
    } else if (schema_.keys) {
      missed *= 1 - schema_.keys->found_probability(shared, size);
    } else {
      missed *= 1 - schema_.banding->candidate_probability(similarity) *
                        pass_probability(static_cast<int>(least_equal_), agreement(similarity),
                                         static_cast<int>(slots_));
    }
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
  return std::max(0.0, (share - kAgreementByChance) / (1 - kAgreementByChance));
}

// If a score reaches the threshold, then the similarity of at least one field does, whatever the
// rule. The bands of that field find the document, and its signature passes there. So each field is
// looked up by itself, and several fields lose nothing beyond what one loses.
std::vector<std::vector<DocumentNumber>> Search::candidates(
    StoreReader& reader, std::span<const DocumentHashes> queries,
    const std::function<bool(std::size_t, DocumentNumber)>& is_wanted,
    std::uint64_t& compared) const {
  if (schema_.keys) return candidates_by_keys(reader, queries, is_wanted, compared);
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

// Puts the matches that a query returns first, best first, and returns how many they are.
std::size_t Search::sort_best(StoreReader& reader, std::span<Found> found) const {
  const auto before = [&](const Found& x, const Found& y) {
    if (x.score != y.score) return x.score > y.score;
    return reader.id(x.document) < reader.id(y.document);
  };
  const std::size_t count = std::min(options_.limit, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), found.end(),
                    before);
  return count;
}

std::vector<Match> Search::best(StoreReader& reader, std::vector<Found> found,
                                std::span<const std::vector<FieldMatch>> fields) const {
  const std::size_t count = sort_best(reader, found);
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

// Compares an original once, and reads only those of its copies that may be among the best. A
// condition is asked before the comparison, and of candidates only, so that a query with one is
// never slower, and finds what it would find without it.
void Search::collect(StoreReader& reader, Comparison& comparison, const DocumentHashes& query,
                     DocumentNumber document, Collected& out, SimilarCounts& counts) const {
  const bool is_left_out = reader.id(document) == query.id || !filter_.passes(reader, document);
  if (is_left_out && reader.count_copies(document) == 0) return;
  if (!std::exchange(out.is_loaded, true)) comparison.load(query);
  const std::optional<double> score = comparison.compare(document);
  if (!score || *score < out.least) return;
  if (!comparison.is_repeated()) out.fields.push_back(comparison.take_fields());
  const auto place = static_cast<std::uint32_t>(out.fields.size() - 1);
  const std::size_t before = out.found.size();
  if (!is_left_out) out.found.push_back({*score, document, place});
  const std::uint64_t copies = reader.count_copies(document);
  if (copies > 0)
    for_each_wanted_copy(reader, filter_, document, options_.limit, options_.stop,
                         [&](DocumentNumber copy) {
                           if (reader.id(copy) != query.id)
                             out.found.push_back({*score, copy, place});
                         });
  counts.similar += filter_.is_needed() ? out.found.size() - before
                                        : count_others(reader, document, copies, query.id);
}

std::vector<Match> Search::matches(StoreReader& reader, Comparison& comparison,
                                   const DocumentHashes& query,
                                   std::span<const DocumentNumber> documents,
                                   SimilarCounts& counts) const {
  Collected collected;
  for (const DocumentNumber document : documents) {
    throw_if_stopped(options_.stop);
    collect(reader, comparison, query, document, collected, counts);
  }
  return best(reader, std::move(collected.found), collected.fields);
}

std::vector<std::vector<Match>> Search::run(StoreReader& reader,
                                            std::span<const DocumentHashes> queries,
                                            SimilarCounts& counts) const {
  counts.queries += queries.size();
  if (options_.floor) return most_similar(reader, queries, counts);
  const std::vector<std::vector<DocumentNumber>> documents =
      candidates(reader, queries, {}, counts.candidates);
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
        (comparison.is_similar() ? out : *below)[i].push_back(
            {document, score, comparison.shares()});
      } else if (const auto score = comparison.compare(document)) {
        out[i].push_back({document, *score, comparison.match_shares()});
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
      throw_if_stopped(options_.stop);
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

std::vector<Search::Compared> Search::compare_all(StoreReader& reader, const DocumentHashes& query,
                                                  std::span<const DocumentNumber> documents) const {
  std::vector<Compared> out;
  reader.prefetch(documents);
  Comparison comparison(*this, reader);
  comparison.load(query);
  const auto compare = [&](DocumentNumber document) {
    const double score = comparison.score_exactly(document);
    return Compared{score, comparison.shares(), comparison.is_covered()};
  };
  std::unordered_map<DocumentNumber, Compared> known;  // of originals that have copies
  for (const DocumentNumber document : documents) {
    throw_if_stopped(options_.stop);
    const DocumentNumber original = reader.original(document);
    if (original == document) {
      out.push_back(compare(document));
      continue;
    }
    const auto [compared, is_new] = known.try_emplace(original);
    if (is_new) compared->second = compare(document);
    out.push_back(compared->second);
  }
  return out;
}

}  // namespace benzer
