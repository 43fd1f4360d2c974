#include "match_json.h"

#include "passage_json.h"

namespace benzer::apps {

double weight_of_size(std::uint64_t size) noexcept { return static_cast<double>(size) / 1e6; }

void add_overlap(JsonObject& out, const Overlap& overlap, const FeatureSpec& features) {
  if (weighting_of(features) == Weighting::kNone) {
    out.add("intersection", overlap.intersection).add("union", overlap.set_union);
  } else {
    out.add("intersection", weight_of_size(overlap.intersection))
        .add("union", weight_of_size(overlap.set_union));
  }
}

namespace {

void add_shares(JsonObject& out, const Shares& shares) {
  out.add("share_of_query", shares.of_a).add("share_of_match", shares.of_b);
}

// Adds "shares" with containment.
void add_shares_of_fields(JsonObject& out, const Match& match) {
  JsonObject fields;
  bool has_shares = false;
  for (const FieldMatch& field : match.fields) {
    if (!field.shares) continue;
    has_shares = true;
    JsonObject shares;
    add_shares(shares, *field.shares);
    fields.raw(field.field, shares.str());
  }
  if (has_shares) out.raw("shares", fields.str());
}

// The number of bands of a field. Each 16 bits of a hash are a band.
int bands_of(const Schema& schema, int hash_bits) {
  return hash_bits > 0 ? hash_bits / 16 : schema.banding->bands;
}

std::string json(const FieldMatch& field, const Schema& schema, const FeatureSpec& spec,
                 bool has_text) {
  const FieldExplanation& why = *field.explanation;
  JsonArray met;
  for (const std::uint32_t band : why.bands) met.raw(std::to_string(band));
  JsonObject out;
  out.add("similarity", field.overlap.jaccard());
  const int bits = spec.hash_bits();
  if (bits > 0) {
    if (const auto distance = distance_of_score(spec, field.overlap.jaccard()))
      out.add("distance", *distance);
    out.add("bits", bits);
  } else if (field.shares) {
    out.add("intersection", field.overlap.intersection);
    add_shares(out, *field.shares);
  } else {
    add_overlap(out, field.overlap, spec);
  }
  if (field.shares) {
    out.add("keys", why.keys).add("equal_keys", why.bands.size());
  } else {
    out.add("bands", bands_of(schema, bits)).raw("equal_bands", met.str());
  }
  if (bits > 0) return out.str();
  if (!has_text) return out.add_null("passages").add_null("more").str();
  JsonArray passages;
  for (const SharedPassage& passage : why.passages) {
    JsonObject json;
    json.add("text", passage.text).add("features", passage.features).add("cut", passage.is_cut);
    passages.raw(json.str());
  }
  return out.raw("passages", passages.str()).add("more", why.more).str();
}

std::string places_json(const std::vector<PassagePlace>& places) {
  JsonArray out;
  for (const PassagePlace& place : places) {
    JsonObject one;
    one.add("first_word", place.first_word).add("words", place.words);
    add_run(one, place.run);
    out.raw(one.str());
  }
  return out.str();
}

}  // namespace

std::string attributes_json(const std::vector<Attribute>& attributes) {
  JsonObject out;
  for (const Attribute& attribute : attributes) {
    const bool is_text =
        attribute.kind == AttributeKind::kString || attribute.kind == AttributeKind::kTime;
    out.raw(attribute.name, is_text ? json_string(attribute.value) : attribute.value);
  }
  return out.str();
}

void add_attributes(JsonObject& json, const std::vector<Attribute>& attributes) {
  if (!attributes.empty()) json.raw("attributes", attributes_json(attributes));
}

std::string match_json(const Match& match, const std::string* query) {
  JsonObject json;
  if (query != nullptr) json.add_or_null("query", *query);
  json.add("id", match.id).add("score", match.score).add("exact", match.exact);
  JsonObject fields;
  for (const FieldMatch& field : match.fields) fields.add(field.field, field.score);
  json.raw("fields", fields.str());
  add_shares_of_fields(json, match);
  add_attributes(json, match.attributes);
  return json.str();
}

std::string passage_match_json(const PassageMatch& match, const std::string* query,
                               const std::vector<std::vector<PassagePlace>>* places) {
  JsonArray passages;
  for (std::size_t i = 0; i < match.passages.size(); ++i) {
    const QueryPassage& passage = match.passages[i];
    JsonObject one;
    one.add("field", passage.field).add("begin", passage.begin).add("end", passage.end);
    one.add("begin_char", passage.begin_char).add("end_char", passage.end_char);
    one.add("words", passage.words).add("text", passage.text);
    if (places != nullptr) one.raw("places", places_json((*places)[i]));
    passages.raw(one.str());
  }
  JsonObject out;
  if (query != nullptr) out.add_or_null("query", *query);
  out.add("id", match.id).add("words", match.words).raw("passages", passages.str());
  add_attributes(out, match.attributes);
  return out.str();
}

std::string explained_json(const Match& match, const std::string* query, const Schema& schema,
                           bool has_text) {
  JsonObject fields;
  for (const FieldMatch& field : match.fields)
    fields.raw(field.field,
               json(field, schema, schema.fields[*schema.find(field.field)].features, has_text));
  JsonObject out;
  if (query != nullptr) out.add_or_null("query", *query);
  out.add("id", match.id).add("score", match.score);
  out.add("exact", match.exact).add("found_probability", *match.found_probability);
  out.raw("fields", fields.str());
  add_attributes(out, match.attributes);
  return out.str();
}

}  // namespace benzer::apps
