// Finds sets of large buckets by their rarest features (prefix_index.h), once there is so much work
// that the index pays.
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

// Threads: one. make() starts others.
class BucketIndex {
 public:
  // verifier: reads the features of sets that are added or looked up.
  BucketIndex(const SketchedCorpus& sketched, const DedupOptions& options, Verifier& verifier);

  // Returns true if there is enough work for the index to be made. After the index was too large
  // for the memory limit, and for features with weights, it always returns false.
  bool is_due(std::uint64_t work) const noexcept {
    return !index_ && may_grow_ && work > options_.effort.by_signatures;
  }
  // Makes the index, and reads all members: the sets that will be added or looked up, each once, in
  // any order.
  void make(std::vector<SetNumber> members);

  // Adds a set, which gets the next number, from 0. Does nothing if the index is not made.
  void add(SetNumber set);
  // Returns the numbers of all sets that may be similar. Returns null if the index is not made, or
  // if so many sets share the features that comparing signatures is faster. Valid until the next
  // call.
  const std::vector<std::uint32_t>* find(SetNumber set);

 private:
  std::uint64_t group_of(SetNumber set);

  SketchedCorpus sketched_;
  const DistinctSets& sets_;
  const DedupOptions& options_;
  Verifier& verifier_;
  ColumnReader<DocumentFacts> facts_;
  // For each group, by its secret hash, a number that is the same in every run, since what the
  // index finds, and how much work that is, depends on it.
  std::unordered_map<std::uint64_t, std::uint64_t, SecretHash> groups_;
  std::optional<PrefixIndex> index_;
  bool may_grow_ = true;
  std::vector<std::uint32_t> found_;
};

// Counts the sets whose comparisons were cut, each once.
class CutSets {
 public:
  // sets: how many sets there are.
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

// Reduces `found` to the `most` sets whose signatures agree with the given one in the most slots;
// of equally good ones the earlier are left. Sorts it.
void keep_most_promising(const SignatureFilter& filter, const std::uint8_t* signature,
                         ColumnReader<std::uint8_t>& signatures, const DistinctSets& sets,
                         std::size_t most, std::vector<SetNumber>& found);

// How many signatures a set is compared with once comparisons are cut (Effort::whole).
inline constexpr std::size_t kMostSignatures = std::size_t{1} << 17;

}  // namespace benzer
