// Builds /openapi.json: paths from the table of routes, schemas from openapi_schemas.h.
#include <algorithm>
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

// Describes lines of JSON: "Pair+RowsEnd" means that the last line is a RowsEnd. OpenAPI 3.1 has no
// schema for a line, so the description names it. With the format "binary" generated clients send
// and return a file or a stream, and not one long string.
std::string lines(std::string_view schemas) {
  const std::size_t plus = schemas.find('+');
  std::string text =
      fmt::format("A JSON object a line: #/components/schemas/{}", schemas.substr(0, plus));
  if (plus != schemas.npos)
    text += fmt::format("; the last line: #/components/schemas/{}", schemas.substr(plus + 1));
  JsonObject out;
  return out.add("type", "string").add("format", "binary").add("description", text).str();
}

// Adds one form of a body: "Matches", "lines:Pair+RowsEnd", "text", "html" or "events".
void add_form(std::string_view schema, JsonObject& out) {
  std::string_view type = "application/json";
  std::string inner;
  if (schema.starts_with("lines:")) {
    type = "application/x-ndjson";
    inner = lines(schema.substr(6));
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

struct Described {
  std::string_view name;
  std::string_view description;
  std::string_view further = {};  // members of its schema next to the type
  bool is_required = false;
};

constexpr std::string_view kNotEmpty = R"("minLength":1)";
constexpr std::array<Described, 12> kParameters = {{
    {"name", "The name of an index: 1 to 64 letters, digits, _ and -", kNotEmpty, true},
    {"id", "The id of a document", kNotEmpty, true},
    {"task", "The id of a task", kNotEmpty, true},
    {"decision", "The id of a decision", kNotEmpty, true},
    {"file", "The name of a file of the page", kNotEmpty, true},
    {"confirm", "The name of the index again", {}, true},
    {"limit", "The largest number that is listed", R"("minimum":1,"maximum":1000)"},
    {"after", "Lists what follows: 'next' of the previous answer"},
    {"make_ids", "Documents without an id get one, a UUID", R"("default":false)"},
    {"documents", "The number of documents that are drawn",
     R"("minimum":2,"default":200,"maximum":400)"},
    {"seed", "Draws other documents", R"("minimum":0,"default":0,"maximum":4294967295)"},
    {"format", "json; ndjson, a line for each removed document; or html, a page",
     R"("enum":["json","ndjson","html"],"default":"json")"},
}};

std::string parameter(std::string_view name, std::string_view type, std::string_view place) {
  const auto* found = std::find_if(kParameters.begin(), kParameters.end(),
                                   [&](const Described& one) { return one.name == name; });
  const Described described = found == kParameters.end() ? Described{name, name} : *found;
  JsonObject out;
  out.add("name", name).add("in", place).add("required", described.is_required);
  out.add("description", described.description);
  return out
      .raw("schema", fmt::format(R"({{"type":"{}"{}{}}})", type,
                                 described.further.empty() ? "" : ",", described.further))
      .str();
}

std::string parameters(const Route& route) {
  JsonArray out;
  for (std::size_t at = route.path.find('{'); at != route.path.npos;
       at = route.path.find('{', at + 1)) {
    const std::size_t end = route.path.find('}', at);
    out.raw(parameter(route.path.substr(at + 1, end - at - 1), "string", "path"));
  }
  for (const std::string_view word : words(route.query)) {
    const std::size_t colon = word.find(':');
    out.raw(parameter(word.substr(0, colon), word.substr(colon + 1), "query"));
  }
  if (route.path.find("{decision}") != route.path.npos && route.method != "GET")
    out.raw(
        R"({"name":"If-Match","in":"header","required":true,"description":"The 'etag' of the decision as it was read","schema":{"type":"string"}})");
  if (route.takes_idempotency_key())
    out.raw(
        R"({"name":"Idempotency-Key","in":"header","required":false,"description":"1 to 128 printable characters of ASCII, such as a UUID: sent again with the same request, it is not carried out twice","schema":{"type":"string","maxLength":128}})");
  return out.str();
}

std::string answers(const Route& route) {
  JsonObject out;
  for (const std::string_view word : words(route.answers)) {
    const std::string_view status = word.substr(0, 3);
    const std::string_view schema = word.substr(4);
    JsonObject one;
    one.add("description", status == "201"   ? "Made"
                           : status == "202" ? "A task, which has been enqueued"
                           : status == "207" ? "Some were refused"
                           : status == "503" ? "The server is stopping"
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
  info.raw("license", R"({"name":"Apache-2.0","identifier":"Apache-2.0"})");
  for (const auto& [path, methods] : paths) all.raw(path, methods.str());
  components.raw("schemas", kOpenApiSchemas);
  components.raw(
      "securitySchemes",
      R"({"key":{"type":"http","scheme":"bearer","description":"Not needed by a server without keys"}})");
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
