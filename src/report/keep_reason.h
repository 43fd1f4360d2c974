// Tells why one document of a cluster is kept and not another.
#pragma once

#include <span>
#include <string>

#include "benzer/dedup.h"

#include "report/evidence.h"

namespace benzer::report {

// Returns a sentence with the values that the keep rules looked at, of the keeper and of the
// removed documents that are shown.
std::string keep_reason(const KeepOrder& order, const Evidence& keeper,
                        std::span<const Evidence> removed, bool keeper_is_reference);

}  // namespace benzer::report
