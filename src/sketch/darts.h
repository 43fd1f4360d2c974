// Sketches features with weights, so that the share of equal slots of two signatures estimates the
// weighted Jaccard similarity: the sum of the smaller weights over the sum of the larger ones.
//
// Source: DartMinHash (Christiani 2020, arXiv:2005.11547). Every feature has a plane of its own,
// weight by rank, with darts: points of a Poisson process that depends on the feature alone. A
// feature of weight w owns the darts whose weight coordinate is below w. Each dart belongs to one
// of the k slots, and a slot holds the smallest rank of its darts. Two documents have the same dart
// there with probability J_w, independently for each slot: no bias, and a variance of J (1 - J) /
// k.
//
// Unlike the paper everything is an integer: coordinates, ranks and the number of darts in a cell
// (by a table of the Poisson distribution). So signatures are the same on every machine, with any
// compiler and mathematical library. docs/format.md defines them bit by bit.
#pragma once

#include <cstdint>
#include <span>

namespace benzer {

// Fills all slots from features with weights (base/weight.h), each feature once, in any order.
// Slots hold ranks as floating-point numbers of 7 and 57 bits, so the smaller slots of two
// documents are those of the larger weights of both. Without features all slots are kEmptySlot.
//
// Cost: some 25 ns for each of k (ln k + 4) darts, 30 us at 128 slots, and 60 ns for each feature;
// one whose weight is far from 1 takes twice as long. Needs no memory.
// Threads: any number.
void sketch_by_darts(std::span<const std::uint64_t> features,
                     std::span<std::uint64_t> slots) noexcept;

}  // namespace benzer
