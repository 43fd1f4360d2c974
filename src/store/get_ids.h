// Finds the documents that share band keys with queries, in a store made of several tables
// (memtable, segments), and prefetches what the next queries will read.
#pragma once

#include <algorithm>
#include <type_traits>

#include "store/store.h"

namespace benzer {

// Puts the documents that were met into a list: each once, ascending.
inline void list_once(std::vector<DocumentNumber>& met, std::vector<DocumentNumber>& out) {
  std::sort(met.begin(), met.end());
  met.erase(std::unique(met.begin(), met.end()), met.end());
  std::swap(met, out);
}
inline void list_once(std::vector<DocumentNumber>& met, std::vector<KeyHits>& out) {
  std::sort(met.begin(), met.end());
  out.clear();
  for (const DocumentNumber document : met) {
    if (out.empty() || out.back().document != document) out.push_back({document, 0});
    ++out.back().keys;
  }
}

// The store provides prefetch(query) and meet(query, visit(document)). A document that meet()
// visits for several keys is listed once; each list is ascending.
template <class List, class Prefetch, class Meet>
void get_ids_of(std::span<const FieldHashes* const> queries, std::vector<List>& out,
                Prefetch prefetch, Meet meet) {
  // A query reads one place per band, so a few queries ahead keep all the loads busy that a core
  // can have under way.
  constexpr std::size_t kAhead = 2;
  for (std::size_t query = 0; query < std::min(kAhead, queries.size()); ++query)
    prefetch(*queries[query]);
  std::vector<DocumentNumber> met;
  for (std::size_t query = 0; query < queries.size(); ++query) {
    if (query + kAhead < queries.size()) prefetch(*queries[query + kAhead]);
    if constexpr (std::is_same_v<List, std::vector<DocumentNumber>>) std::swap(met, out[query]);
    met.clear();
    meet(*queries[query], [&](DocumentNumber document) { met.push_back(document); });
    list_once(met, out[query]);
  }
}

// How many keys of a query are prefetched. Those of a query with more are in no cache any more when
// they are looked up.
inline constexpr std::size_t kMostPrefetched = 256;

}  // namespace benzer
