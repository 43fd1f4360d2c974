// Reads the options that define what is similar: features, sketch, bands and threshold.
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "benzer/similarity.h"

#include "choices.h"
#include "setting_text.h"
#include "settings.h"

namespace benzer::apps {
namespace {

constexpr unsigned kPictures = kDedup | kPairs;  // commands that take images

bool bands_are_fixed(const Options& options, const Config& config) {
  return options.bands.has_value() || config.banding.has_value();
}

// Refuses options about sketches for features that are not sets: these are compared as they are.
void check_compared(const Options& options, const FeatureSpec& features) {
  for (const auto& [given, name] : {std::pair{options.sketch.has_value(), "sketch"},
                                    {options.bands.has_value(), "bands"},
                                    {options.recall.has_value(), "recall"},
                                    {options.seed.has_value(), "seed"},
                                    {options.exact, "exact"}}) {
    if (given)
      refuse(
          words("{} has no effect on the features {}: they are compared as they are, without a "
                "sketch",
                {Parameter{name}, features.str()}));
  }
}

// Refuses --short for features with which no document is short.
void check_has_short(const FeatureSpec& features) {
  if (features.has_short()) return;
  refuse(
      words("{} has no effect on the features '{}': it is for text:wordN, text:wordsN, "
            "text:charN, text:shingleN, image:sift and hashes of pictures",
            {Parameter{"short"}, features.str()}));
}

}  // namespace

void check_contained(const Options& options) {
  for (const auto& [given, name] : {std::pair{options.sketch.has_value(), "sketch"},
                                    {options.bands.has_value(), "bands"},
                                    {options.config.has_value(), "config"},
                                    {options.slots.has_value(), "slots"},
                                    {options.signatures.has_value(), "signatures"}})
    if (given)
      refuse(words("{} has no effect with {}, which is found without signatures",
                   {Parameter{name}, Parameter{"measure", "containment"}}),
             "leave it out");
}

Threshold read_threshold(const Options& options, const FeatureSpec& features) {
  if (!options.distance) {
    return options.threshold ? Threshold::parse(*options.threshold) : usual_threshold(features);
  }
  if (options.threshold)
    refuse(words("{} and {} say the same thing twice",
                 {Parameter{"distance"}, Parameter{"threshold"}}),
           "give one of them");
  if (features.comparison() != Comparison::kHashes)
    refuse(words("{} is for hashes of pictures, and the features are {}",
                 {Parameter{"distance"}, features.str()}),
           "give " + Parameter{"threshold"});
  int distance = 0;
  if (!read_whole(*options.distance, &distance) || distance < 0 ||
      distance > largest_distance(features))
    refuse_value("distance", *options.distance,
                 fmt::format("give a whole number from 0 to {}", largest_distance(features)));
  return threshold_of_distance(features, distance);
}

FrequencyFiles read_frequencies(const Options& options) {
  FrequencyFiles out;
  for (const std::string& file : options.frequencies)
    out.push_back(DocumentFrequencies::load(file));
  return out;
}

void use_frequencies(const Options& options, const FrequencyFiles& files,
                     std::span<FeatureSpec* const> features) {
  const std::size_t unused = benzer::use_frequencies(files, features);
  if (unused == files.size()) return;
  std::vector<std::string> asked;
  for (const FeatureSpec* one : features) asked.push_back(one->str());
  refuse(words("{} {} was counted for the features {}, and asked for is {}",
               {Parameter{"frequencies"}, options.frequencies[unused], files[unused]->weighed(),
                fmt::format("{}", fmt::join(asked, ", "))}),
         "count the features that are asked for, or leave it out");
}

Config read_config(const Options& options) {
  Config config;
  const FrequencyFiles frequencies = read_frequencies(options);
  if (options.config) {
    if (options.features || options.sketch || options.bands) {
      refuse(Parameter{"config"} + " says features, sketch and bands together",
             "leave out " + Parameter{options.features ? "features"
                                      : options.sketch ? "sketch"
                                                       : "bands"});
    }
    config = Config::parse(*options.config);
  }
  if (options.features) {
    config.features = FeatureSpec::parse(*options.features);
  }
  if (options.sketch) {
    config.sketch = SketchSpec::parse(*options.sketch);
  }
  if (options.bands) {
    config.banding = parse_banding(*options.bands);
  }
  if (!config.features.is_sketched()) check_compared(options, config.features);
  config = Config::parse(config.str());  // throws if the parts do not go together
  if (options.seed) {
    const std::uint64_t seed = read_seed(options);
    if (config.features.seed != 0 && config.features.seed != seed) {
      refuse(words("{} contradicts +seed:{} of the features",
                   {Parameter{"seed", std::to_string(seed)}, std::to_string(config.features.seed)}),
             "give one of them");
    }
    config.features.seed = seed;
  }
  use_frequencies(options, frequencies, std::array{&config.features});
  if (config.features.image() && (options.command & kPictures) == 0)
    refuse(
        fmt::format("'{}' does not take pictures, and the features are {}: use 'dedup' "
                    "or 'pairs'",
                    command_row(options.command).name, config.features.str()));
  if (options.recall && bands_are_fixed(options, config)) {
    refuse(Parameter{"recall"} + " has no effect when the bands are given",
           "leave out one of them");
  }

  if (config.features.needs_frequencies() && (options.command & (kCompare | kExplain)) != 0) {
    refuse(fmt::format("'{}' has only single texts, which do not tell what is common",
                       command_row(options.command).name),
           config.features.tf_idf
               ? words("give {} (benzer count-frequencies counts them), or leave out +tf-idf",
                       {Parameter{"frequencies", "FILE"}})
               : ErrorText("leave out +drop-common"));
  }

  const bool chosen = options.features || options.config;
  if (options.values) {
    if (!chosen) {
      config.features.kind = ValueFeatures();
    } else if (!config.features.values()) {
      refuse(words("{} compares sets of values, but the features are {}",
                   {Parameter{"values"}, config.features.str()}),
             "leave out one of them");
    }
  } else if (config.features.values() && (options.command & (kCompare | kExplain)) == 0) {
    refuse(words("the features '{}' need {}, the JSON field with the values",
                 {config.features.str(), Parameter{"values", "FIELD"}}));
  }
  return config;
}

SimilarityOptions similarity_options(const Options& options) {
  SimilarityOptions out;
  out.config = read_config(options);
  out.measure = read_measure(options);
  if (out.measure == Measure::kContainment) check_contained(options);
  out.threshold = read_threshold(options, out.config.features);
  out.recall = read_recall(options);
  out.threads = thread_count(options);
  out.memory_limit = read_memory_limit(options);
  out.work_folder = read_work_folder(options);
  if (options.short_policy) {
    constexpr std::array kValues = {ShortPolicy::kExact, ShortPolicy::kKeep, ShortPolicy::kDrop};
    out.short_policy = kValues[choose("short", *options.short_policy, kShortPolicyNames)];
    check_has_short(out.config.features);
  }
  if (options.exact) {
    for (const auto& [given, name] : {std::pair{options.recall.has_value(), "recall"},
                                      {options.sketch.has_value(), "sketch"},
                                      {options.bands.has_value(), "bands"}}) {
      if (given)
        refuse(words("{} has no effect with {}, which makes no sketches",
                     {Parameter{name}, Parameter{"exact"}}));
    }
  }
  return out;
}

DedupOptions dedup_options(const Options& options) {
  DedupOptions out;
  static_cast<SimilarityOptions&>(out) = similarity_options(options);
  out.keep = keep_order(options, out.config.features);
  out.keep_stages = options.work && !options.signatures;
  out.clustering = clustering(options);
  if (options.pairs_list) out.collect = Collect::kSimilar;
  if (options.report) out.collect = Collect::kCompared;
  return out;
}

PairsOptions pairs_options(const Options& options) {
  PairsOptions out;
  static_cast<SimilarityOptions&>(out) = similarity_options(options);
  out.exact = options.exact;
  // An exact join needs no bands. These dummy bands avoid planning, which could fail.
  if (options.exact && out.measure == Measure::kJaccard) out.config.banding = Banding{1, 1};
  return out;
}

}  // namespace benzer::apps
