// Computes signatures with the three schemes of datasketch 2.0 (and of all its 1.x releases).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace benzer::python {

// The schemes. With a and b drawn for each slot, and h the hash of a value, a slot becomes the
// least of all values
//   legacy    ((a h + b) modulo 2^64) modulo (2^61 - 1), of which 32 bits are kept
//   affine32  (a mix(h) + b) modulo 2^32
//   affine64  (a mix(h) + b) modulo 2^64
// where mix is the finaliser of MurmurHash3 for that width. The wrap at 2^64 before the modulus of
// `legacy` is a part of that scheme.
//
// The pointers to slots, a and b need no alignment beyond that of their type. None of these
// functions needs the GIL.

void min_legacy(std::span<const std::uint64_t> hashes, const std::uint64_t* a,
                const std::uint64_t* b, std::uint64_t* slots, std::size_t count);

// Takes 32-bit hashes in the low halves of `hashes`.
void min_affine32(std::span<const std::uint64_t> hashes, const std::uint32_t* a,
                  const std::uint32_t* b, std::uint32_t* slots, std::size_t count);

void min_affine64(std::span<const std::uint64_t> hashes, const std::uint64_t* a,
                  const std::uint64_t* b, std::uint64_t* slots, std::size_t count);

}  // namespace benzer::python
