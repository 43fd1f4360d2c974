// What stays of documents that are similar to one another.
#pragma once

namespace benzer {

enum class Clustering {
  // One document after the other: it goes if one that stays is similar to it itself, else it stays.
  kLeader,
  // One stays of all that a chain of similar pairs connects: what goes may be far from it.
  kComponents,
};

}  // namespace benzer
