#include "dedup/kept_search.h"

#include <utility>

#include "dedup/below_sample.h"
#include "dedup/sketch_pass.h"

namespace benzer {

KeptSearch::KeptSearch(const SketchedCorpus& sketched, const DedupOptions& options,
                       BelowSample* below)
    : sets_(sketched.sets),
      options_(options),
      workspace_(sketched.table.workspace()),
      below_(below),
      similar_(workspace_, workspace_.share(32, kMostListBytes)) {}

void KeptSearch::start(const SketchedCorpus& sketched) {
  verifier_.emplace(sketched, cache_bytes(workspace_), options_, below_ != nullptr);
  index_.emplace(sketched, options_, *verifier_);
}

void KeptSearch::make_index(std::vector<SetNumber> members) {
  index_->make(std::move(members));
  for (const SetNumber set : all_kept_) index_->add(set);
  if (below_) below_->mark_incomplete();
}

void KeptSearch::add_below() {
  for (const ScoredPair& pair : verifier_->take_below())
    if (below_) below_->add(pair);
}

}  // namespace benzer
