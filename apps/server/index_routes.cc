#include <memory>
#include <vector>

#include <fmt/format.h>

#include "benzer/features.h"
#include "benzer/internal/base64.h"
#include "benzer/similarity.h"

#include "../shared/json.h"
#include "../shared/maintenance_json.h"
#include "../shared/stats_json.h"
#include "json_body.h"
#include "routes.h"

namespace benzer::server {
namespace {

std::string schema_json(const Schema& schema) {
  JsonArray fields;
  for (const FieldSpec& field : schema.fields) {
    JsonObject one;
    one.add("name", field.name).add("kind", kind_of(field.features));
    // Without the seed, which is in `text`.
    FeatureSpec features = field.features;
    features.seed = 0;
    one.add("features", features.str());
    fields.raw(one.raw("weight", field.weight.str()).str());
  }
  JsonArray attributes;
  for (const AttributeSpec& attribute : schema.attributes)
    attributes.raw(json_string(attribute.str()));
  JsonObject out;
  out.raw("fields", fields.str()).raw("attributes", attributes.str());
  out.add("measure", name_of(schema.measure));
  if (schema.keys) {
    out.add("keys", schema.keys->str());
  } else {
    out.add("sketch", schema.sketch.str());
    if (schema.banding) out.add("bands", schema.banding->str());
  }
  out.raw("min_threshold", schema.min_threshold.str()).add("recall", schema.recall);
  return out.add("text", schema.str()).str();
}

std::string index_json(const ServedIndexes::State& state) {
  JsonObject out;
  out.add("name", state.name).add("state", state.state());
  if (!state.served) return out.add("problem", state.problem).str();
  Index& index = state.served->index();
  out.add("documents", index.size()).add("durability", index.durability().str());
  out.add("keep_documents", state.served->kept() != nullptr);
  return out.raw("schema", schema_json(index.schema())).str();
}

using Frequencies = std::vector<std::shared_ptr<const DocumentFrequencies>>;

// Reads files of 'benzer count-frequencies', as base64.
Frequencies read_frequencies(JsonBody& body) {
  Frequencies out;
  const auto all = body.texts("frequencies", Schema::kMostFields);
  for (const std::string& text : all.value_or(std::vector<std::string>())) {
    const std::string where = fmt::format("/frequencies/{}", out.size());
    const auto bytes = decode_base64(text);
    if (!bytes) throw Problem(422, "wrong_value", "these frequencies are not base64").at(where);
    try {
      out.push_back(DocumentFrequencies::parse(*bytes, "frequencies"));
    } catch (const Error& error) {
      throw problem_of(error).at(where);
    }
  }
  return out;
}

void use_frequencies(const Frequencies& all, Schema& schema) {
  std::vector<FeatureSpec*> features;
  for (FieldSpec& field : schema.fields) features.push_back(&field.features);
  const std::size_t unused = benzer::use_frequencies(all, features);
  if (unused < all.size())
    throw Problem(422, "wrong_value",
                  fmt::format("these frequencies are for a field with the features {}, and "
                              "there is none",
                              all[unused]->weighed()))
        .at(fmt::format("/frequencies/{}", unused));
}

Measure read_measure(const std::string& name) {
  for (const Measure measure : {Measure::kJaccard, Measure::kContainment})
    if (name == name_of(measure)) return measure;
  throw Problem(422, "wrong_value", "'measure' is not jaccard or containment").at("/measure");
}

// Reads a schema: either the member 'schema', its complete spelling, or its parts. draws_seeds is
// set for the parts, which need not give seeds.
Schema read_schema(JsonBody& body, bool& draws_seeds) {
  const auto text = body.text("schema");
  draws_seeds = !text;
  const auto fields = body.texts("fields", Schema::kMostFields);
  const auto attributes = body.texts("attributes", Schema::kMostFields);
  const auto measure = body.text("measure");
  const auto sketch = body.text("sketch");
  const auto bands = body.text("bands");
  const auto least = body.threshold("min_threshold");
  const auto recall = body.threshold("recall");
  if (text && (fields || attributes || measure || sketch || bands || least || recall))
    throw Problem(422, "contradiction", "'schema' contains everything: leave out the other members")
        .at("/schema");
  const Frequencies frequencies = read_frequencies(body);
  Schema out;
  if (text) {
    out = Schema::parse(*text);
    use_frequencies(frequencies, out);
    return out.completed();
  }
  if (fields) {
    if (fields->empty())
      throw Problem(422, "wrong_value", "'fields' is empty, and an index has one at least")
          .at("/fields");
    out.fields.clear();
    for (const std::string& field : *fields) out.fields.push_back(FieldSpec::parse(field));
  }
  if (attributes)
    for (const std::string& attribute : *attributes)
      out.attributes.push_back(AttributeSpec::parse(attribute));
  if (measure) out.measure = read_measure(*measure);
  if (sketch) out.sketch = SketchSpec::parse(*sketch);
  if (bands) out.banding = parse_banding(*bands);
  use_frequencies(frequencies, out);
  // The default for the only field, which for images is the usual distance of their hash.
  if (out.fields.size() == 1) out.min_threshold = usual_threshold(out.fields[0].features);
  if (least) out.min_threshold = *least;
  if (recall) out.recall = recall->value();
  return out.completed();
}

// Adds the figures of a sample. Damage that the sample meets must not prevent the other figures.
void add_sample(JsonObject& out, ServedIndex& served, const Request& request) {
  std::shared_ptr<const SampleFigures> figures;
  try {
    figures = served.figures().get(&request.stop->flag());
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInterrupted) throw;
    out.add_null("sample").add_null("buckets");
    out.add("sample_problem", problem_of(error).sentence());
    return;
  }
  JsonArray buckets;
  for (const SampleFigures::Buckets& row : figures->buckets) {
    JsonObject json;
    json.add("from", row.from).add("to", row.to).add("buckets", row.buckets);
    buckets.raw(json.add("entries", row.entries).str());
  }
  JsonObject sample;
  sample.add("documents", figures->documents).add("candidates", figures->candidates);
  sample.add("similar", figures->similar).add("largest_bucket", figures->largest_bucket);
  out.raw("sample", sample.str()).raw("buckets", buckets.str()).add_null("sample_problem");
}

}  // namespace

std::string_view kind_of(const FeatureSpec& features) noexcept {
  return features.values() ? "values" : features.image() ? "image" : "text";
}

Response list_indexes(Api& api, Request& request) {
  JsonArray out;
  for (const ServedIndexes::State& state : api.indexes().list())
    if (may_see(request, state.name)) out.raw(index_json(state));
  JsonObject all;
  return {200, "application/json", all.raw("indexes", out.str()).str() + "\n"};
}

Response get_index(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  return {200, "application/json", index_json({served->name(), served}) + "\n"};
}

Response put_index(Api& api, Request& request) {
  const std::string& name = request.path[2];
  JsonBody body(request);
  bool draws_seeds = false;
  const Schema schema = read_schema(body, draws_seeds);
  const bool keeps = body.flag("keep_documents").value_or(true);
  body.finish();
  if (schema.find("id") || schema.find_attribute("id"))
    throw Problem(422, "wrong_value",
                  "a field or attribute cannot be named 'id': that is the document's own");
  const bool is_new = api.indexes().create(name, schema, keeps, draws_seeds);
  Response out = get_index(api, request);
  out.status = is_new ? 201 : 200;
  if (is_new) out.headers.emplace_back("Location", "/v1/indexes/" + name);
  return out;
}

Response delete_index(Api& api, Request& request) {
  const std::string& name = request.path[2];
  const auto confirm = request.query.find("confirm");
  if (confirm == request.query.end() || confirm->second != name)
    throw Problem(422, "not_confirmed", "this would remove all documents of the index")
        .at("confirm")
        .hint(fmt::format("To confirm, send DELETE {}?confirm={}", "/v1/indexes/" + name, name));
  api.indexes().remove(name, [&] { api.forget_index(name); });
  return {204};
}

namespace {

// The file has another name while the index is being removed.
KeptDocuments::Size size_of(const KeptDocuments& kept, const ServedIndex& served) {
  try {
    return kept.size();
  } catch (const Error&) {
    served.check_there();
    throw;
  }
}

}  // namespace

Response index_stats(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  const IndexStats stats = served->index().stats();
  JsonObject out;
  add_numbers(out, stats);
  if (const KeptDocuments* kept = served->kept()) {
    const KeptDocuments::Size size = size_of(*kept, *served);
    JsonObject json;
    out.raw("kept", json.add("documents", size.documents).add("bytes", size.bytes).str());
  } else {
    out.add_null("kept");
  }
  add_sample(out, *served, request);
  if (const auto verified = served->last_verified()) {
    JsonObject json;
    json.add("at", verified->at).add("ok", verified->problem.empty());
    out.raw("last_verify", json.add_or_null("problem", verified->problem).str());
  } else {
    out.add_null("last_verify");
  }
  out.raw("maintenance_problem", maintenance_json(stats.maintenance_problem, for_requests()));
  return {200, "application/json", out.str() + "\n"};
}

Response similarities(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  const auto documents = query_number(request, "documents", 2, 400).value_or(200);
  const auto seed = query_number(request, "seed", 0, ~std::uint32_t{0}).value_or(0);
  const Api::Turn turn(api, request);
  const SampleFigures figures =
      served->index().sample(static_cast<std::uint32_t>(documents), seed, &request.stop->flag());
  JsonArray histogram;
  const auto bins = static_cast<double>(figures.scores.size());
  for (std::size_t i = 0; i < figures.scores.size(); ++i) {
    JsonObject bin;
    bin.add("from", static_cast<double>(i) / bins).add("to", static_cast<double>(i + 1) / bins);
    histogram.raw(bin.add("pairs", figures.scores[i]).str());
  }
  JsonObject out;
  out.add("sampled", figures.documents).add("pairs", figures.pairs);
  out.add("candidates", figures.candidates).add("similar", figures.similar);
  return {200, "application/json", out.raw("histogram", histogram.str()).str() + "\n"};
}

}  // namespace benzer::server
