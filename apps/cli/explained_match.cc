#include "explained_match.h"

#include <fmt/format.h>

#include "benzer/internal/score_text.h"
#include "benzer/similarity.h"

#include "../shared/index_settings.h"
#include "../shared/json.h"
#include "messages.h"
#include "shown_text.h"

namespace benzer::cli {
namespace {

void append_detail(std::string& out, std::string_view name, const std::string& text) {
  out += fmt::format("    {:<13} {}\n", name, text);
}

// "shingle" of a text, "value" of a set.
std::string features(std::uint64_t number, bool is_text) {
  return is_text ? counted(number, "shingle", "shingles") : counted(number, "value", "values");
}

void append_hash(std::string& out, const FieldMatch& field, const FeatureSpec& spec) {
  const double score = field.overlap.jaccard();
  const auto distance = distance_of_score(spec, score);
  out += fmt::format("  {}: {}, {} of {} bits differ\n", printable(field.field), cut_score(score),
                     distance ? std::to_string(*distance) : "half or more", spec.hash_bits());
  append_detail(out, "equal",
                fmt::format("{} of {} pieces of 16 bits", field.explanation->bands.size(),
                            spec.hash_bits() / 16));
}

void append_field(std::string& out, const FieldMatch& field, const Schema& schema, bool has_text) {
  const FieldExplanation& why = *field.explanation;
  const FeatureSpec& spec = schema.fields[*schema.find(field.field)].features;
  const bool is_text = spec.text() != nullptr;
  if (spec.comparison() == Comparison::kHashes) {
    append_hash(out, field, spec);
    return;
  }
  out += fmt::format(
      "  {}: {} = {} shared / {} in {}\n", printable(field.field),
      cut_score(field.overlap.jaccard()), shown_size(field.overlap.intersection, spec),
      shown_size(field.overlap.set_union, spec), field.shares ? "the smaller one" : "all");
  if (field.shares) {
    append_detail(out, "contained",
                  fmt::format("{} of the query, {} of the match", cut_score(field.shares->of_a),
                              cut_score(field.shares->of_b)));
    append_detail(out, "keys met", fmt::format("{} of {}", why.bands.size(), why.keys));
  } else {
    append_detail(out, schema.sketch.has_positions() ? "bands met" : "values met",
                  why.bands.empty()
                      ? fmt::format("none of {}", schema.banding->bands)
                      : fmt::format("{} of {}: {}", why.bands.size(), schema.banding->bands,
                                    fmt::join(why.bands, " ")));
  }
  if (!has_text || field.overlap.intersection == 0) return;
  for (std::size_t i = 0; i < why.passages.size(); ++i) {
    const SharedPassage& passage = why.passages[i];
    append_detail(out, i == 0 ? "shared" : "",
                  fmt::format("{}{} ({})", shown_shingle(passage.text),
                              passage.is_cut ? " ..." : "", features(passage.features, is_text)));
  }
  if (why.more > 0)
    append_detail(out, why.passages.empty() ? "shared" : "",
                  fmt::format("... and {} more", features(why.more, is_text)));
}

}  // namespace

std::string explained_text(const Match& match, const std::string& query, const Schema& schema,
                           bool has_text) {
  std::string out = fmt::format(
      "{} is similar to {}: {}, found with probability {}\n", printable(json_string(match.id)),
      query.empty() ? "the document" : printable(json_string(query)), cut_score(match.score),
      shown_probability(*match.found_probability));
  for (const FieldMatch& field : match.fields) append_field(out, field, schema, has_text);
  if (!has_text)
    out += "  an index keeps no text: to see what is shared, give the document with --like\n";
  return out;
}

}  // namespace benzer::cli
