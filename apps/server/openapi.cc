// Builds /openapi.json: paths from the table of routes, schemas from openapi_schemas.h.
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "benzer/runtime.h"

#include "../shared/json.h"
#include "openapi_schemas.h"
#include "routes.h"

namespace benzer::server {
namespace {

constexpr std::string_view kOptional = "optional:";

std::vector<std::string_view> words(std::string_view text, char separator = ' ') {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    out.push_back(text.substr(0, end));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
  return out;
}

std::string reference(std::string_view schema) {
  JsonObject out;
  return out.add("$ref", fmt::format("#/components/schemas/{}", schema)).str();
}

// Adds one form of a body: "Matches", "lines:Pair", "text", "html" or "events".
void add_form(std::string_view schema, JsonObject& out) {
  std::string_view type = "application/json";
  std::string inner;
  if (schema.starts_with("lines:")) {
    type = "application/x-ndjson";
    inner = fmt::format(
        R"({{"type":"string","description":"A JSON object a line: #/components/schemas/{}"}})",
        schema.substr(6));
  } else if (schema == "text" || schema == "html" || schema == "events") {
    type = schema == "text" ? "text/plain" : schema == "html" ? "text/html" : "text/event-stream";
    inner = R"({"type":"string"})";
  } else {
    inner = reference(schema);
  }
  JsonObject media;
  out.raw(type, media.raw("schema", inner).str());
}

// Returns the content of a body that has one of these forms, or several, separated by '|'.
std::string content(std::string_view forms) {
  JsonObject out;
  for (const std::string_view form : words(forms, '|')) add_form(form, out);
  return out.str();
}

std::string parameters(const Route& route) {
  JsonArray out;
  for (std::size_t at = route.path.find('{'); at != route.path.npos;
       at = route.path.find('{', at + 1)) {
    JsonObject one;
    one.add("name", route.path.substr(at + 1, route.path.find('}', at) - at - 1)).add("in", "path");
    out.raw(one.add("required", true).raw("schema", R"({"type":"string","minLength":1})").str());
  }
  for (const std::string_view word : words(route.query)) {
    const std::size_t colon = word.find(':');
    JsonObject one, schema;
    one.add("name", word.substr(0, colon)).add("in", "query").add("required", false);
    out.raw(one.raw("schema", schema.add("type", word.substr(colon + 1)).str()).str());
  }
  if (route.path.find("{decision}") != route.path.npos && route.method != "GET")
    out.raw(R"({"name":"If-Match","in":"header","required":true,"schema":{"type":"string"}})");
  if (route.takes_idempotency_key())
    out.raw(
        R"({"name":"Idempotency-Key","in":"header","required":false,"description":"Sent again with the same request, it is not carried out twice","schema":{"type":"string","minLength":1,"maxLength":128,"pattern":"^\"?[!#-\\[\\]-~]+\"?$"}})");
  return out.str();
}

std::string answers(const Route& route) {
  JsonObject out;
  for (const std::string_view word : words(route.answers)) {
    const std::string_view status = word.substr(0, 3);
    const std::string_view schema = word.substr(4);
    JsonObject one;
    one.add("description", status == "204"   ? "Done"
                           : status == "207" ? "Some were refused"
                                             : "Done");
    if (schema != "none") one.raw("content", content(schema));
    out.raw(status, one.str());
  }
  JsonObject problem, media;
  problem.add("description", "A problem (RFC 9457)");
  problem.raw(
      "content",
      media.raw("application/problem+json", JsonObject().raw("schema", reference("Problem")).str())
          .str());
  return out.raw("default", problem.str()).str();
}

std::string operation(const Route& route) {
  JsonObject out;
  out.add("operationId", route.name).raw("tags", JsonArray().add(route.tag).str());
  out.add("summary", route.summary).raw("parameters", parameters(route));
  if (!route.body.empty()) {
    JsonObject body;
    const bool is_needed = !route.body.starts_with(kOptional);
    const std::string_view schema = route.body.substr(is_needed ? 0 : kOptional.size());
    out.raw("requestBody", body.add("required", is_needed).raw("content", content(schema)).str());
  }
  out.raw("responses", answers(route));
  out.raw("security", route.scope == Scope::kNone ? "[]" : "[{\"key\":[]}]");
  return out.add("x-scope", name_of(route.scope)).str();
}

// The groups of routes, in the order of the table.
std::string tags() {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kTags = {{
      {"service", "The server: its version, health, limits and figures"},
      {"indexes", "Indexes: their schemas, sizes and contents as a whole"},
      {"documents", "Documents of an index: put in, read, change, remove"},
      {"search", "Questions: what is similar, and why"},
      {"plan", "Bands and rows for a threshold"},
      {"decisions", "What people have decided about similar documents"},
      {"tasks", "Work that takes longer than a request"},
  }};
  JsonArray out;
  for (const auto& [name, description] : kTags) {
    JsonObject one;
    out.add(one.add("name", name).add("description", description));
  }
  return out.str();
}

std::string description() {
  std::map<std::string_view, JsonObject> paths;
  for (const Route& route : routes()) {
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(c | 0x20);
    paths[route.path].raw(method, operation(route));
  }
  JsonObject info, all, out, components;
  info.add("title", "Benzer").add("version", version());
  info.add("description", "Finds similar documents: texts, sets of values, images.");
  for (const auto& [path, methods] : paths) all.raw(path, methods.str());
  components.raw("schemas", kOpenApiSchemas);
  components.raw("securitySchemes", R"({"key":{"type":"http","scheme":"bearer"}})");
  out.add("openapi", "3.1.0").raw("info", info.str()).raw("tags", tags());
  out.raw("paths", all.str());
  return out.raw("components", components.str()).str() + "\n";
}

}  // namespace

Response openapi(Api&, Request&) {
  static const std::string text = description();
  return {200, "application/json", text};
}

}  // namespace benzer::server
