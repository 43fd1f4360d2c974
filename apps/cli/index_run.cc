#include "index_run.h"

#include "index_settings.h"

namespace benzer::cli {

WholeIndexOptions IndexRun::question() {
  const SimilarOptions similar = similar_options(options_);
  WholeIndexOptions out;
  out.threshold = similar.threshold;
  out.score = similar.score;
  out.allow_low_recall = similar.allow_low_recall;
  out.threads = threads();
  out.progress = [this](const Progress& progress) { line().update(progress); };
  out.stop = stop();
  return out;
}

}  // namespace benzer::cli
