// Shares among dedup, pairs, clusters and audit of an index: the run and the question.
#pragma once

#include "benzer/index.h"

#include "../shared/options.h"
#include "corpus_run.h"

namespace benzer::cli {

class IndexRun : public CommandRun {
 public:
  explicit IndexRun(const Options& options) : CommandRun(options), options_(options) {}

  // The question that the options ask, with the run's progress line and stop flag.
  WholeIndexOptions question();

 private:
  bool reads(const std::string&) const override { return false; }

  const Options& options_;
};

}  // namespace benzer::cli
