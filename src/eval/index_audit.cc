// Audits the recall of the queries of an index.
#include <algorithm>
#include <queue>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <xxhash.h>

#include "benzer/audit.h"
#include "benzer/error.h"
#include "benzer/runtime.h"

#include "base/splitmix.h"
#include "engine/contents.h"
#include "engine/search.h"
#include "engine/whole_index.h"
#include "eval/sample_index.h"
#include "eval/tally.h"
#include "verify/score.h"

namespace benzer {
namespace {

// Draws the documents with features that have the smallest hashes of (id, seed), and returns them
// by number. Counts all documents.
std::vector<DocumentNumber> draw(StoreReader& reader, std::span<const DocumentNumber> documents,
                                 std::uint32_t fields, const IndexAuditOptions& options,
                                 AuditFigures& figures) {
  const std::uint64_t key = splitmix64(options.seed);
  std::priority_queue<std::pair<std::uint64_t, DocumentNumber>> smallest;
  for (const DocumentNumber document : documents) {
    throw_if_stopped(options.stop);
    ++figures.documents;
    bool has_features = false;
    for (std::uint32_t field = 0; field < fields; ++field)
      has_features |= reader.cut(document, field) != nullptr;
    if (!has_features) {
      ++figures.empty;
      continue;
    }
    ++figures.taking_part;
    const std::string_view id = reader.id(document);
    smallest.push({splitmix64(key ^ XXH3_64bits(id.data(), id.size())), document});
    if (smallest.size() > options.sample) smallest.pop();
  }
  std::vector<DocumentNumber> out;
  for (; !smallest.empty(); smallest.pop()) out.push_back(smallest.top().second);
  reader.throw_if_unreadable();
  std::sort(out.begin(), out.end());
  return out;
}

// Holds the features of the sample by field, and what a query for each drawn document finds.
//
// With keys one document of a pair may find the other, and not the other way round. So pairs are
// counted as Index::for_each_similar_pair() finds them: the document with more features looks the
// other one up. Of equally large ones each has to find the other, so that their order does not
// matter.
class IndexSample {
 public:
  IndexSample(StoreReader& reader, const Schema& schema, const Search& search,
              std::vector<DocumentNumber> drawn, const IndexAuditOptions& options)
      : schema_(schema), search_(search), drawn_(std::move(drawn)) {
    std::vector<std::vector<std::vector<std::uint64_t>>> features(schema.fields.size());
    for (const DocumentNumber document : drawn_) {
      throw_if_stopped(options.stop);
      DocumentHashes hashes = reader.get_hashes(document);
      found_.push_back(search.all(reader, hashes));
      originals_.push_back(reader.original(document));
      for (auto& of_field : features) of_field.emplace_back();
      for (FieldHashes& field : hashes.fields)
        features[field.field].back() = std::move(field.features);
    }
    for (std::size_t field = 0; field < features.size(); ++field) {
      const auto& of_field = features[field];
      const std::vector<std::span<const std::uint64_t>> sets(of_field.begin(), of_field.end());
      weightings_.push_back(weighting_of(schema.fields[field].features));
      indexes_.emplace_back(sets, weightings_.back());
      sizes_.emplace_back();
      for (const auto& set : sets) sizes_.back().push_back(size_of(set, weightings_.back()));
    }
  }

  std::span<const DocumentNumber> drawn() const noexcept { return drawn_; }
  bool is_drawn(DocumentNumber document) const {
    return std::binary_search(drawn_.begin(), drawn_.end(), document);
  }

  // Compares one document after another with the sample. Threads: one each.
  class Counter {
   public:
    explicit Counter(const IndexSample& sample)
        : sample_(sample), seen_(sample.drawn_.size()), own_(sample.indexes_.size()) {
      counters_.reserve(sample.indexes_.size());
      for (const SampleIndex& index : sample.indexes_) counters_.emplace_back(index);
    }

    // Returns the meetings with drawn documents that share a feature with this one, if their score
    // is at least least_score. Valid until the next call.
    std::span<const ScoredMeeting> meet(StoreReader& reader, DocumentNumber document,
                                        double least_score, ScoreRule rule) {
      met_.clear();
      asked_.clear();
      touched_.clear();
      for (std::uint32_t field = 0; field < counters_.size(); ++field) {
        const std::span<const std::uint64_t> features = reader.features(document, field);
        own_[field] = size_of(features, sample_.weightings_[field]);
        for (const std::uint32_t drawn : counters_[field].count(features)) {
          if (!seen_[drawn]) touched_.push_back(drawn);
          seen_[drawn] = true;
        }
      }
      for (const std::uint32_t drawn : touched_) {
        seen_[drawn] = false;
        if (sample_.drawn_[drawn] == document) continue;
        compare(reader, document, drawn, least_score, rule);
      }
      if (!asked_.empty()) ask(reader, document);
      return met_;
    }

   private:
    void compare(StoreReader& reader, DocumentNumber document, std::uint32_t drawn,
                 double least_score, ScoreRule rule) {
      overlaps_.clear();
      pairs_.assign(counters_.size(), {});
      ScoredMeeting met{drawn, 0, false, false, true, false, 0};
      for (std::size_t field = 0; field < counters_.size(); ++field) {
        const std::uint64_t other = sample_.sizes_[field][drawn];
        if (own_[field] + other == 0) continue;
        const std::uint64_t shared = counters_[field].shared(drawn);
        const Overlap overlap =
            own_[field] == 0 || other == 0
                ? Overlap{0, own_[field] + other}
                : overlap_of_sizes(shared, own_[field], other, sample_.schema_.measure);
        overlaps_.push_back({overlap, sample_.schema_.fields[field].weight.millionths()});
        pairs_[field] = {overlap.jaccard(), shared, own_[field]};
        // Of two sets that are not equal, one may contain the other.
        met.equal &= shared == own_[field] && shared == other;
      }
      met.score = score_of(rule, overlaps_);
      if (met.score < least_score) return;
      met.similar = reaches(rule, overlaps_, sample_.search_.threshold());
      const auto& found = sample_.found_[drawn];
      met.found = met.similar && std::binary_search(found.begin(), found.end(), document);
      met.predicted = sample_.search_.found_probability(pairs_);
      met.again = document < sample_.drawn_[drawn] && sample_.is_drawn(document);
      if (sample_.schema_.keys) look_from_both(reader, document, met);
      met_.push_back(met);
    }

    // Says of a meeting, which is as the drawn document finds it, how the pair is found.
    void look_from_both(StoreReader& reader, DocumentNumber document, ScoredMeeting& met) {
      met.query_finds = met.found;
      met.query_predicted = met.predicted;
      if (met.similar && reader.original(document) == sample_.originals_[met.drawn]) {
        met.found = true;
        met.predicted = 1;
        return;
      }
      std::uint64_t size = 0, size_of_drawn = 0;
      for (std::size_t field = 0; field < own_.size(); ++field) {
        size += own_[field];
        size_of_drawn += sample_.sizes_[field][met.drawn];
        pairs_[field].size = sample_.sizes_[field][met.drawn];
      }
      if (size < size_of_drawn) return;
      const double predicted = sample_.search_.found_probability(pairs_);
      // Of equally large documents the features that are keys of one are keys of the other, unless
      // all features of a field are; so the less certain finding makes the other one certain.
      met.predicted = size == size_of_drawn ? std::min(predicted, met.predicted) : predicted;
      if (!met.similar) return;
      if (size > size_of_drawn) met.found = true;  // until ask() says otherwise
      asked_.push_back(met_.size());
    }

    // Looks up the drawn documents of asked_, as a query for this document would.
    void ask(StoreReader& reader, DocumentNumber document) {
      const auto original_of = [&](std::size_t place) {
        return sample_.originals_[met_[place].drawn];
      };
      wanted_.clear();
      for (const std::size_t place : asked_) wanted_.push_back(original_of(place));
      std::sort(wanted_.begin(), wanted_.end());
      const DocumentHashes query = reader.get_hashes(document);
      std::uint64_t candidates = 0;
      const std::vector<Search::Similar> found = sample_.search_.originals(
          reader, {&query, 1},
          [&](std::size_t, DocumentNumber original) {
            return std::binary_search(wanted_.begin(), wanted_.end(), original);
          },
          candidates)[0];
      for (const std::size_t place : asked_)
        met_[place].found &=
            std::ranges::binary_search(found, original_of(place), {}, &Search::Similar::document);
    }

    const IndexSample& sample_;
    std::vector<SharedCounter> counters_;  // by field
    std::vector<bool> seen_;               // by drawn document: is it in touched_?
    std::vector<std::uint32_t> touched_;
    std::vector<std::uint64_t> own_;  // sizes by field
    std::vector<WeighedOverlap> overlaps_;
    std::vector<Search::FieldPair> pairs_;
    std::vector<ScoredMeeting> met_;
    std::vector<std::size_t> asked_;  // places in met_ whose drawn documents are looked up
    std::vector<DocumentNumber> wanted_;
  };

 private:
  const Schema& schema_;
  const Search& search_;
  std::vector<DocumentNumber> drawn_;               // ascending
  std::vector<std::vector<DocumentNumber>> found_;  // for each of them, ascending
  std::vector<DocumentNumber> originals_;           // of each of them
  std::vector<Weighting> weightings_;               // by field
  std::vector<std::vector<std::uint64_t>> sizes_;   // of sets, by field and drawn document
  std::vector<SampleIndex> indexes_;
};

struct Met {
  DocumentNumber document;
  ScoredMeeting meeting;
};

}  // namespace

AuditFigures audit(const Index& index, const IndexAuditOptions& options) {
  if (options.sample < 1)
    throw Error(ErrorCode::kInvalidArgument, "an audit needs a sample of at least one document");
  const Schema& schema = index.schema();
  for (const FieldSpec& field : schema.fields)
    if (field.features.comparison() == Comparison::kHashes)
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("the field {} is a hash of pictures, and an index finds all pairs of "
                              "these: an audit is for indexes whose fields are all sets",
                              field.name));
  const Search search(schema, similar_options(options));
  const std::unique_ptr<StoreReader> reader = WholeIndex::reader(index, options.stop);
  const Contents contents(*reader, AttributeFilter(schema));
  const std::span<const DocumentNumber> documents = contents.documents();

  AuditFigures figures;
  if (schema.keys) figures.queries.emplace();
  figures.recall_at_threshold = index.expected_recall(search.threshold());
  const auto fields = static_cast<std::uint32_t>(schema.fields.size());
  const IndexSample sample(*reader, schema, search,
                           draw(*reader, documents, fields, options, figures), options);
  figures.sampled = sample.drawn().size();

  Tally tally(search.threshold().value(), sample.drawn().size(), figures);
  Pool<IndexSample::Counter> counters;
  std::string id_a, id_b;
  for_each_piece<std::vector<Met>>(
      *reader, documents, options,
      [&](StoreReader& own, std::span<const DocumentNumber> piece, std::vector<Met>& out) {
        out.clear();
        auto counter =
            counters.take([&] { return std::make_unique<IndexSample::Counter>(sample); });
        for (const DocumentNumber document : piece)
          for (const ScoredMeeting& met : counter->meet(
                   own, document, Tally::least_score(search.threshold().value()), options.score))
            out.push_back({document, met});
        counters.give(std::move(counter));
      },
      [&](const std::vector<Met>& all) {
        for (const auto& [document, met] : all) {
          tally.add(met);
          if (!met.similar || met.again || !options.pairs) continue;
          const auto [a, b] = std::minmax(document, sample.drawn()[met.drawn]);
          id_a = reader->id(a);
          id_b = reader->id(b);
          reader->throw_if_unreadable();
          options.pairs({id_a, id_b, met.score}, met.found);
        }
      });
  tally.finish([](std::size_t) { return false; });
  return figures;
}

}  // namespace benzer
