// Reads one file as one text, or one set of values, and computes its features, signature and band
// keys, for compare and explain.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benzer/config.h"
#include "benzer/features.h"
#include "benzer/sketch.h"

#include "options.h"

namespace benzer::cli {

inline constexpr std::size_t kShownShingles = 10;  // unless all are asked for

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

// Does every step, from the file to the band keys. For the features `values` the file holds a JSON
// array of strings, or with +weights an object of weights.
SingleText follow_line(const std::string& path, const Config& config, std::uint64_t max_bytes);

// The number of features of a set, or the sum of their weights, as `size` counts it.
std::string shown_size(std::uint64_t size, const FeatureSpec& features);

// A shingle made printable for a terminal, in quotes if it begins or ends with a blank.
std::string shown_shingle(const std::string& shingle);

}  // namespace benzer::cli
