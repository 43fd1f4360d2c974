// Says what the numbers of the experiments on the course report show, and judges its claims.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "research/experiments/course_search.h"
#include "research/experiments/judge.h"

namespace benzer::experiments::course_report {

inline constexpr std::array<double, 3> kErrors = {0.04, 0.07, 0.09};
inline constexpr std::array<std::uint32_t, 3> kPermutations = {400, 600, 800};
// Table 1 of the report, by error and k: means of 15 runs, of 500,500 pairs.
inline constexpr double kAccuracyOfDocument[3][3] = {
    {7077.4, 1225.07, 738.8}, {15.0, 0.2, 0.0}, {0.33, 0.0, 0.0}};

// All runs of a way to make signatures, each with functions of its own.
struct AccuracyRuns {
  std::vector<double> off[3][3];  // pairs that are off by more, by error and k
  std::vector<double> bias[3];    // mean error of the estimates of all pairs, by k
};
double mean(const std::vector<double>& values);
double deviation(const std::vector<double>& values);  // of one value; 0 for fewer than two

// Of table 1 and figure 1: three ways on the same files, and the expected counts of independent
// slots.
struct Accuracy {
  AccuracyRuns document, kperm, fss;
  double theory[3][3] = {};
  std::size_t pairs = 0;
  double mean_similarity = 0;
  double mean_terms = 0;  // of a file
};
Judged judge_accuracy(const Accuracy& numbers);
// The same claims, with the findings that the figure adds to the table.
Judged judge_accuracy_figure(const Accuracy& numbers);

// Seconds of table 2 and figure 2, by k = 100, 350, 600: medians.
struct Times {
  double exact = 0, estimated = 0, matrix = 0, fss = 0;
  std::uint64_t exact_comparisons = 0, estimated_comparisons = 0;
};
inline constexpr std::array<std::uint32_t, 3> kTimedPermutations = {100, 350, 600};
inline constexpr double kExactSeconds[] = {5.47, 5.45, 4.68};
inline constexpr double kEstimatedSeconds[] = {2.93, 10.40, 18.37};
inline constexpr double kMatrixSeconds[] = {14.17, 208.97, 654.31};

struct AllTimes {
  std::array<Times, 3> here;
  double terms = 0;  // seconds from texts to terms
  std::size_t pairs = 0;
};
Judged judge_times(const AllTimes& numbers);
Judged judge_times_figure(const AllTimes& numbers);  // what depends on k

// Of ten queries, means: copies that met in a band, that were returned, and that reach s.
struct TenQueries {
  double copies = 0, met = 0, returned = 0, similar = 0;
  double expected_met = 0, expected_returned = 0;
};
Judged judge_ten_queries(const TenQueries& numbers);

// The figures of a column of table 4 of the report.
struct FoundOfDocument {
  double found, false_positives, misses, false_positive_rate, false_negative_rate;  // last: 1e-5
};
// The results of each method for a number of bands.
struct BandsRow {
  std::size_t bands = 0, rows = 0;
  std::optional<FoundOfDocument> document;
  Found tables, keys, kperm;  // report; its signatures, 64-bit keys; kperm, 64-bit keys
  Expected expected;
};
// Table 4 and figure 3: rows by rising numbers of bands.
struct BandsTable {
  std::vector<BandsRow> rows;
  std::size_t k = 0;
  std::string plan;  // of Benzer
  Found planned;
  std::size_t terms = 0;
  std::uint32_t p = 0;  // the prime of the report's functions
};
Judged judge_bands(const BandsTable& table);
// What figure 3 adds.
std::vector<std::string> findings_of_fig_3(const BandsTable& table);

// The calls with values of one's own.
struct AccuracyCall {
  std::size_t pairs = 0;
  std::uint64_t off = 0;
  double eps = 0, expected = 0, mean_similarity = 0;
};
Judged judge_accuracy_call(const AccuracyCall& numbers);

struct TimerCall {
  std::size_t pairs = 0;
  std::uint32_t slots = 0;
  std::uint64_t estimated_comparisons = 0;
  double exact = 0, estimated = 0, matrix = 0;  // seconds
};
Judged judge_timer_call(const TimerCall& numbers);

struct NearCall {
  std::string id;
  double threshold = 0;
  std::size_t kept = 0, removed = 0;  // candidates by their estimate
  std::size_t wrong = 0;              // kept, but below the threshold
  std::size_t similar = 0, missed = 0;
};
Judged judge_near_call(const NearCall& numbers);

}  // namespace benzer::experiments::course_report
