#include "single_text.h"

#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "benzer/banding.h"
#include "benzer/error.h"
#include "benzer/input.h"

#include "settings.h"

namespace benzer::apps {
namespace {

// Keeps the only document of a scan.
class TextTaker : public DocumentVisitor {
 public:
  std::unique_ptr<Block> start_block() override { return std::make_unique<OneBlock>(); }
  void finish_block(std::unique_ptr<Block> block) override {
    auto& taken = static_cast<OneBlock&>(*block).text;
    if (taken) text = std::move(taken);
  }

  std::optional<std::string> text;

 private:
  struct OneBlock : Block {
    void add(const DocumentView& document) override { text = std::string(document.text); }
    std::optional<std::string> text;
  };
};

// Returns what follows the first JSON array or object of a text, or the whole text if it begins
// with neither. Brackets are only counted: a parser reads what this lets pass.
std::string_view after_value(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if ((c == ']' || c == '}') && --depth <= 0) {
      return text.substr(i + 1);
    }
    if (depth == 0 && c != ' ' && c != '\t' && c != '\n' && c != '\r') return text;
  }
  return {};
}

// Reads the JSON of a value set.
Field read_values(const std::string& json, const std::string& path, const FeatureSpec& features) {
  constexpr const char* kName = "values";
  const InputField field{.name = kName, .is_values = true, .has_weights = features.takes_weights()};
  if (after_value(json).find_first_not_of(" \t\n\r") != std::string_view::npos)
    throw Error(ErrorCode::kBadInput, Subject::file(path),
                fmt::format("it must hold one JSON array of strings{}, and nothing else",
                            field.has_weights ? " or object of weights" : ""));
  try {
    return values_from_json(json, field);
  } catch (const Error& error) {
    throw Error(error.code(),
                words("'{}', read as \"{}\" of a document: {}", {path, kName, error.sentence()}));
  }
}

}  // namespace

std::string read_text(const std::string& path, std::uint64_t max_bytes) {
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_directory(path, ignored)) {
    refuse(fmt::format("'{}' is a folder", path), "name a text file");
  }
  InputOptions input;
  input.inputs = {path};
  input.format = InputFormat::kText;
  input.max_line_bytes = max_bytes;
  input.strict = true;
  FileCorpus corpus(std::move(input));
  TextTaker taker;
  corpus.scan(taker, 1);
  if (!taker.text) throw Error(ErrorCode::kBadInput, fmt::format("'{}' holds no text", path));
  return *std::move(taker.text);
}

Config complete_config(const Options& options) {
  Config config = read_config(options);
  const Threshold threshold = read_threshold(options, config.features);
  const double recall = read_recall(options);
  if (config.banding || !config.sketch.has_positions()) {
    const bool is_explained = (options.command & kExplain) != 0;
    for (const auto& [given, name] : {std::pair{is_explained && options.threshold, "threshold"},
                                      {options.recall.has_value(), "recall"}})
      if (given)
        refuse(
            words("{} has no effect {}",
                  {Parameter{name}, config.banding ? ErrorText("when the bands are given")
                                                   : words("on the sketch {}, which has no bands",
                                                           {config.sketch.str()})}),
            "leave out one of them");
  }
  if (!config.sketch.has_positions()) {
    config.banding = Banding{config.sketch.slots, 1};
  } else if (!config.banding) {
    config.banding = plan({threshold.value(), recall, config.sketch.slots}).banding;
  }
  return config;
}

SingleText follow_line(const std::string& path, const Config& config, std::uint64_t max_bytes) {
  return follow_text(path, read_text(path, max_bytes), config);
}

SingleText follow_text(std::string path, std::string text, const Config& config,
                       const std::atomic<bool>* stop) {
  SingleText out;
  out.path = std::move(path);
  out.text = std::move(text);
  const FeatureExtractor extractor(config.features);
  FeatureBuffer buffer(stop);
  if (config.features.values()) {
    const Field field = read_values(out.text, out.path, config.features);
    const std::vector<std::string_view> values(field.values.begin(), field.values.end());
    out.trace = extractor.trace_values(values);
    extractor.extract_values(values, buffer, field.weights);
  } else {
    out.trace = extractor.trace(out.text);
    throw_if_stopped(stop);
    extractor.extract(out.text, buffer);
  }
  out.features = FeatureSet(buffer.features());
  out.signature = MinHasher(config.sketch, config.features).sketch(buffer.features(), stop);
  if (out.features.empty()) return out;  // without features there are no band keys
  out.band_keys.resize(static_cast<std::size_t>(config.banding->bands));
  if (config.sketch.has_positions()) {
    config.banding->keys(out.signature.slots, out.band_keys);
  } else {
    value_keys(out.signature.slots, out.band_keys);
    std::erase(out.band_keys, kNoKey);
  }
  return out;
}

}  // namespace benzer::apps
