// Cuts passages that earlier documents have out of records.
#pragma once

#include "../shared/options.h"

namespace benzer::cli {

int run_passage_removal(const Options& options);

}  // namespace benzer::cli
