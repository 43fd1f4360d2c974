#include "research/experiments/blog_findings.h"

#include <cmath>

#include <fmt/format.h>

#include "benzer/banding.h"
#include "benzer/internal/text.h"

namespace benzer::experiments {
namespace {

constexpr double kBuildingOfBlog = 265, kQueryingOfBlog = 948;  // milliseconds
constexpr double kComparisonOfBlog = 0.01;                      // seconds

}  // namespace

Judged judge_blog_jaccard(const BlogJaccard& numbers) {
  Judged out;
  out.claims = {{"its three similarities are 0.4, 1 and 0", numbers.as_printed}};
  out.findings.emplace_back(
      numbers.as_printed
          ? "The blog's three similarities come out exactly: 0.4, 1 and 0. The repeated 2 of its "
            "first document counts once, since documents are sets."
          : "The blog's similarities do not come out: this is a mistake of Benzer.");
  out.findings.push_back(fmt::format(
      "The same two texts are {:.0f} % alike as sets of words and {:.0f} % as runs of five words. "
      "{}",
      100 * numbers.words, 100 * numbers.five_words,
      numbers.five_words < numbers.words
          ? "The model decides what \"similar\" means: sets of words forget the order, so texts on "
            "one subject look like copies; long shingles find copied passages."
          : "For these two texts the order of words makes no difference."));
  out.findings.push_back(fmt::format(
      "Without stop words the similarity is {:.2f} in place of {:.2f}{}. With frequencies (the nth "
      "occurrence of a word is an element of its own) it is {:.2f}.",
      numbers.no_stop_words, numbers.words,
      numbers.no_stop_words < numbers.words ? ": the two texts share more stop words than others"
                                            : "",
      numbers.frequencies));
  return out;
}

Judged judge_blog_lsh(const BlogLsh& numbers) {
  const double brute_force = numbers.comparison * numbers.pairs;  // seconds
  const bool as_fast = numbers.building <= kBuildingOfBlog && numbers.querying <= kQueryingOfBlog;
  Judged out;
  out.claims = {
      {"buckets of 12,000 documents are built in 265 ms, and all queried in 948 ms", as_fast},
      {"brute force takes days", brute_force >= 86400}};
  const auto times = [](double of_blog, double here) {
    return here <= of_blog ? fmt::format("{:.0f} times faster", of_blog / here)
                           : fmt::format("{:.1f} times slower", here / of_blog);
  };
  out.findings.push_back(fmt::format(
      "Buckets in {:.2f} ms ({}) and all queries in {:.2f} ms ({}), where the blog took 265 and "
      "948 "
      "ms on a machine of its time. A query of the blog searches every bucket of every band; here "
      "each document knows its buckets.",
      numbers.building, times(kBuildingOfBlog, numbers.building), numbers.querying,
      times(kQueryingOfBlog, numbers.querying)));
  out.findings.push_back(fmt::format(
      "The \"16 days\" of brute force suppose 10 ms for a comparison and count every pair twice. "
      "To "
      "compare two signatures of 100 numbers takes {:.0f} ns here: all pairs in {:.1f} s "
      "(extrapolated). {}",
      1e9 * numbers.comparison, brute_force,
      brute_force < 60 ? "LSH is what one wants for millions of documents, not for 12,000."
                       : "So LSH pays already for 12,000 documents."));

  const Banding blog{5, 20}, other{20, 5};
  const auto of_copies = static_cast<double>(numbers.near_copies);
  const double found = static_cast<double>(numbers.near_copies_found);
  const bool misses_many = found < 0.9 * of_copies;
  out.findings.push_back(fmt::format(
      "20 rows per band is \"a commonly used value\" that finds pairs with J = 0.8 in {:.1f} % of "
      "the cases and with 0.9 in {:.0f} %. Of {} pairs here with 0.8 and more it finds {} "
      "({:.1f} expected). {} 20 bands of 5 rows of the same hashes find {:.2f} % at 0.8.",
      100 * blog.candidate_probability(0.8), 100 * blog.candidate_probability(0.9),
      with_separators(numbers.near_copies), with_separators(numbers.near_copies_found),
      numbers.near_copies_expected,
      misses_many ? "The errors of type II that the blog regrets are mostly this choice."
                  : "So here this choice loses few.",
      100 * other.candidate_probability(0.8)));
  out.findings.push_back(fmt::format(
      "{} candidates were returned, {:.2f} for each document.", with_separators(numbers.candidates),
      static_cast<double>(numbers.candidates) / static_cast<double>(numbers.documents)));
  return out;
}

Judged judge_blog_examples(const BlogMinHashFunc1& test, const BlogSizes& sizes,
                           const BlogDictionary& dictionary) {
  const double few = sizes.errors.front().rms, many = sizes.errors.back().rms;
  const double allowed = 2 * allowed_ratio(sizes.errors.front().count);
  const bool better = many * (1 + allowed) < few;
  const bool independent = many <= (1 + allowed) * sizes.independent;
  const bool useless = test.as_sets.bias > 5 * test.as_sets.standard_error &&
                       std::abs(test.as_sets.bias) > std::abs(test.by_position.bias);
  Judged out;
  out.claims = {
      {"the estimate of its test is not very accurate because it has few words, and larger "
       "documents are estimated better",
       better},
      {"signatures can be compared as sets, as its code does", !useless}};
  out.findings.push_back(fmt::format(
      "The exact similarity is {} of {} numbers, {:.2f}. With its own functions the blog's code "
      "estimates {:.2f}.",
      std::lround(test.exact * static_cast<double>(test.numbers)), test.numbers, test.exact,
      test.as_written));
  out.findings.push_back(fmt::format(
      "Over the seeds, comparing signatures as sets is off by {:+.3f} on average, comparing them "
      "by position by {:+.3f}. {}",
      test.as_sets.bias, test.by_position.bias,
      useless
          ? "Values have 5 bits, so that 100 of them are nearly all numbers that occur, whatever "
            "the documents are: as sets any two signatures are alike."
          : "Here sets are not worse than positions."));
  out.findings.push_back(fmt::format(
      "\"Because the number of words is small the estimate is not very accurate\": its RMS error "
      "is {:.3f} with {} words a document, {:.3f} with {}, where independent functions without "
      "equal values would have {:.3f} for any size. {}",
      few, sizes.words.front(), many, sizes.words.back(), sizes.independent,
      !better       ? "So larger documents are not estimated better."
      : independent ? "So larger documents are estimated better: with few words the values have so "
                      "few bits that different words share one."
                    : "So larger documents are estimated better, but not as well as that."));
  out.findings.push_back(fmt::format(
      "A dictionary gives each of {} words a number. As sets of words the two sentences have a "
      "similarity of {:.2f}{}",
      dictionary.words, dictionary.similarity,
      dictionary.similarity > 0.5
          ? ": the numbers keep neither the order of words nor who saw whom."
          : "."));
  return out;
}

}  // namespace benzer::experiments
