// Cuts a text into shingles as it is (text:shingleN), by the rules of the slides and of the blog on
// Scala.
#pragma once

#include "features/extension.h"
#include "features/hash.h"
#include "features/kernels/text_kernels.h"

namespace benzer {

class RawShingles final : public internal::RawTextRules {
 public:
  // spec: text:shingleN.
  explicit RawShingles(const FeatureSpec& spec);

  std::size_t append(std::string_view piece, bool& after_white_space, char* out) const override;
  void hash_windows(const std::uint8_t* text, const std::uint32_t* positions, std::size_t windows,
                    std::size_t n, std::uint64_t* features) const override;
  TextTrace trace(std::string_view text) const override;

 private:
  TextFeatures features_;
  internal::HashKeys keys_;
  const internal::TextKernels& kernels_;
};

}  // namespace benzer
