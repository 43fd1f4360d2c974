// Computes what the lecture slides say about shingles: white space, the choice of k, and numbers in
// place of long shingles.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "benzer/internal/text.h"
#include "benzer/research/classics/slides.h"

#include "research/experiments/made_texts.h"
#include "research/experiments/runs.h"
#include "research/experiments/slides_findings.h"

namespace benzer::experiments {
namespace {

namespace lecture = classics::slides;

std::vector<std::string> in_both(const std::string& a, const std::string& b, std::size_t k) {
  const auto of_a = lecture::shingle_set(a, k), of_b = lecture::shingle_set(b, k);
  std::vector<std::string> out;
  std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                        std::back_inserter(out));
  return out;
}

std::string quoted(const std::vector<std::string>& shingles) {
  std::string out;
  for (const std::string& shingle : shingles) out += (out.empty() ? "\"" : ", \"") + shingle + "\"";
  return out.empty() ? "none" : out;
}

ExperimentTable touchdown(SlidesShingles& out) {
  const std::string plane = "The plane was ready for touch down";
  const std::string quarterback = "The quarterback scored a touchdown";
  ExperimentTable table{"slides-touchdown",
                        "Example 3.4: shingles of 9 characters, with blanks and without",
                        {"blanks", "of the plane", "of the quarterback", "in both", "these are"},
                        {}};
  std::vector<std::size_t> shared;
  for (const bool kept : {true, false}) {
    std::string a = lecture::squeeze_white_space(plane);
    std::string b = lecture::squeeze_white_space(quarterback);
    if (!kept) std::erase(a, ' '), std::erase(b, ' ');
    const auto both = in_both(a, b, 9);
    shared.push_back(both.size());
    table.rows.push_back({kept ? "one for each run of white space" : "eliminated",
                          ExperimentCell::count(lecture::shingle_set(a, 9).size()),
                          ExperimentCell::count(lecture::shingle_set(b, 9).size()),
                          ExperimentCell::count(both.size()), quoted(both)});
  }
  out.with_blanks = shared[0];
  out.without_blanks = shared[1];
  return table;
}

ExperimentTable numbers(const ExperimentOptions& options, SlidesShingles& out) {
  const std::size_t texts = options.full ? 10'000 : 1'000;
  ExperimentTable table{"slides-numbers",
                        "Shingles of 9 characters as numbers of 4 bytes",
                        {"shingle", "number by the dictionary", "number by hashing (FNV-1a)"},
                        {}};
  lecture::Dictionary dictionary;
  for (const std::string& shingle : lecture::shingles("touch down touch down", 9)) {
    const std::uint32_t number = dictionary.number(shingle);
    table.rows.push_back({"\"" + shingle + "\"",
                          {static_cast<double>(number), 0},
                          {static_cast<double>(lecture::shingle_hash(shingle)), 0}});
  }
  lecture::Dictionary of_all;
  std::set<std::uint32_t> hashes;
  for (std::size_t i = 0; i < texts; ++i) {
    for (const std::string& shingle : lecture::shingles(made_text(options.seed, i), 9)) {
      of_all.number(shingle);
      hashes.insert(lecture::shingle_hash(shingle));
    }
  }
  out.shingles_of_example = table.rows.size();
  out.numbers_of_example = dictionary.size();
  out.texts = texts;
  out.shingles = of_all.size();
  out.hashes = hashes.size();
  return table;
}

ExperimentTable choice_of_k(const ExperimentOptions& options, SlidesShingles& out) {
  const std::size_t pairs = options.full ? 2'000 : 200;
  ExperimentTable table{"slides-k",
                        "Mean similarity of unrelated made-up texts of 80 words, by k",
                        {"k", "J of unrelated texts", "J with one word in ten replaced"},
                        {}};
  for (const std::size_t k : {1u, 2u, 3u, 4u, 5u, 7u, 10u}) {
    double strangers = 0, copies = 0;
    for (std::size_t i = 0; i < pairs; ++i) {
      const auto set = [&](const std::string& text) { return lecture::shingle_set(text, k); };
      const auto jaccard = [&](const std::string& a, const std::string& b) {
        const double both = static_cast<double>(in_both(a, b, k).size());
        return both / (static_cast<double>(set(a).size() + set(b).size()) - both);
      };
      const std::string text = changed_text(options.seed, 10 * i, 0);
      // Text 10 i + 5 is not made from text 10 i.
      strangers += jaccard(text, changed_text(options.seed, 10 * i + 5, 0));
      copies += jaccard(text, changed_text(options.seed, 10 * i, 8));
    }
    strangers /= static_cast<double>(pairs);
    copies /= static_cast<double>(pairs);
    if (k == 2) out.at_two = strangers;
    if (k == 5) out.at_five = strangers;
    table.rows.push_back({ExperimentCell::count(k), {strangers, 3}, {copies, 3}});
  }
  return table;
}

}  // namespace

ExperimentResult slides_shingles(const ExperimentOptions& options) {
  ExperimentResult out;
  out.title = "Shingles: white space, the choice of k, and numbers in their place";
  out.parameters = "the sentences of example 3.4; texts made up from the seed";
  SlidesShingles found;
  out.tables.push_back(touchdown(found));
  out.tables.push_back(choice_of_k(options, found));
  out.tables.push_back(numbers(options, found));
  add_judged(out, judge_slides_shingles(found));
  return out;
}

}  // namespace benzer::experiments
