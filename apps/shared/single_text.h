// Computes the features, signature and band keys of one text, or one set of values, for compare and
// explain.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "benzer/config.h"
#include "benzer/features.h"
#include "benzer/sketch.h"

#include "options.h"

namespace benzer::apps {

// Reads a whole file, decompressed if it is compressed; "-" is standard input. Throws Error.
std::string read_text(const std::string& path, std::uint64_t max_bytes);

struct SingleText {
  std::string path;
  std::string text;
  TextTrace trace;
  FeatureSet features;
  Signature signature;
  std::vector<std::uint64_t> band_keys;
};

// The complete configuration of the options. Bands are planned unless they are given.
Config complete_config(const Options& options);

// Does every step, from the text to the band keys. config: complete. For the features `values` the
// text is a JSON array of strings, or with +weights an object of weights. path: what messages call
// the text. Throws Error(kBadInput) for other JSON, and Error(kInterrupted), after the step that is
// under way, when `stop`, which may be null, turns true.
SingleText follow_text(std::string path, std::string text, const Config& config,
                       const std::atomic<bool>* stop = nullptr);
// The same for the text of a file, as read_text() reads it.
SingleText follow_line(const std::string& path, const Config& config, std::uint64_t max_bytes);

}  // namespace benzer::apps
