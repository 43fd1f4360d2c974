// Explains why a query and its matches are similar: the passages that both have, and the bands
// whose keys agree.
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

// Explains the matches of one query. The references passed to the constructor must outlive it.
class Explainer {
 public:
  // document: what the hashes were made from. If it is null, matches get no passages.
  Explainer(const Hasher& hasher, const Search& search, const DocumentHashes& hashes,
            const Document* document);

  void explain(StoreReader& reader, Match& match) const;

 private:
  struct Run;
  using FeatureLookup = std::unordered_set<std::uint64_t, SecretHash>;

  static std::vector<Run> shared_runs(const TracedField& traced, const FeatureLookup& shared);
  void explain_bands(const FieldHashes& own, const FieldHashes& other, FieldExplanation& out) const;
  static void explain_keys(const FieldHashes& own, const FieldHashes& other, FieldExplanation& out);
  FieldExplanation explain(std::size_t number, const FieldHashes& own,
                           const FieldHashes& other) const;

  const Hasher& hasher_;
  const Search& search_;
  const DocumentHashes& hashes_;
  std::vector<std::optional<TracedField>> traced_;  // by field
};

}  // namespace benzer
