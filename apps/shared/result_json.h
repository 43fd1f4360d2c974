// Similar documents as every list and every answer has them: of files, of an index and over HTTP.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "benzer/corpus.h"
#include "benzer/features.h"
#include "benzer/index.h"

#include "json.h"

namespace benzer::apps {

// Of an index: it has no place in a file.
DocumentLabel label_of(std::string_view id);

// Another document, and how similar it is.
struct ListedLink {
  DocumentLabel document;
  double score = 0;
};
// A document that goes.
struct ListedDocument {
  DocumentLabel document;
  double score = 0;                // with the one that is kept
  std::optional<ListedLink> link;  // of components: by which it came in
};
ListedDocument listed(const IndexCluster::Member& member);

// features: of the only field, if it is one; hashes have a distance beside the score. Null: none.
JsonObject pair_json(const DocumentLabel& a, const DocumentLabel& b, double score,
                     const FeatureSpec* features);
// Null for a short document that goes without one that is kept.
JsonObject removed_json(const ListedDocument& gone, const DocumentLabel* kept,
                        const FeatureSpec* features);
// number: of the cluster, from 1. member(i): the i-th of so many.
JsonObject cluster_json(std::uint64_t number, const DocumentLabel& keeper, std::size_t members,
                        const std::function<ListedDocument(std::size_t)>& member, double weakest,
                        const FeatureSpec* features);
JsonObject cluster_json(std::uint64_t number, const IndexCluster& cluster);

}  // namespace benzer::apps
