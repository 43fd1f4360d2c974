#include "report_totals.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

namespace nb = nanobind;

namespace benzer::python {
namespace {

constexpr std::size_t kMostListed = 20;  // as in Report

// Divides the clusters that are shown among the lists again, now that their sizes are known.
void rank_clusters(Report& report) {
  std::vector<std::uint32_t> places(report.shown.size());
  std::iota(places.begin(), places.end(), 0);
  std::vector<bool> is_listed(places.size());
  const auto first_of = [&](auto less) {
    std::stable_sort(places.begin(), places.end(), less);
    std::vector<std::uint32_t> out(
        places.begin(),
        places.begin() + static_cast<std::ptrdiff_t>(std::min(places.size(), kMostListed)));
    for (const std::uint32_t place : out) is_listed[place] = true;
    return out;
  };
  const std::vector<ReportedCluster>& shown = report.shown;
  report.largest = first_of(
      [&](std::uint32_t x, std::uint32_t y) { return shown[x].removed > shown[y].removed; });
  report.weakest = first_of(
      [&](std::uint32_t x, std::uint32_t y) { return shown[x].weakest < shown[y].weakest; });
  report.any.clear();
  for (std::uint32_t place = 0; place < shown.size(); ++place)
    if (!is_listed[place] && report.any.size() < kMostListed) report.any.push_back(place);
}

// A place in the sample says nothing about the document; its id does.
void forget_place(ReportedDocument& document) {
  document.number.reset();
  document.line = 0;
}

}  // namespace

ReportTotals::ReportTotals(nb::dict numbers, nb::list sizes, nb::dict clusters, nb::list members,
                           nb::list sample) {
  for (const auto [name, value] : numbers)
    numbers_[nb::cast<std::string>(name)] = nb::cast<std::uint64_t>(value);
  for (const nb::handle one : sizes) {
    const auto [documents, count] = nb::cast<std::pair<std::uint64_t, std::uint64_t>>(one);
    sizes_[documents] += count;
  }
  for (const auto [keeper, counts] : clusters) {
    const auto [removed, equal] = nb::cast<std::pair<std::uint64_t, std::uint64_t>>(counts);
    clusters_[nb::cast<std::uint32_t>(keeper)] = {removed, equal};
  }
  for (const nb::handle row : members) members_.insert(nb::cast<std::uint32_t>(row));
  for (const nb::handle one : sample) {
    const auto [keeper, removed, score] =
        nb::cast<std::tuple<std::uint32_t, std::uint32_t, double>>(one);
    sample_.push_back({keeper, removed, score});
  }
}

DedupResult ReportTotals::of_clusters(const DedupResult& result) const {
  DedupResult out = result;
  out.removed.clear();
  out.links.clear();
  for (std::size_t i = 0; i < result.removed.size(); ++i) {
    const Removal& removal = result.removed[i];
    // Where a chain of similar documents is not complete, others may be keepers.
    const bool is_shown = members_.contains(removal.document) && removal.keeper &&
                          clusters_.contains(*removal.keeper);
    if (!is_shown) continue;
    out.removed.push_back(removal);
    if (!result.links.empty()) out.links.push_back(result.links[i]);
  }
  return out;
}

std::uint64_t ReportTotals::number(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? 0 : found->second;
}

void ReportTotals::apply(Report& report) const {
  SimilarityCounts& counts = report.counts;
  counts.documents = number("documents");
  counts.references = number("references");
  counts.bytes = number("bytes");
  counts.empty = number("empty");
  counts.short_documents = number("short");
  counts.replaced = number("replaced");
  counts.exact_duplicates = number("exact_duplicates");
  counts.copies_of_removed =
      counts.exact_duplicates - std::min(counts.exact_duplicates, number("equal"));
  counts.candidates = number("candidates");
  counts.verified_pairs = number("verified_pairs");
  report.run.input.skipped = number("skipped");
  report.run.input.without_group = number("without_group");
  report.run.input.without_number = number("without_number");
  report.kept = number("kept");
  report.removed = number("removed");
  report.removed_bytes = number("removed_bytes");
  report.equal = number("equal");
  report.near = number("near");
  report.dropped = number("dropped");
  report.below = number("below");
  report.clusters = number("clusters");
  report.largest_cluster = number("largest_cluster");
  for (ReportedSource& source : report.sources) {
    source.documents = source.reference ? counts.references : counts.documents;
    source.removed = source.reference ? 0 : report.removed;
  }
  // All documents are of one frame, so that it says nothing whose keepers remove whose documents.
  report.matrix_sources.clear();
  report.matrix_references.clear();
  report.removed_by.clear();

  report.sizes.clear();
  for (const auto& [documents, count] : sizes_) {
    const std::uint64_t from = documents < 4 ? documents : std::bit_floor(documents);
    if (report.sizes.empty() || report.sizes.back().from != from)
      report.sizes.push_back({from, documents < 4 ? documents : 2 * from - 1, 0, 0});
    report.sizes.back().clusters += count;
    report.sizes.back().removed += (documents - 1) * count;
  }
  for (ReportedCluster& cluster : report.shown) {
    if (!cluster.keeper.number) continue;
    const auto found = clusters_.find(*cluster.keeper.number);
    if (found == clusters_.end()) continue;
    cluster.removed = found->second.removed;
    cluster.equal = found->second.equal;
  }

  rank_clusters(report);
  for (ReportedCluster& cluster : report.shown) {
    forget_place(cluster.keeper);
    for (ReportedMember& member : cluster.members) {
      forget_place(member.pair.a);
      forget_place(member.pair.b);
      if (member.link) forget_place(*member.link);
    }
  }

  for (ReportedPair& pair : report.sample) {
    forget_place(pair.a);
    forget_place(pair.b);
  }

  report.scores.clear();
  report.compared = report.equal_pairs = report.similar_pairs = 0;
  report.missed_pairs = 0;
  report.above.clear();
  report.under.clear();
}

}  // namespace benzer::python
