// Formats pairs, removed documents and clusters as JSON, the same for files, for an index and over
// HTTP.
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

// The label of a document of an index, which has no place in a file.
DocumentLabel label_of(std::string_view id);

// Another document, and how similar it is.
struct ListedLink {
  DocumentLabel document;
  double score = 0;
};
// A removed document.
struct ListedDocument {
  DocumentLabel document;
  double score = 0;                   // with the keeper
  std::optional<ListedLink> link;     // components only: the document that links it to the cluster
  std::optional<Shares> shares = {};  // with containment: of the document, and of its keeper
};
ListedDocument listed(const IndexCluster::Member& member);

// features are those of the only field, null if there are several; hashes get a distance in
// addition to the score. shares: with containment, how much of a and b the other one contains.
JsonObject pair_json(const DocumentLabel& a, const DocumentLabel& b, double score,
                     const FeatureSpec* features, const std::optional<Shares>& shares = {});
JsonObject pair_json(const ScoredIds& pair);
// kept is null for a short document, which is removed without a keeper.
JsonObject removed_json(const ListedDocument& gone, const DocumentLabel* kept,
                        const FeatureSpec* features);
// number is that of the cluster, from 1. member(i) is called for each i below members.
JsonObject cluster_json(std::uint64_t number, const DocumentLabel& keeper, std::size_t members,
                        const std::function<ListedDocument(std::size_t)>& member, double weakest,
                        const FeatureSpec* features);
JsonObject cluster_json(std::uint64_t number, const IndexCluster& cluster);
// Adds what people's decisions have changed in an answer about a whole index. chosen_keepers: for
// clusters only.
JsonObject& add_decided(JsonObject& out, std::uint64_t set_apart,
                        std::optional<std::uint64_t> chosen_keepers);

}  // namespace benzer::apps
