// What stays of documents that are similar to one another.
#pragma once

#include <string_view>

namespace benzer {

enum class Clustering {
  // One document after the other: it goes if one that stays is similar to it itself, else it stays.
  kLeader,
  // One stays of all that a chain of similar pairs connects: what goes may be far from it.
  kComponents,
};

// As options and outputs have it: "leader" or "components".
constexpr std::string_view name_of(Clustering clustering) noexcept {
  return clustering == Clustering::kLeader ? "leader" : "components";
}

}  // namespace benzer
