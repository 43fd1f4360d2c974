#include "dedup/keep_order.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "benzer/error.h"

namespace benzer {
namespace {

std::string_view last_part(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos || slash + 1 == path.size() ? path
                                                                     : path.substr(slash + 1);
}

// Returns the rank of every source: its place among the names of the rule, or after all of them. A
// name means the inputs that were given by exactly this name; if there are none, those whose path
// ends with it as the last part.
std::vector<std::size_t> rank_sources(std::span<const std::string> sources, const KeepRule& rule) {
  std::vector<std::size_t> ranks(sources.size(), rule.names.size());
  for (std::size_t rank = 0; rank < rule.names.size(); ++rank) {
    const std::string& name = rule.names[rank];
    const bool whole = std::find(sources.begin(), sources.end(), name) != sources.end();
    bool found = false;
    for (std::size_t s = 0; s < sources.size(); ++s) {
      if ((whole ? std::string_view(sources[s]) : last_part(sources[s])) != name) continue;
      found = true;
      ranks[s] = std::min(ranks[s], rank);
    }
    if (!found)
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format(
              "the keep rule names the source '{}', but no input has this name; the inputs are {}",
              name, fmt::join(sources.first(std::min<std::size_t>(sources.size(), 10)), ", ")));
  }
  return ranks;
}

template <class Less>
void sort_by(std::vector<std::uint32_t>& order, Less less) {
  std::stable_sort(order.begin(), order.end(), less);
}

// Applies the rules as stable sorts, the last rule first, so that each rule only orders the
// documents that those before it leave equal.
class KeepSorter {
 public:
  KeepSorter(const Corpus& corpus, const SketchTable& table, const KeepOrder& keep,
             bool of_pictures)
      : corpus_(corpus),
        table_(table),
        keep_(keep),
        of_pictures_(of_pictures),
        fields_(keep.fields()) {}

  void sort(std::vector<std::uint32_t>& order) const {
    for (auto rule = keep_.rules.rbegin(); rule != keep_.rules.rend(); ++rule) apply(*rule, order);
  }

 private:
  void apply(const KeepRule& rule, std::vector<std::uint32_t>& order) const {
    switch (rule.kind) {
      case KeepRule::Kind::kFirst:
        break;
      case KeepRule::Kind::kLast:
        std::reverse(order.begin(), order.end());
        break;
      case KeepRule::Kind::kLongest:
      case KeepRule::Kind::kShortest:
        sort_by_bytes(rule.kind == KeepRule::Kind::kLongest, order);
        break;
      case KeepRule::Kind::kLargest:
        if (of_pictures_) sort_by_bytes(true, order);
        sort_by_numbers(fields_.size(), true, order);
        break;
      case KeepRule::Kind::kMax:
      case KeepRule::Kind::kMin:
        sort_by_number(rule, order);
        break;
      case KeepRule::Kind::kSource: {
        const std::vector<std::size_t> ranks = rank_sources(corpus_.sources(), rule);
        const auto rank = [&](std::uint32_t d) { return ranks[corpus_.source_of(d)]; };
        sort_by(order, [&](std::uint32_t x, std::uint32_t y) { return rank(x) < rank(y); });
        break;
      }
    }
  }

  void sort_by_bytes(bool longest, std::vector<std::uint32_t>& order) const {
    auto facts = table_.facts();
    std::vector<std::uint64_t> bytes(table_.size());
    for (std::uint32_t d = 0; d < table_.size(); ++d) bytes[d] = facts.row(d)->bytes;
    sort_by(order, [&](std::uint32_t x, std::uint32_t y) {
      return longest ? bytes[x] > bytes[y] : bytes[x] < bytes[y];
    });
  }

  void sort_by_number(const KeepRule& rule, std::vector<std::uint32_t>& order) const {
    const auto field = static_cast<std::size_t>(
        std::find(fields_.begin(), fields_.end(), rule.field) - fields_.begin());
    sort_by_numbers(field, rule.kind == KeepRule::Kind::kMax, order);
  }

  // place: of the numbers of each document.
  void sort_by_numbers(std::size_t place, bool largest, std::vector<std::uint32_t>& order) const {
    auto rows = table_.numbers();
    std::vector<Number> numbers(table_.size());
    for (std::uint32_t d = 0; d < table_.size(); ++d) numbers[d] = rows.row(d)[place];
    sort_by(order, [&](std::uint32_t x, std::uint32_t y) {
      if (largest) return numbers[x] > numbers[y];
      return numbers[x].is_there() && (!numbers[y].is_there() || numbers[x] < numbers[y]);
    });
  }

  const Corpus& corpus_;
  const SketchTable& table_;
  const KeepOrder& keep_;
  bool of_pictures_;
  std::vector<std::string> fields_;
};

}  // namespace

void check_keep(const Corpus& corpus, const KeepOrder& keep) {
  for (const KeepRule& rule : keep.rules)
    if (rule.kind == KeepRule::Kind::kSource) rank_sources(corpus.sources(), rule);
}

std::vector<std::uint32_t> keep_order(const Corpus& corpus, const SketchTable& table,
                                      const KeepOrder& keep, const SimilarityOptions& options) {
  std::vector<std::uint32_t> order;
  order.reserve(table.size());
  auto all_facts = table.facts();
  for (std::uint32_t document = 0; document < table.size(); ++document) {
    const DocumentFacts& facts = *all_facts.row(document);
    if (facts.features == 0) continue;
    if (facts.is_short && options.short_policy != ShortPolicy::kExact) continue;
    order.push_back(document);
  }
  KeepSorter(corpus, table, keep, options.config.features.image()).sort(order);
  if (table.references > 0)
    std::stable_partition(order.begin(), order.end(),
                          [&](std::uint32_t document) { return document < table.references; });
  return order;
}

}  // namespace benzer
