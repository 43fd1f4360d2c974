// Compares two documents and returns them side by side.
#include <fmt/format.h>

#include "benzer/compare.h"
#include "benzer/error.h"

#include "../shared/json.h"
#include "../shared/match_json.h"
#include "json_body.h"
#include "routes.h"

namespace benzer::server {
namespace {

Document read_side(JsonBody& body, const ServedIndex& served, std::string_view name) {
  auto side = body.object(name);
  if (!side) body.missing(name);
  const auto id = side->id("id");
  auto text = side->text("text");
  const auto document = side->raw("document");
  side->finish();
  if (id.has_value() + text.has_value() + document.has_value() != 1)
    throw Problem(422, "wrong_value",
                  fmt::format("'{}' has exactly one of 'id', 'text' and 'document'", name))
        .at(fmt::format("/{}", name));
  if (text) return of_text(served, *std::move(text));
  if (document) return served.document(*document);
  return kept_document(served, *id, fmt::format("/{}/id", name));
}

std::string_view name_of(Mark mark) {
  return mark == Mark::kShared ? "shared" : mark == Mark::kOwn ? "own" : "none";
}

std::string pieces_json(const std::vector<MarkedPiece>& pieces) {
  JsonArray out;
  for (const MarkedPiece& piece : pieces) {
    JsonObject one;
    one.add("mark", name_of(piece.mark)).add("text", piece.text);
    if (piece.weight) one.add("weight", *piece.weight);
    out.raw(one.str());
  }
  JsonObject side;
  return side.raw("pieces", out.str()).str();
}

std::string field_json(const ComparedField& field, const FeatureSpec& spec) {
  JsonArray met;
  for (const std::uint32_t band : field.equal_bands) met.raw(std::to_string(band));
  JsonObject out;
  out.add("kind", kind_of(spec)).add("similarity", field.similarity);
  if (const int bits = spec.hash_bits(); bits > 0) {
    if (field.distance) {
      out.add("distance", *field.distance);
    } else {
      out.add_null("distance");
    }
    out.add("bits", bits);
  } else if (field.shares) {
    out.add("intersection", field.overlap.intersection);
    out.add("share_of_a", field.shares->of_a).add("share_of_b", field.shares->of_b);
  } else {
    add_overlap(out, field.overlap, spec);
    out.add("estimate", field.estimate).add("standard_error", field.standard_error);
  }
  if (field.shares) {
    out.add("keys", field.keys).add("equal_keys", field.equal_bands.size());
  } else {
    out.add("bands", field.bands).add("rows", field.rows).raw("equal_bands", met.str());
  }
  out.add("found_probability", field.found_probability);
  return out.raw("a", pieces_json(field.a)).raw("b", pieces_json(field.b)).str();
}

}  // namespace

Response compare(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  JsonBody body(request);
  const auto threshold = body.threshold("threshold");
  const ScoreRule score = read_rule(body);
  const Document a = read_side(body, *served, "a");
  const Document b = read_side(body, *served, "b");
  body.finish();
  const Schema& schema = served->schema();
  const ComparedDocuments compared =
      compare_documents(schema, a, b, threshold, score, &request.stop->flag());
  JsonObject fields;
  for (const ComparedField& field : compared.fields)
    fields.raw(field.field, field_json(field, schema.fields[*schema.find(field.field)].features));
  JsonObject out;
  out.add("score", compared.score).raw("threshold", compared.threshold.str());
  out.add("similar", compared.similar).add("found_probability", compared.found_probability);
  return {200, "application/json", out.raw("fields", fields.str()).str() + "\n"};
}

}  // namespace benzer::server
