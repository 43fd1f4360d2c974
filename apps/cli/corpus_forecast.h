// Estimates for plan --corpus what the plan and its alternatives would cost on the user's
// documents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benzer/audit.h"
#include "benzer/banding.h"
#include "benzer/input.h"

#include "options.h"

namespace benzer::cli {

// Bytes that a run keeps for each document: the keys of its bands, its slots cut to a byte each,
// and kRecordBytes for the rest (numbers, place in the file, label, hash of the feature set).
inline constexpr std::uint64_t kRecordBytes = 80;
inline std::uint64_t bytes_per_document(const Banding& banding, int slots) {
  return 8 * static_cast<std::uint64_t>(banding.bands) + static_cast<std::uint64_t>(slots) +
         kRecordBytes;
}

class CorpusForecast {
 public:
  // Reads the inputs, and shows the same progress line as a run.
  CorpusForecast(const Options& options, const std::vector<Alternative>& alternatives);

  std::string json() const;
  std::string text(const Banding& chosen) const;
  std::uint64_t skipped() const noexcept { return input_.skipped; }

 private:
  double bytes(const RunForecast& run) const;

  Forecast forecast_;
  InputCounts input_;
  std::string features_;
  Threshold threshold_ = Threshold::parse("0.8");
  int slots_ = 0;
};

}  // namespace benzer::cli
