#include "eval/run_sketch.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "dedup/candidates.h"

namespace benzer {

RunSketcher::RunSketcher(const SimilarityOptions& options)
    : minhasher_(options.config.sketch, options.config.features),
      banding_(*options.config.banding),
      least_equal_(signature_cut(options.threshold.value(), options.config.sketch.slots,
                                 allowed_loss(options.recall))
                       .least_equal) {}

RunSketch RunSketcher::sketch(std::span<const std::uint64_t> features) const {
  std::vector<std::uint64_t> slots(static_cast<std::size_t>(minhasher_.slots()));
  minhasher_.sketch(features, slots);
  RunSketch out;
  out.keys.resize(static_cast<std::size_t>(banding_.bands));
  banding_.keys(slots, out.keys);
  for (const std::uint64_t slot : slots) out.cut.push_back(static_cast<std::uint8_t>(slot));
  return out;
}

bool RunSketcher::finds(const RunSketch& a, const RunSketch& b) const noexcept {
  bool share_a_band = false;
  for (std::size_t band = 0; band < a.keys.size(); ++band)
    share_a_band |= a.keys[band] == b.keys[band];
  if (!share_a_band) return false;
  return std::transform_reduce(a.cut.begin(), a.cut.end(), b.cut.begin(), 0, std::plus<>(),
                               [](std::uint8_t x, std::uint8_t y) { return x == y ? 1 : 0; }) >=
         least_equal_;
}

RunAnchors::RunAnchors(const SimilarityOptions& options)
    : plan_(plan_anchors(options.threshold.value(), options.recall)),
      needed_(plan_, options.threshold),
      seed_(options.config.features.seed) {}

bool RunAnchors::has_anchors_of(std::span<const std::uint64_t> smaller,
                                std::span<const std::uint64_t> larger) const {
  AnchorPicker picker(plan_.anchors, seed_);
  picker.add(smaller);
  const auto found = std::ranges::count_if(
      larger, [&](std::uint64_t feature) { return picker.contains(feature); });
  return static_cast<std::uint64_t>(found) >=
         needed_.needed(static_cast<std::uint32_t>(smaller.size()));
}

bool RunAnchors::finds(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) const {
  if (a.size() != b.size())
    return a.size() < b.size() ? has_anchors_of(a, b) : has_anchors_of(b, a);
  // Which of equally large sets is looked up in the other depends on their order.
  return has_anchors_of(a, b) && has_anchors_of(b, a);
}

}  // namespace benzer
