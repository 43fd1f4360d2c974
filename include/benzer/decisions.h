// What people have decided about documents that an index takes for similar.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace benzer {

struct Decision {
  std::uint64_t id = 0;       // given by the index
  std::uint64_t version = 0;  // grows with every change
  // Ids of documents: one at least, two if they are no duplicates. UTF-8.
  std::vector<std::string> members;
  // Stands for the cluster that it is in, in place of its first document. Empty: none was chosen.
  std::string keeper;
  // No two of the members count as similar, whatever their score.
  bool not_duplicates = false;
  std::string note;
  std::string at;  // when it was made or changed: "2026-11-22T21:03:00Z"
  friend bool operator==(const Decision&, const Decision&) = default;
};

}  // namespace benzer
