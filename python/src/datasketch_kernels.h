// The hot loops of benzer.datasketch, compiled once for each level of the CPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace benzer::python {

// Most messages that a level digests at a time.
constexpr std::size_t kMostLanes = 16;

// The loops of one level. Pointers need no alignment beyond that of their type.
struct DatasketchKernels {
  // Digests `lanes` messages of one block each with SHA-1. Word i of message j is at
  // words[i * lanes + j], already read as big-endian; the words are overwritten. Writes the first
  // two words of the digests.
  std::size_t lanes;
  void (*sha1)(std::uint32_t* words, std::uint32_t* first, std::uint32_t* second);

  // For hash values in blocks of `slots32` and `slots64`: lowers each to the least value of any
  // hash (datasketch_minhash.h has the formulas).
  std::size_t slots32;
  std::size_t slots64;
  void (*min32)(const std::uint32_t* mixed, std::size_t n, const std::uint32_t* a,
                const std::uint32_t* b, std::uint32_t* slots);
  void (*min64)(const std::uint64_t* mixed, std::size_t n, const std::uint64_t* a,
                const std::uint64_t* b, std::uint64_t* slots);
  void (*min_legacy)(const std::uint64_t* hashes, std::size_t n, const std::uint64_t* a,
                     const std::uint64_t* b, std::uint64_t* slots);
};

// The kernels of the level that Benzer uses (benzer/runtime.h). All levels compute the same.
const DatasketchKernels& datasketch_kernels() noexcept;

}  // namespace benzer::python
