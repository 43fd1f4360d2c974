// Finds near-duplicates by bands of signatures, in all the ways that the experiments on the course
// report compare, and computes the expected results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "research/experiments/course_pairs.h"
#include "research/experiments/course_texts.h"

namespace benzer::experiments::course_report {

inline constexpr double kThreshold = 0.9;  // s
// Of tables 3 and 4 of the report, and of figure 3.
inline constexpr std::uint32_t kTablePermutations = 1200, kFigurePermutations = 1000;
// The bands of table 3, and the fewest ones of table 4 and figure 3.
inline constexpr std::uint32_t kTable3Bands = 100, kTable4Bands = 15, kFigure3Bands = 20;

// All documents with their near-copies, and which are copies of one original.
struct Copies {
  std::shared_ptr<const TermSets> sets;
  std::string description;

  // The other documents of the same original.
  std::vector<std::size_t> group_of(std::size_t doc) const;
};
Copies all_copies(const ExperimentOptions& options);

// Draws different documents from the seed; all of them if there are no more.
std::vector<std::size_t> draw_queries(std::size_t documents, std::size_t count, std::uint64_t seed);

// The documents that agree with each query in all rows of at least one band, without the query
// itself. Band keys have 64 bits, so unrelated documents do not share them.
using Candidates = std::vector<std::vector<std::size_t>>;
Candidates candidates_by_keys(const MinHashMatrix& matrix, std::size_t bands,
                              std::span<const std::size_t> queries);

// The same with the tables of prime size of the report.
Candidates candidates_by_tables(const MinHashMatrix& matrix, const std::vector<std::string>& names,
                                std::size_t bands, std::uint64_t seed,
                                std::span<const std::size_t> queries);

// Means over the queries.
struct Found {
  double copies_met = 0;           // documents of the group that became candidates
  double found = 0;                // those of them whose estimate (or exact similarity) reaches s
  double false_positives = 0;      // candidates below s, as the report counts them
  double misses = 0;               // documents of the group not found: false negatives
  double false_positive_rate = 0;  // false positives / candidates
  double false_negative_rate = 0;  // misses / documents that are not candidates
};
// Judges candidates by the estimates of the matrix, or by exact similarity if it is null.
Found count(const Candidates& candidates, const Copies& copies, const MinHashMatrix* estimates,
            std::span<const std::size_t> queries, double s);

// The expected results of a band plan if slots were independent and equal with probability J, from
// the exact similarities of each query and its group: means over the queries.
struct Expected {
  double copies = 0;           // the other documents of the group
  double similar = 0;          // copies whose exact similarity reaches s
  double copies_met = 0;       // the sum of 1 - (1 - J^r)^b
  double met_and_similar = 0;  // the part of it from copies that are similar
  double found = 0;            // candidates whose estimate reaches s
};
Expected expect(const Copies& copies, std::span<const std::size_t> queries, std::size_t k,
                std::size_t bands, double s);

// How many copies a query has, on average: "7", or "2.5".
std::string copies_of(const Expected& expected);

// The probability that a pair of similarity j agrees in some band of k / bands rows, and in enough
// of all k slots for an estimate of at least s.
double found_probability(double j, std::size_t k, std::size_t bands, double s);

}  // namespace benzer::experiments::course_report
