#include "report/sources.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace benzer::report {
namespace {

constexpr std::size_t kNowhere = ~std::size_t{0};

// Returns the places with the highest weights, ascending; of equal weights the first ones.
std::vector<std::size_t> heaviest(const std::vector<std::uint64_t>& weights, std::size_t most) {
  std::vector<std::size_t> places(weights.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
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

}  // namespace

void count_sources(const Corpus& corpus, const DedupResult& result, Report& report) {
  Rows rows(corpus);
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> because;
  std::vector<std::uint64_t> involved(rows.list.size());
  for (const Removal& removal : result.removed) {
    const std::size_t from = rows.of(removal.document);
    ++rows.list[from].removed;
    if (!removal.keeper) continue;
    const std::size_t keeper = rows.of(*removal.keeper);
    ++because[{from, keeper}];
    ++involved[from];
    ++involved[keeper];
  }

  std::vector<std::uint64_t> weights;
  for (const ReportedSource& source : rows.list)
    weights.push_back(source.reference ? ~std::uint64_t{0} : source.removed);
  const std::vector<std::size_t> shown = heaviest(weights, kShownSources);
  for (const std::size_t place : shown) report.sources.push_back(rows.list[place]);
  report.more_sources = rows.list.size() - shown.size();
  for (const ReportedSource& source : rows.list) {
    report.rest.documents += source.documents;
    report.rest.removed += source.removed;
  }
  for (const ReportedSource& source : report.sources) {
    report.rest.documents -= source.documents;
    report.rest.removed -= source.removed;
  }

  const std::vector<std::size_t> axis = heaviest(involved, kMatrixSources);
  report.matrix_others = rows.list.size() - axis.size();
  const std::size_t size = axis.size() + (report.matrix_others > 0 ? 1 : 0);
  report.removed_by.assign(size, std::vector<std::uint64_t>(size));
  for (const std::size_t place : axis)
    report.matrix_sources.push_back(rows.list[place].name +
                                    (rows.list[place].reference ? " (reference)" : ""));
  const auto place_on_axis = [&](std::size_t row) {
    const auto found = std::lower_bound(axis.begin(), axis.end(), row);
    return found != axis.end() && *found == row ? static_cast<std::size_t>(found - axis.begin())
                                                : axis.size();
  };
  for (const auto& [pair, number] : because)
    report.removed_by[place_on_axis(pair.first)][place_on_axis(pair.second)] += number;
}

}  // namespace benzer::report
