#include "research/experiments/course_search.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "benzer/banding.h"
#include "benzer/runtime.h"

#include "base/splitmix.h"

namespace benzer::experiments::course_report {
namespace {

Banding banding_of(std::size_t k, std::size_t bands) {
  return {static_cast<int>(bands), static_cast<int>(k / bands)};
}

// The distribution of the sum of two independent numbers.
std::vector<double> sum_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] < 1e-18) continue;
    for (std::size_t j = 0; j < b.size(); ++j) out[i + j] += a[i] * b[j];
  }
  return out;
}

}  // namespace

std::vector<std::size_t> Copies::group_of(std::size_t doc) const {
  // Documents are sorted by name, but other names may be between those of a group.
  const auto& names = sets->all_docs();
  const std::string_view original = original_of(names[doc]);
  std::vector<std::size_t> group;
  const auto first = std::lower_bound(names.begin(), names.end(), original);
  for (auto name = first; name != names.end() && name->starts_with(original); ++name) {
    const auto other = static_cast<std::size_t>(name - names.begin());
    if (other != doc && original_of(*name) == original) group.push_back(other);
  }
  return group;
}

Copies all_copies(const ExperimentOptions& options) {
  throw_if_stopped(options.stop);
  Texts texts = texts_for(options);
  const std::size_t originals = texts.originals.size();
  const bool made_up = texts.made_up, made_copies = texts.copies.empty();
  const std::vector<NamedText> all = with_copies(std::move(texts), options.seed);
  throw_if_stopped(options.stop);
  Copies out;
  out.sets = std::make_shared<const TermSets>(all);
  out.description = fmt::format(
      "{} {} and {} near-copies {}", originals, made_up ? "texts made up from the seed" : "files",
      all.size() - originals, made_copies ? "made from the seed" : "of the folder");
  return out;
}

std::vector<std::size_t> draw_queries(std::size_t documents, std::size_t count,
                                      std::uint64_t seed) {
  std::vector<std::size_t> all(documents);
  for (std::size_t i = 0; i < documents; ++i) all[i] = i;
  count = std::min(count, documents);
  for (std::size_t i = 0; i < count; ++i)
    std::swap(all[i], all[i + splitmix64(seed + i * kSplitmixStep) % (documents - i)]);
  all.resize(count);
  return all;
}

Candidates candidates_by_keys(const MinHashMatrix& matrix, std::size_t bands,
                              std::span<const std::size_t> queries) {
  const std::size_t rows = matrix.permutations / bands;
  const auto key_of = [&](std::size_t doc, std::size_t band) {
    std::uint64_t key = band;
    for (const std::uint32_t slot : matrix.signature(doc).subspan(band * rows, rows))
      key = splitmix64(key ^ slot);
    return key;
  };
  Candidates out(queries.size());
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> asked;
  for (std::size_t band = 0; band < bands; ++band) {
    asked.clear();
    for (std::size_t query = 0; query < queries.size(); ++query)
      if (matrix.signature(queries[query])[0] != classics::course::kNoTerm)
        asked[key_of(queries[query], band)].push_back(query);
    for (std::size_t doc = 0; doc < matrix.documents; ++doc) {
      const auto found = asked.find(key_of(doc, band));
      if (found == asked.end()) continue;
      for (const std::size_t query : found->second)
        if (queries[query] != doc) out[query].push_back(doc);
    }
  }
  for (auto& documents : out) {
    std::sort(documents.begin(), documents.end());
    documents.erase(std::unique(documents.begin(), documents.end()), documents.end());
  }
  return out;
}

Candidates candidates_by_tables(const MinHashMatrix& matrix, const std::vector<std::string>& names,
                                std::size_t bands, std::uint64_t seed,
                                std::span<const std::size_t> queries) {
  const classics::course::LSH lsh(matrix, names, static_cast<std::uint32_t>(bands), seed);
  Candidates out;
  for (const std::size_t query : queries) out.push_back(lsh.near_duplicates_of(query));
  return out;
}

Found count(const Candidates& candidates, const Copies& copies, const MinHashMatrix* estimates,
            std::span<const std::size_t> queries, double s) {
  Found out;
  double all_candidates = 0, others = 0;
  for (std::size_t query = 0; query < queries.size(); ++query) {
    const std::size_t doc = queries[query];
    const std::vector<std::size_t> group = copies.group_of(doc);
    double found = 0;
    for (const std::size_t other : candidates[query]) {
      const bool is_copy = std::find(group.begin(), group.end(), other) != group.end();
      const double similarity = estimates == nullptr
                                    ? copies.sets->exact_jaccard(doc, other)
                                    : classics::course::approximate_jaccard(
                                          estimates->signature(doc), estimates->signature(other));
      out.copies_met += is_copy;
      found += is_copy && similarity >= s;
      out.false_positives += similarity < s;
    }
    out.found += found;
    out.misses += static_cast<double>(group.size()) - found;
    all_candidates += static_cast<double>(candidates[query].size());
    others += static_cast<double>(copies.sets->size() - 1 - candidates[query].size());
  }
  out.false_positive_rate = all_candidates > 0 ? out.false_positives / all_candidates : 0;
  out.false_negative_rate = others > 0 ? out.misses / others : 0;
  const double n = static_cast<double>(std::max<std::size_t>(1, queries.size()));
  for (double* sum : {&out.copies_met, &out.found, &out.false_positives, &out.misses}) *sum /= n;
  return out;
}

std::string copies_of(const Expected& expected) { return fmt::format("{:.3g}", expected.copies); }

double found_probability(double j, std::size_t k, std::size_t bands, double s) {
  const std::size_t rows = k / bands;
  // `without` is the distribution of the number of equal slots when no band is fully equal: the sum
  // of the distributions of the bands, each without its last number, and of the slots that no band
  // uses. The result is the probability of enough equal slots, less that of enough of them without
  // a fully equal band.
  std::vector<double> band = binomial(rows, j);
  band.pop_back();
  std::vector<double> without{1.0};
  for (std::size_t i = 0; i < bands; ++i) without = sum_of(without, band);
  without = sum_of(without, binomial(k - bands * rows, j));
  const std::vector<double> all = binomial(k, j);
  double found = 0;
  for (std::size_t equal = 0; equal <= k; ++equal) {
    if (static_cast<double>(equal) / static_cast<double>(k) < s) continue;
    found += all[equal] - (equal < without.size() ? without[equal] : 0.0);
  }
  return std::clamp(found, 0.0, 1.0);
}

Expected expect(const Copies& copies, std::span<const std::size_t> queries, std::size_t k,
                std::size_t bands, double s) {
  const Banding banding = banding_of(k, bands);
  std::unordered_map<double, double> found;  // by similarity: many pairs have the same one
  Expected out;
  for (const std::size_t doc : queries) {
    for (const std::size_t other : copies.group_of(doc)) {
      const double j = copies.sets->exact_jaccard(doc, other);
      const double met = banding.candidate_probability(j);
      ++out.copies;
      out.similar += j >= s;
      out.copies_met += met;
      out.met_and_similar += j >= s ? met : 0;
      const auto [place, is_new] = found.emplace(j, 0);
      if (is_new) place->second = found_probability(j, k, bands, s);
      out.found += place->second;
    }
  }
  const double n = static_cast<double>(std::max<std::size_t>(1, queries.size()));
  for (double* sum : {&out.copies, &out.similar, &out.copies_met, &out.met_and_similar, &out.found})
    *sum /= n;
  return out;
}

}  // namespace benzer::experiments::course_report
