#include "index_run.h"

#include "../shared/index_settings.h"

namespace benzer::cli {

WholeIndexOptions IndexRun::question() {
  WholeIndexOptions out = whole_index_options(options_);
  out.progress = [this](const Progress& progress) { line().update(progress); };
  out.stop = stop();
  return out;
}

}  // namespace benzer::cli
