// Turns the numbers of an experiment into findings and a verdict: claims that hold or do not, and
// the few statistical tests by which experiments decide it.
//
// Each test is for one kind of numbers. Counts of runs are skewed and few, and are compared by
// ranks (chance_of_larger). Shares of independent cases are compared with a formula by a bound that
// holds for any distribution (allowed_by_chance). Means of 100 and more independent errors are
// compared with their standard error (MeasuredError::may_be_unbiased).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "benzer/research/experiments.h"

namespace benzer::experiments {

// A statement of a document, as it follows "it holds that". Absent: the numbers cannot tell.
struct Claim {
  std::string what;
  std::optional<bool> holds;
};

// Returns yes if all claims hold, no if none does, partly if some do. Claims that cannot be decided
// do not count; without others the answer is open. There must be a claim.
ExperimentVerdict verdict_of(std::span<const Claim> claims);

// What an experiment says about its numbers.
struct Judged {
  std::vector<std::string> findings;
  std::vector<Claim> claims;
};

// Appends the findings to the result, and sets its verdict.
void add_judged(ExperimentResult& out, Judged judged);

// Two groups of numbers that were measured under the same condition.
struct TwoGroups {
  std::vector<double> first, second;
};

// Returns how likely it is that the first groups are at least as large as they are, if both groups
// of each condition have the same distribution: Wilcoxon's rank sum test (1945) with the ranks of
// all conditions added, one-sided. The probability is exact, with mean ranks for equal numbers, and
// supposes nothing about the distribution, so that one run with a very large count does not decide.
// Groups may be empty. Takes (numbers of a condition)^2 times the sum of their ranks.
double chance_of_larger(std::span<const TwoGroups> conditions);

// Below this probability a difference of groups of runs is not put down to chance.
inline constexpr double kChance = 0.001;

// Returns how far any of `checks` means, each of n independent numbers within [0, 1], may be from
// its expectation by chance: further with a probability of at most 1 in 1,000 (Hoeffding 1963).
double allowed_by_chance(double n, double checks);

// How far an RMS error of n independent errors may be from its expectation by chance, in relation
// to it: 5 of its standard errors, 1 / sqrt(2 n), as for errors of a normal distribution.
double allowed_ratio(double n);

}  // namespace benzer::experiments
