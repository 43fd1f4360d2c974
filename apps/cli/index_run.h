// What pairs, clusters and audit of an index share.
#pragma once

#include "benzer/index.h"

#include "corpus_run.h"
#include "options.h"

namespace benzer::cli {

class IndexRun : public CommandRun {
 public:
  explicit IndexRun(const Options& options) : CommandRun(options), options_(options) {}

  // The question of the options, with the run's progress line and stop flag.
  WholeIndexOptions question();

 private:
  bool reads(const std::string&) const override { return false; }

  const Options& options_;
};

}  // namespace benzer::cli
