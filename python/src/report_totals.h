// The numbers of a run on several machines, of which a report shows a sample of the documents.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "benzer/dedup.h"
#include "benzer/report.h"

namespace benzer::python {

class ReportTotals {
 public:
  // numbers: those of the summary, by their names there, and `removed_bytes`, `equal`, `near`,
  // `dropped` and `below` as in Report. sizes: lists of documents in a cluster and clusters of that
  // size. clusters: of each cluster that is shown, by the row of its keeper, the documents that
  // were removed and those of them that are equal. members: the rows of the removed documents that
  // these clusters show. sample: (row of the keeper, row, score) of the removals picked at random.
  // Call it with the GIL.
  ReportTotals(nanobind::dict numbers, nanobind::list sizes, nanobind::dict clusters,
               nanobind::list members, nanobind::list sample);

  // Returns the result with the removals that these clusters show, and no others.
  DedupResult of_clusters(const DedupResult& result) const;
  const std::vector<ScoredPair>& sample() const noexcept { return sample_; }

  // Puts them into the report. What was counted of the sample alone goes: the scores of compared
  // pairs, and those nearest to the threshold.
  void apply(Report& report) const;

 private:
  struct ClusterCounts {
    std::uint64_t removed = 0, equal = 0;
  };
  std::uint64_t number(const std::string& name) const;

  std::map<std::string, std::uint64_t> numbers_;
  std::map<std::uint64_t, std::uint64_t> sizes_;
  std::map<std::uint32_t, ClusterCounts> clusters_;
  std::set<std::uint32_t> members_;
  std::vector<ScoredPair> sample_;
};

}  // namespace benzer::python
