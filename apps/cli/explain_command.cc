#include <algorithm>

#include <fmt/format.h>

#include "benzer/features.h"
#include "benzer/similarity.h"

#include "../shared/explain_json.h"
#include "../shared/match_json.h"
#include "../shared/settings.h"
#include "commands.h"
#include "messages.h"
#include "shown_text.h"

namespace benzer::cli {
namespace {

constexpr std::size_t kShownCharacters = 300;
constexpr std::size_t kShownWords = 20;
constexpr std::size_t kShownNumbers = 8;

// Appends "... and 3 more" to a list that was cut.
void append_rest(std::string& out, std::size_t all, std::size_t shown) {
  if (all > shown) {
    out += fmt::format("     ... and {} more (--json has all)\n", with_separators(all - shown));
  }
}

void append_numbers(std::string& out, const std::vector<std::uint64_t>& numbers) {
  const std::size_t shown = std::min(numbers.size(), kShownNumbers);
  for (std::size_t i = 0; i < shown; ++i) {
    out += fmt::format("{}{}", i % 4 == 0 ? "     " : " ", hex_number(numbers[i]));
    if (i % 4 == 3 || i + 1 == shown) out += '\n';
  }
  append_rest(out, numbers.size(), shown);
}

// Appends the first words of a list in one line.
void append_words(std::string& out, const std::vector<std::string>& words) {
  const std::size_t shown = std::min(words.size(), kShownWords);
  if (shown > 0) out += "    ";
  for (std::size_t i = 0; i < shown; ++i) out += ' ' + printable(words[i]);
  if (shown > 0) out += '\n';
  append_rest(out, words.size(), shown);
}

// Appends the first characters of a text under a heading.
void append_start(std::string& out, std::string_view heading, std::string_view text) {
  const std::string_view start = first_characters(text, kShownCharacters);
  out += fmt::format("\n{}\n     {}{}\n", heading, printable(start),
                     start.size() < text.size() ? " ..." : "");
}

// Appends the signature and the band keys. step: the number of the first of these steps.
void append_signature(std::string& out, int step, const SingleText& document,
                      const Config& config) {
  out += fmt::format("\n{}. signature: {} slots\n", step, document.signature.slots.size());
  append_numbers(out, document.signature.slots);
  out += config.sketch.has_positions()
             ? fmt::format("\n{}. band keys: {} bands of {} slots\n", step + 1,
                           config.banding->bands, config.banding->rows)
             : fmt::format("\n{}. keys: one for each of {} values\n", step + 1,
                           document.band_keys.size());
  append_numbers(out, document.band_keys);
}

// Returns ", with a weight of 17.2 in all"; "" for features without weights.
std::string total_weight(const SingleText& document, const Config& config) {
  if (!config.features.is_weighted()) return "";
  const std::uint64_t size = size_of(document.features.features(), Weighting::kWeights);
  return fmt::format(", with a weight of {} in all", shown_size(size, config.features));
}

std::string values_text(const SingleText& document, const Config& config, bool planned) {
  const FeatureSpec& features = config.features;
  const std::vector<ExplainedValue> values = explained_values(document, features);
  std::string out = fmt::format("{}: {} bytes\nconfiguration: {}{}\n", printable(document.path),
                                with_separators(document.text.size()), config.str(),
                                planned ? " (bands planned)" : "");
  std::string different;
  if (!features.values()->bag)
    different = fmt::format(", {} of them different", with_separators(values.size()));
  out += fmt::format("\n1. values and their features: {}{}{}\n",
                     with_separators(document.trace.shingles.size()), different,
                     total_weight(document, config));
  const std::size_t shown = std::min(values.size(), kShownShingles);
  for (std::size_t i = 0; i < shown; ++i) {
    const ExplainedValue& value = values[i];
    out += fmt::format("     {} {}", hex_number(value.feature),
                       shown_shingle(std::string(value.value)));
    if (features.is_weighted()) out += fmt::format(", weight {}", weight_of(value));
    out += value.times > 1 ? fmt::format(" (given {} times)\n", value.times) : "\n";
  }
  append_rest(out, values.size(), shown);
  if (values.empty())
    return out + "   The set has no values: it is kept, and similar to nothing.\n";
  append_signature(out, 2, document, config);
  return out;
}

std::string text(const SingleText& document, const Config& config, bool planned) {
  if (config.features.values()) return values_text(document, config, planned);
  const TextTrace& trace = document.trace;
  std::string out = fmt::format(
      "{}: {} bytes{}\n", printable(document.path), with_separators(document.text.size()),
      trace.replaced == 0
          ? ""
          : fmt::format(", invalid UTF-8 replaced {} times", with_separators(trace.replaced)));
  out += fmt::format("configuration: {}{}\n", config.str(), planned ? " (bands planned)" : "");

  if (config.features.reads_html())
    append_start(out,
                 fmt::format("0. readable text: {} bytes", with_separators(trace.readable.size())),
                 trace.readable);
  append_start(out, "1. normalised text", trace.normalised);

  if (config.features.text()->kind == TextFeatures::Kind::kShingles) {
    out += "\n2. words: not cut, as shingles are of characters as they are\n";
  } else {
    out += fmt::format("\n2. words: {}\n", with_separators(trace.words.size()));
    append_words(out, trace.words);
  }
  if (!trace.stems.empty()) {
    out += "   their stems:\n";
    append_words(out, trace.stems);
  }

  const std::size_t shingles = std::min(trace.shingles.size(), kShownShingles);
  out += fmt::format("\n3. shingles and their features: {}, {} of them different{}\n",
                     with_separators(trace.shingles.size()),
                     with_separators(document.features.size()), total_weight(document, config));
  for (std::size_t i = 0; i < shingles; ++i) {
    const TextTrace::Shingle& shingle = trace.shingles[i];
    out += fmt::format("     {} {}", hex_number(shingle.feature), shown_shingle(shingle.text));
    if (config.features.tf_idf)
      out += fmt::format(", weight {}", weight_of(shingle, config.features));
    out += '\n';
  }
  append_rest(out, trace.shingles.size(), shingles);
  if (document.features.empty()) {
    return out + "   The text has no features: it is kept, and similar to nothing.\n";
  }
  if (trace.is_short) {
    out += "   The text is shorter than one shingle: its one feature is the whole (see --short).\n";
  }

  append_signature(out, 4, document, config);
  return out;
}

}  // namespace

int run_explain(const Options& options) {
  const Config config = complete_config(options);
  const SingleText document = follow_line(options.inputs[0], config, read_max_line(options));
  const bool planned = !read_config(options).banding.has_value();
  print_result(options.json ? explain_json(document, config) : text(document, config, planned));
  return kDone;
}

}  // namespace benzer::cli
