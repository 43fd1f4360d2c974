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

ExperimentTable touchdown(std::vector<std::string>& findings) {
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
  findings.push_back(fmt::format(
      "\"touch down\" and \"touchdown\": with blanks the two sentences share {} shingles, without "
      "them {}. {}",
      shared[0], shared[1],
      shared[0] < shared[1] ? "So blanks keep apart what means something else, as the slides say."
                            : "That is not what the slides say: this is a mistake of Benzer."));
  return table;
}

ExperimentTable numbers(const ExperimentOptions& options, std::vector<std::string>& findings) {
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
  const auto n = static_cast<double>(of_all.size());
  findings.push_back(fmt::format(
      "A shingle that is seen again has its first number: {} shingles of \"touch down touch down\" "
      "get the numbers 0 to {}.",
      table.rows.size(), dictionary.size() - 1));
  findings.push_back(fmt::format(
      "In {} made-up texts the dictionary holds {} different shingles, which hashing turns into {} "
      "numbers: {} share one, where {:.1f} would be expected of random numbers of 32 bits. "
      "Hashing needs no table, and its errors are of no weight: a shared number adds {:.0e} to the "
      "similarity of a pair.",
      with_separators(texts), with_separators(of_all.size()), with_separators(hashes.size()),
      of_all.size() - hashes.size(), n * n / 0x1p33,
      static_cast<double>(of_all.size() - hashes.size()) / n));
  return table;
}

ExperimentTable choice_of_k(const ExperimentOptions& options, std::vector<std::string>& findings) {
  const std::size_t pairs = options.full ? 2'000 : 200;
  ExperimentTable table{"slides-k",
                        "Mean similarity of unrelated made-up texts of 80 words, by k",
                        {"k", "J of unrelated texts", "J with one word in ten replaced"},
                        {}};
  double at_two = 0, at_five = 0;
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
    if (k == 2) at_two = strangers;
    if (k == 5) at_five = strangers;
    table.rows.push_back({ExperimentCell::count(k), {strangers, 3}, {copies, 3}});
  }
  findings.push_back(fmt::format(
      "\"You must pick k large enough, or most documents will have most shingles\": unrelated "
      "texts have a similarity of {:.2f} at k = 2 and of {:.3f} at k = 5, which {} the slides.",
      at_two, at_five, at_five < at_two ? "confirms" : "contradicts"));
  return table;
}

}  // namespace

ExperimentResult slides_shingles(const ExperimentOptions& options) {
  ExperimentResult out;
  out.title = "Shingles: white space, the choice of k, and numbers in their place";
  out.parameters = "the sentences of example 3.4; texts made up from the seed";
  out.tables.push_back(touchdown(out.findings));
  out.tables.push_back(choice_of_k(options, out.findings));
  out.tables.push_back(numbers(options, out.findings));
  return out;
}

}  // namespace benzer::experiments
