// Why a query and what it found are similar: passages that both have, and the bands that met.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "benzer/index.h"

#include "base/secret.h"
#include "engine/hasher.h"
#include "engine/search.h"
#include "engine/traced_field.h"

namespace benzer {

// One query, for all of its matches. What it refers to must outlive it.
class Explainer {
 public:
  // document: what the hashes were made of; null: nobody knows.
  Explainer(const Hasher& hasher, const Search& search, const DocumentHashes& hashes,
            const Document* document);

  void explain(StoreReader& reader, Match& match) const;

 private:
  struct Run;
  using FeatureLookup = std::unordered_set<std::uint64_t, SecretHash>;

  static std::vector<Run> shared_runs(const TracedField& traced, const FeatureLookup& shared);
  FieldExplanation explain(std::size_t number, const FieldHashes& own,
                           const FieldHashes& other) const;

  const Hasher& hasher_;
  const Search& search_;
  const DocumentHashes& hashes_;
  std::vector<std::optional<TracedField>> traced_;  // by field
};

}  // namespace benzer
