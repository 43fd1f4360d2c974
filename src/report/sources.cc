#include "report/sources.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace benzer::report {
namespace {

constexpr std::size_t kNowhere = ~std::size_t{0};

// Returns those of the candidates that have the highest weights, in their order; of equal weights
// the first ones.
std::vector<std::size_t> heaviest(const std::vector<std::size_t>& candidates,
                                  const std::vector<std::uint64_t>& weights, std::size_t most) {
  std::vector<std::size_t> places = candidates;
  if (places.size() <= most) return places;
  std::sort(places.begin(), places.end(), [&](std::size_t x, std::size_t y) {
    return std::tuple(weights[y], x) < std::tuple(weights[x], y);
  });
  places.resize(most);
  std::sort(places.begin(), places.end());
  return places;
}

// A source that gives references and documents has a row for each.
class Rows {
 public:
  explicit Rows(const Corpus& corpus) : corpus_(corpus) {
    const auto names = corpus.sources();
    place_.resize(2 * std::max<std::size_t>(names.size(), 1), kNowhere);
    std::vector<std::uint64_t> documents(place_.size());
    for (std::uint32_t i = 0; i < corpus.size(); ++i) ++documents[key(i)];
    for (const bool reference : {true, false}) {
      for (std::size_t source = 0; source < place_.size() / 2; ++source) {
        const std::size_t k = 2 * source + (reference ? 1 : 0);
        // A source without documents has a row, too: people may want to know that it is empty.
        if (documents[k] == 0 && (reference || documents[k + 1] > 0)) continue;
        place_[k] = list.size();
        list.push_back({source < names.size() ? names[source] : "", reference, documents[k], 0});
      }
    }
  }

  std::size_t of(std::uint32_t document) const { return place_[key(document)]; }

  std::vector<ReportedSource> list;

 private:
  std::size_t key(std::uint32_t document) const {
    return 2 * std::size_t{corpus_.source_of(document)} + (document < corpus_.references() ? 1 : 0);
  }

  const Corpus& corpus_;
  std::vector<std::size_t> place_;
};

// The places of all references and of all others in Rows::list.
struct Kinds {
  std::vector<std::size_t> references, others;
};

// Counts of removals, by place in Rows::list.
struct Removals {
  std::vector<std::uint64_t> from, because;  // because: one in the source was kept
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> pairs;  // both of them
};

// Adds rows to the report. Returns what all the others have together.
ReportedSource add_rows(const std::vector<ReportedSource>& list, bool reference,
                        const std::vector<std::size_t>& all, const std::vector<std::size_t>& shown,
                        Report& report) {
  ReportedSource rest;
  rest.reference = reference;
  for (const std::size_t place : all) {
    if (std::binary_search(shown.begin(), shown.end(), place)) {
      report.sources.push_back(list[place]);
    } else {
      rest.documents += list[place].documents;
      rest.removed += list[place].removed;
    }
  }
  return rest;
}

// Nothing is removed from references, so they are columns only.
void count_matrix(const std::vector<ReportedSource>& list, const Kinds& kinds,
                  const Removals& removals, Report& report) {
  std::vector<std::uint64_t> involved = removals.from;
  for (std::size_t i = 0; i < involved.size(); ++i) involved[i] += removals.because[i];
  const auto sources = heaviest(kinds.others, involved, kMatrixSources);
  const auto references = heaviest(kinds.references, removals.because, kMatrixReferences);
  report.matrix_others = kinds.others.size() - sources.size();
  report.matrix_other_references = kinds.references.size() - references.size();
  // The row or column of each place in the list.
  std::vector<std::size_t> line(list.size(), sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    line[sources[i]] = i;
    report.matrix_sources.push_back(list[sources[i]].name);
  }
  const std::size_t rows = sources.size() + (report.matrix_others > 0 ? 1 : 0);
  for (const std::size_t place : kinds.references) line[place] = rows + references.size();
  for (std::size_t i = 0; i < references.size(); ++i) {
    line[references[i]] = rows + i;
    report.matrix_references.push_back(list[references[i]].name);
  }
  const std::size_t columns =
      rows + references.size() + (report.matrix_other_references > 0 ? 1 : 0);
  report.removed_by.assign(rows, std::vector<std::uint64_t>(columns));
  for (const auto& [pair, number] : removals.pairs)
    report.removed_by[line[pair.first]][line[pair.second]] += number;
}

}  // namespace

void count_sources(const Corpus& corpus, const DedupResult& result, Report& report) {
  Rows rows(corpus);
  Removals removals;
  removals.from.resize(rows.list.size());
  removals.because.resize(rows.list.size());
  for (const Removal& removal : result.removed) {
    const std::size_t from = rows.of(removal.document);
    ++rows.list[from].removed;
    if (!removal.keeper) continue;
    const std::size_t keeper = rows.of(*removal.keeper);
    ++removals.from[from];
    ++removals.because[keeper];
    ++removals.pairs[{from, keeper}];
  }

  Kinds kinds;
  std::vector<std::uint64_t> removed;
  for (std::size_t place = 0; place < rows.list.size(); ++place) {
    removed.push_back(rows.list[place].removed);
    (rows.list[place].reference ? kinds.references : kinds.others).push_back(place);
  }
  const auto references = heaviest(kinds.references, removals.because, kShownReferences);
  const auto others = heaviest(kinds.others, removed, kShownSources);
  report.rest_of_references = add_rows(rows.list, true, kinds.references, references, report);
  report.more_references = kinds.references.size() - references.size();
  report.rest = add_rows(rows.list, false, kinds.others, others, report);
  report.more_sources = kinds.others.size() - others.size();
  count_matrix(rows.list, kinds, removals, report);
}

}  // namespace benzer::report
