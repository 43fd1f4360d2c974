// Generates the batches that the program redis_writer puts into a store, so that the test that
// kills it knows what was written.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/test_random.h"

namespace benzer {

class WriterBatches {
 public:
  static constexpr std::uint64_t kFirst = 1'000'000;  // numbers of its documents

  struct Batch {
    std::vector<std::uint64_t> numbers;
    std::vector<int> versions;
  };
  explicit WriterBatches(std::uint64_t seed) : random_(seed + 99) {}

  Batch next() {
    Batch out;
    std::set<std::uint64_t> picked;
    for (std::uint64_t size = 1 + random_.below(900); size > 0; --size)
      picked.insert(random_.below(1'000));
    for (const std::uint64_t local : picked) {
      out.numbers.push_back(kFirst + local);
      out.versions.push_back(versions_.contains(local) ? ++versions_[local] : versions_[local]);
    }
    return out;
  }

 private:
  TestRandom random_;
  std::map<std::uint64_t, int> versions_;
};

}  // namespace benzer
