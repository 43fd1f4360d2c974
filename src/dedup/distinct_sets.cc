#include "dedup/distinct_sets.h"

#include <algorithm>
#include <tuple>

#include <ips4o/ips4o.hpp>

namespace benzer {
namespace {

std::vector<std::uint32_t> keep_order(const SketchTable& table, Keep keep,
                                      ShortPolicy short_policy) {
  std::vector<std::uint32_t> order;
  order.reserve(table.size());
  for (std::uint32_t document = 0; document < table.size(); ++document) {
    const DocumentFacts& facts = *table.facts.row(document);
    if (facts.features == 0) continue;
    if (facts.is_short && short_policy != ShortPolicy::kExact) continue;
    order.push_back(document);
  }
  const auto bytes = [&](std::uint32_t document) { return table.facts.row(document)->bytes; };
  switch (keep) {
    case Keep::kFirst:
      break;
    case Keep::kLast:
      std::reverse(order.begin(), order.end());
      break;
    case Keep::kLongest:
      std::stable_sort(order.begin(), order.end(),
                       [&](std::uint32_t x, std::uint32_t y) { return bytes(x) > bytes(y); });
      break;
    case Keep::kShortest:
      std::stable_sort(order.begin(), order.end(),
                       [&](std::uint32_t x, std::uint32_t y) { return bytes(x) < bytes(y); });
      break;
  }
  return order;
}

}  // namespace

DistinctSets collapse(const SketchTable& table, Keep keep, ShortPolicy short_policy) {
  DistinctSets sets;
  sets.order = keep_order(table, keep, short_policy);

  struct Entry {
    FeatureFingerprint fingerprint;
    std::uint32_t features;
    std::uint32_t place;  // in keep order
    auto key() const { return std::tie(fingerprint.sum, fingerprint.product_sum, features); }
  };
  std::vector<Entry> entries;
  entries.reserve(sets.order.size());
  for (std::uint32_t place = 0; place < sets.order.size(); ++place) {
    const DocumentFacts& facts = *table.facts.row(sets.order[place]);
    entries.push_back({facts.fingerprint, facts.features, place});
  }
  ips4o::sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) {
    if (x.key() != y.key()) return x.key() < y.key();
    return x.place < y.place;
  });

  // first[place]: the place of the first document with the same features.
  std::vector<std::uint32_t> first(sets.order.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool repeats = i > 0 && entries[i].key() == entries[i - 1].key();
    first[entries[i].place] = repeats ? first[entries[i - 1].place] : entries[i].place;
  }
  sets.set_of.assign(table.size(), kNoSet);
  for (std::uint32_t place = 0; place < sets.order.size(); ++place) {
    const std::uint32_t document = sets.order[place];
    if (first[place] == place) {
      sets.set_of[document] = sets.size();
      sets.document.push_back(document);
    } else {
      sets.set_of[document] = sets.set_of[sets.order[first[place]]];
      ++sets.exact_duplicates;
    }
  }
  return sets;
}

}  // namespace benzer
