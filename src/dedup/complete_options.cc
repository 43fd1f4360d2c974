#include "dedup/complete_options.h"

#include <string>

#include "benzer/banding.h"
#include "benzer/error.h"

#include "base/parallel.h"
#include "features/config_text.h"
#include "lsh/signature_cut.h"

namespace benzer {
namespace {

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorCode::kInvalidArgument, sentence);
}

// Checks what containment cannot have, and plans its anchors.
SimilarityCounts complete_containment(SimilarityOptions& options, bool is_exact) {
  const FeatureSpec& features = options.config.features;
  if (features.image())
    throw Error(ErrorCode::kInvalidArgument, Subject::parameter("measure"),
                "pictures have no containment, and the features are " + features.str(),
                "leave " + Parameter{"measure"} + " out");
  if (features.is_weighted())
    throw Error(ErrorCode::kInvalidArgument, Subject::parameter("measure"),
                "containment counts features, and those of " + features.str() + " have weights",
                "leave out " + Parameter{"measure"} + ", or the weights");
  if (options.config.banding && !is_exact)
    throw Error(ErrorCode::kInvalidArgument, Subject::parameter("measure"),
                "containment is found by anchors and not by bands",
                "leave the bands out, or " + Parameter{"measure"});
  SimilarityCounts counts;
  counts.config = options.config;
  counts.config.banding.reset();
  counts.recall_at_threshold = 1;
  if (is_exact) return counts;
  counts.anchors = plan_anchors(options.threshold.value(), options.recall);
  counts.recall_at_threshold = counts.anchors->recall_at_threshold;
  return counts;
}

}  // namespace

void refuse_containment(const SimilarityOptions& options, const char* what) {
  if (options.measure == Measure::kContainment)
    throw Error(ErrorCode::kInvalidArgument, Subject::parameter("measure"),
                std::string(what) + " has no containment",
                "leave " + Parameter{"measure"} + " out");
}

SimilarityCounts complete_options(SimilarityOptions& options, bool is_exact) {
  options.threads = threads_within(resolve_threads(options.threads), options.memory_limit);
  const FeatureSpec& features = options.config.features;
  if (options.short_policy != ShortPolicy::kExact && !features.has_short())
    refuse("a policy for short texts applies to text features, not to " + features.str());
  if (!(options.recall > 0 && options.recall < 1)) refuse("the recall must be above 0 and below 1");
  if (options.measure == Measure::kContainment) return complete_containment(options, is_exact);
  if (!features.is_sketched()) {
    options.config.banding.reset();
    SimilarityCounts counts;
    counts.config = options.config;
    counts.recall_at_threshold = 1;
    return counts;
  }
  if (!options.config.sketch.has_positions())
    refuse("the values of the sketch " + options.config.sketch.str() +
           " have no positions, and so no bands, by which a run on a corpus finds similar "
           "documents: take a sketch with positions, such as fss, or put the documents into an "
           "index (benzer index, then pairs INDEX)");
  internal::check_sketch(options.config.sketch, options.config.features);
  const PlanRequest request{options.threshold.value(), options.recall, options.config.sketch.slots};
  if (!options.config.banding) options.config.banding = plan(request).banding;
  const Banding& banding = *options.config.banding;
  if (banding.bands < 1 || banding.rows < 1)
    refuse("bands " + banding.str() + " are not allowed: both numbers must be at least 1");
  if (banding.bands > request.slots || banding.rows > request.slots ||
      banding.slots() > request.slots)
    refuse("bands " + banding.str() + " use more slots than the sketch " +
           options.config.sketch.str() + " has: use fewer bands or rows, or a larger sketch");
  SimilarityCounts counts;
  counts.config = options.config;
  counts.recall_at_threshold = recall_of(request, banding);
  return counts;
}

}  // namespace benzer
