// Finds candidates for containment: the documents that share enough keys with a query.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "benzer/runtime.h"

#include "engine/search.h"
#include "store/sampled_keys.h"

namespace benzer {
namespace {

// A document that shares too few keys with a query, unless it is smaller than the query.
struct Unsure {
  std::size_t query;
  std::uint32_t field;
  KeyHits hits;
};

}  // namespace

bool Search::are_too_few(std::uint64_t keys, std::uint64_t size,
                         std::uint64_t other_size) const noexcept {
  const std::uint64_t smaller = std::min(size, other_size);
  return keys < schema_.keys->least_common_keys(
                    threshold_.needed_intersection(smaller, smaller, Measure::kContainment),
                    schema_.recall);
}

std::vector<std::vector<DocumentNumber>> Search::candidates_by_keys(
    StoreReader& reader, std::span<const DocumentHashes> queries,
    const std::function<bool(std::size_t, DocumentNumber)>& is_wanted,
    std::uint64_t& compared) const {
  std::vector<FieldHashes> fields;
  std::vector<std::pair<std::size_t, std::size_t>> asked_of;  // the query, and its features
  for (std::size_t query = 0; query < queries.size(); ++query)
    for (const FieldHashes& field : queries[query].fields) {
      fields.push_back({field.field, {}, query_keys(field.features), {}});
      asked_of.emplace_back(query, field.features.size());
    }
  std::vector<const FieldHashes*> asked;
  for (const FieldHashes& field : fields) asked.push_back(&field);
  std::vector<std::vector<KeyHits>> found(asked.size());
  reader.get_hits(asked, found);

  std::vector<std::vector<DocumentNumber>> out(queries.size());
  std::vector<Unsure> unsure;
  std::vector<DocumentNumber> unsure_documents;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto [query, size] = asked_of[i];
    for (const KeyHits& hits : found[i]) {
      throw_if_stopped(options_.stop);
      if (is_wanted && !is_wanted(query, hits.document)) continue;
      ++compared;
      if (!are_too_few(hits.keys, size, size)) {
        out[query].push_back(hits.document);
      } else {
        unsure.push_back({i, asked[i]->field, hits});
        unsure_documents.push_back(hits.document);
      }
    }
  }
  reader.prefetch(unsure_documents);
  for (const auto& [i, field, hits] : unsure) {
    throw_if_stopped(options_.stop);
    const auto [query, size] = asked_of[i];
    if (!are_too_few(hits.keys, size, reader.features(hits.document, field).size()))
      out[query].push_back(hits.document);
  }
  for (std::vector<DocumentNumber>& of_query : out) {
    std::sort(of_query.begin(), of_query.end());
    of_query.erase(std::unique(of_query.begin(), of_query.end()), of_query.end());
  }
  return out;
}

}  // namespace benzer
