// The sets of large buckets by their rarest features (prefix_index.h), once there is so much work
// that it pays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/secret.h"
#include "base/workspace.h"
#include "dedup/candidates.h"
#include "dedup/prefix_index.h"
#include "dedup/sketch_table.h"
#include "dedup/verify_pass.h"

namespace benzer {

// Threads: one; making it takes several.
class BucketIndex {
 public:
  // verifier: reads the features of sets that are added or asked for.
  BucketIndex(const SketchedCorpus& sketched, const DedupOptions& options, Verifier& verifier);

  // Is it time to make it? Never again after it was too large for the memory limit.
  bool is_due(std::uint64_t work) const noexcept {
    return !index_ && may_grow_ && work > options_.effort.by_signatures;
  }
  // members: all sets that will be added or asked for, each once, in any order. Reads them all.
  void make(std::vector<SetNumber> members);

  // Sets have numbers in the order in which they are added. Does nothing if it is not made.
  void add(SetNumber set);
  // The numbers of all sets that may be similar; null if it is not made, or if so many share the
  // features that signatures are the faster way. Valid until the next call.
  const std::vector<std::uint32_t>* find(SetNumber set);

 private:
  std::uint64_t group_of(SetNumber set);

  SketchedCorpus sketched_;
  const DistinctSets& sets_;
  const DedupOptions& options_;
  Verifier& verifier_;
  ColumnReader<DocumentFacts> facts_;
  // Of each group, by its secret hash: a number that is the same in every run, since what the index
  // finds, and how much work that is, depends on it.
  std::unordered_map<std::uint64_t, std::uint64_t, SecretHash> groups_;
  std::optional<PrefixIndex> index_;
  bool may_grow_ = true;
  std::vector<std::uint32_t> found_;
};

// The sets whose comparisons were cut, each counted once.
class CutSets {
 public:
  // sets: how many there are in all.
  void add(SetNumber set, std::size_t sets) {
    if (is_cut_.empty()) is_cut_.resize(sets);
    if (!is_cut_[set]) ++size_;
    is_cut_[set] = true;
  }
  std::uint64_t size() const noexcept { return size_; }

 private:
  std::vector<bool> is_cut_;
  std::uint64_t size_ = 0;
};

// Leaves of sets the `most` whose signatures agree in the most slots with that of a set, the
// earlier ones where they tie; sorted.
void keep_most_promising(const SignatureFilter& filter, const std::uint8_t* signature,
                         ColumnReader<std::uint8_t>& signatures, const DistinctSets& sets,
                         std::size_t most, std::vector<SetNumber>& found);

// Signatures that a set is compared with once its comparisons are cut (Effort::whole).
inline constexpr std::size_t kMostSignatures = std::size_t{1} << 17;

}  // namespace benzer
