#include "store_run.h"

#include "store_settings.h"

namespace benzer::cli {

WholeIndexOptions StoreRun::question(std::string_view stage) {
  const SimilarOptions similar = similar_options(options_);
  WholeIndexOptions out;
  out.threshold = similar.threshold;
  out.score = similar.score;
  out.allow_low_recall = similar.allow_low_recall;
  out.threads = threads();
  out.progress = [this, stage](std::uint64_t done, std::uint64_t documents) {
    line().update({stage, done, documents});
  };
  out.stop = stop();
  return out;
}

}  // namespace benzer::cli
