#include "eval/tally.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace benzer {
namespace {

constexpr double kStep = 0.05;  // of the ranges of scores
constexpr int kStepsBelow = 4;

// 0.8 + 2 * 0.05 is not 0.9 as a double, so bounds are rounded for the people who read them.
double bound(double threshold, int steps) {
  return std::clamp(std::round((threshold + steps * kStep) * 1e9) / 1e9, 0.0, 1.0);
}

template <class Counts>
void count(Counts& to, const ScoredMeeting& met) {
  to.pairs += met.pairs;
  if (met.found) to.found += met.pairs;
}

template <class Counts>
void count_predicted(Counts& to, const ScoredMeeting& met) {
  count(to, met);
  to.predicted += met.predicted * static_cast<double>(met.pairs);
}

ScoredMeeting as_query(ScoredMeeting met) {
  met.found = met.query_finds;
  met.predicted = met.query_predicted;
  return met;
}

// Counts a pair in the row that has its score, by the edges that people read: a quotient by kStep
// may be rounded to the next row. A score outside of all rows, whose edges are rounded, is counted
// in the nearest one.
void count_in_row(std::vector<ScoreRange>& rows, const ScoredMeeting& met) {
  const auto distance = [&](const ScoreRange& row) {
    if (row.from <= met.score && met.score < row.to) return -1.0;
    return std::max(row.from - met.score, met.score - row.to);
  };
  const auto nearest = std::ranges::min_element(rows, {}, distance);
  if (nearest != rows.end()) count_predicted(*nearest, met);
}

}  // namespace

Tally::Tally(double threshold, std::size_t sample, AuditFigures& figures)
    : figures_(figures), all_(sample), different_(sample), queries_(sample) {
  for (int step = 0; bound(threshold, step) < 1; ++step)
    figures.ranges.push_back({bound(threshold, step), bound(threshold, step + 1), 0, 0, 0});
  for (int step = 0; step < kStepsBelow && bound(threshold, -step) > 0; ++step)
    figures.below.push_back({bound(threshold, -step - 1), bound(threshold, -step), 0, 0, 0});
}

double Tally::least_score(double threshold) noexcept { return bound(threshold, -kStepsBelow); }

void Tally::add(const ScoredMeeting& met) {
  if (met.similar) {
    count(all_[met.drawn], met);
    if (!met.equal) count(different_[met.drawn], met);
    if (figures_.queries) {
      count(queries_[met.drawn], as_query(met));
      count_predicted(*figures_.queries, as_query(met));
    }
  }
  if (met.again) return;
  if (met.similar) {
    add_similar(met);
  } else {
    count_in_row(figures_.below, met);
  }
}

void Tally::add_similar(const ScoredMeeting& met) {
  count_predicted(figures_.all, met);
  if (met.equal) {
    figures_.equal_pairs += met.pairs;
    if (met.found) figures_.equal_found += met.pairs;
    figures_.equal_predicted += met.predicted * static_cast<double>(met.pairs);
    return;
  }
  count_predicted(figures_.different, met);
  count_in_row(figures_.ranges, met);
}

void Tally::finish(const std::function<bool(std::size_t drawn)>& is_reference) {
  const std::uint64_t population = figures_.taking_part;
  for (auto& [recall, documents] : {std::pair{&figures_.all, &all_},
                                    {&figures_.different, &different_},
                                    {figures_.queries ? &*figures_.queries : nullptr, &queries_}}) {
    if (recall == nullptr) continue;
    if (recall->pairs > 0) recall->predicted /= static_cast<double>(recall->pairs);
    recall->share = share_of_pairs(*documents, recall->pairs, recall->found, population);
  }
  if (figures_.equal_pairs > 0)
    figures_.equal_predicted /= static_cast<double>(figures_.equal_pairs);
  for (auto* ranges : {&figures_.ranges, &figures_.below})
    for (ScoreRange& range : *ranges)
      if (range.pairs > 0) range.predicted /= static_cast<double>(range.pairs);

  for (std::size_t drawn = 0; drawn < all_.size(); ++drawn) {
    if (is_reference(drawn)) continue;
    ++figures_.sampled_documents;
    figures_.with_similar += all_[drawn].pairs > 0;
  }
  // Documents and references were drawn together, so the share of documents in the sample tells
  // about how many there are.
  const bool everything = figures_.sampled == population;
  figures_.similar_share =
      share_of_documents(figures_.with_similar, figures_.sampled_documents,
                         everything ? figures_.sampled_documents
                                    : figures_.sampled_documents * population / figures_.sampled);
}

}  // namespace benzer
