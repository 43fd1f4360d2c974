// Computes how much a feature weighs by how few documents have it: +tf-idf.
#pragma once

#include <cstdint>

namespace benzer::internal {

// Returns log2(1 + documents / having) in millionths, rounded to the nearest, where `having` of
// `documents` documents have the feature; none counts as one. This is the smooth inverse frequency
// of Baeza-Yates and Ribeiro-Neto (Modern Information Retrieval, 2011, table 3.4): a feature of all
// documents weighs 1 and not 0, so no document loses all of its features.
//
// Computed in integers alone, since the last bits of a library's logarithm differ from machine to
// machine. The error before rounding is below 1e-11 millionths. Both numbers are below 2^32. Cost:
// about 100 ns. Threads: pure.
std::uint64_t inverse_frequency(std::uint64_t documents, std::uint64_t having) noexcept;

}  // namespace benzer::internal
