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

inline DocumentNumber number_of(DocumentNumber document) noexcept { return document; }
inline DocumentNumber number_of(const KeyHits& hits) noexcept { return hits.document; }

// Loads what will be read of the documents that were found: calls start(document) for all of them,
// which starts to load where their contents are, and then load(document), which starts to load
// these. So their loads are under way together, and not one after the other.
template <class List, class Start, class Load>
void load_found(const std::vector<List>& lists, Start start, Load load) {
  // More would not stay in the caches until they are looked at.
  constexpr std::size_t kMost = 1024;
  const auto for_each = [&](auto visit) {
    std::size_t left = kMost;
    for (const List& list : lists) {
      const std::size_t count = std::min(left, list.size());
      for (std::size_t i = 0; i < count; ++i) visit(number_of(list[i]));
      left -= count;
    }
  };
  for_each(start);
  for_each(load);
}

// How many keys of a query are prefetched. Those of a query with more are in no cache any more when
// they are looked up.
inline constexpr std::size_t kMostPrefetched = 256;

}  // namespace benzer
