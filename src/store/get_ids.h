// Finds the documents that share band keys with queries, in a store made of several tables
// (memtable, segments), and prefetches what the next queries will read.
#pragma once

#include <algorithm>

#include "store/store.h"

namespace benzer {

// The store provides prefetch(query) and meet(query, visit(document)). A document that meet()
// visits for several bands is listed once; each list is ascending.
template <class Prefetch, class Meet>
void get_ids_of(std::span<const FieldHashes* const> queries,
                std::vector<std::vector<DocumentNumber>>& out, Prefetch prefetch, Meet meet) {
  // A query reads one place per band, so a few queries ahead keep all the loads busy that a core
  // can have under way.
  constexpr std::size_t kAhead = 2;
  for (std::size_t query = 0; query < std::min(kAhead, queries.size()); ++query)
    prefetch(*queries[query]);
  for (std::size_t query = 0; query < queries.size(); ++query) {
    if (query + kAhead < queries.size()) prefetch(*queries[query + kAhead]);
    std::vector<DocumentNumber>& found = out[query];
    found.clear();
    meet(*queries[query], [&](DocumentNumber document) { found.push_back(document); });
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
  }
}

}  // namespace benzer
