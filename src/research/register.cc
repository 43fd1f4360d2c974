#include "benzer/research/register.h"

#include "features/extension.h"
#include "research/drawn_hashes.h"
#include "research/raw_shingles.h"

namespace benzer {
namespace {

constexpr internal::Extension kResearch = {
    [](const SketchSpec& sketch) -> std::unique_ptr<const internal::SlotFunctions> {
      return std::make_unique<const DrawnHashes>(sketch);
    },
    [](const FeatureSpec& features) -> std::unique_ptr<const internal::RawTextRules> {
      return std::make_unique<const RawShingles>(features);
    }};

}  // namespace

void register_research() noexcept { internal::register_extension(kResearch); }

}  // namespace benzer
