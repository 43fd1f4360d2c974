// Adds, lists, returns and removes documents, one at a time or thousands in one request.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "../shared/json.h"
#include "../shared/match_json.h"
#include "document_sink.h"
#include "json_body.h"
#include "routes.h"

namespace benzer::server {
namespace {

std::string sent_json(const ServedIndex& served, std::string_view id) {
  return served.kept_json(id).value_or("null");
}

// The path says which document a body is about; an id in the body may only repeat it.
void take_id_of_path(const Request& request, std::string& id) {
  if (!id.empty() && id != request.path[4])
    throw Problem(422, "contradiction", "the id of the document is not that of the path").at("/id");
  id = request.path[4];
}

// The answer to a write of one document. Throws Problem if it was refused.
Response stored(std::string_view id, const IndexResult& result) {
  if (result.outcome == IndexResult::Outcome::kRefused)
    throw Problem(422, "bad_input", result.problem);
  JsonObject out;
  out.add("id", id).add("outcome", outcome_name(result.outcome));
  out.add("durability", result.reached.str());
  return {result.outcome == IndexResult::Outcome::kInserted ? 201 : 200, "application/json",
          out.str() + "\n"};
}

AttributeChange read_change(const Request& request) {
  check_type(request, "application/merge-patch+json", "application/json");
  return change_from_json(request.body);
}

Response changed(ServedIndex& served, const AttributeChange& change) {
  const IndexResult result = served.change_attributes(change);
  if (result.outcome == IndexResult::Outcome::kNotThere)
    throw Problem(404, "document_not_found", "there is no document with this id");
  return stored(change.id, result);
}

Response held(const ServedIndex& served, std::string_view id) {
  const auto document = served.index().get(id);
  if (!document) throw Problem(404, "document_not_found", "there is no document with this id");
  JsonObject fields;
  for (const IndexedDocument::Part& part : document->fields) {
    JsonArray keys;
    for (const std::uint32_t key : part.keys) keys.raw(std::to_string(key));
    JsonObject one;
    fields.raw(part.field, one.add("features", part.features).raw("keys", keys.str()).str());
  }
  JsonObject out;
  out.add("id", document->id).raw("document", sent_json(served, document->id));
  out.raw("fields", fields.str()).raw("attributes", attributes_json(document->attributes));
  return {200, "application/json", out.str() + "\n"};
}

constexpr std::size_t kListed = 50, kMostListed = 1000;

Response listed(Api& api, const ServedIndex& served, const Request& request, std::size_t limit,
                const std::string& after) {
  std::optional<Api::Turn> turn;
  if (served.is_in_redis()) turn.emplace(api, request);  // it looks at all documents
  // One more than the page has, which shows that there are more.
  const std::vector<std::string> ids =
      served.index().ids_after(after, limit + 1, &request.stop->flag());
  JsonArray documents;
  std::size_t shown = 0, bytes = 0;
  for (; shown < std::min(limit, ids.size()) && bytes < kListedBytes; ++shown) {
    throw_if_stopped(&request.stop->flag());
    JsonObject one;
    one.add("id", ids[shown]).raw("document", sent_json(served, ids[shown]));
    bytes += one.str().size();
    documents.raw(one.str());
  }
  JsonObject out;
  out.raw("documents", documents.str());
  out.add_or_null("next", shown < ids.size() ? ids[shown - 1] : std::string());
  return {200, "application/json", out.str() + "\n"};
}

}  // namespace

Response put_document(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  check_type(request, "application/json", "application/json");
  std::vector<ServedIndex::Sent> sent;
  sent.push_back(served->sent(request.body));
  take_id_of_path(request, sent.front().document.id);
  const IndexResult result = served->put(std::move(sent), &request.stop->flag()).front();
  Response out = stored(request.path[4], result);
  api.metrics().count_documents(1);
  return out;
}

Response change_document(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  AttributeChange change = read_change(request);
  take_id_of_path(request, change.id);
  return changed(*served, change);
}

Response change_any_document(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  const AttributeChange change = read_change(request);
  if (change.id.empty()) throw Problem(422, "wrong_value", "'id' is missing").at("/id");
  return changed(*served, change);
}

Response get_document(Api& api, Request& request) {
  return held(*served_index_of(api, request), request.path[4]);
}

Response get_any_document(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  JsonBody body(request);
  const auto id = body.id("id");
  body.finish();
  if (!id) body.missing("id");
  return held(*served, *id);
}

Response list_documents(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  const std::size_t limit = query_number(request, "limit", 1, kMostListed).value_or(kListed);
  const auto given = request.query.find("after");
  return listed(api, *served, request, limit,
                given == request.query.end() ? std::string() : given->second);
}

Response list_any_documents(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  JsonBody body(request);
  const std::size_t limit = body.number("limit", 1, kMostListed).value_or(kListed);
  const std::string after = body.id("after").value_or("");
  body.finish();
  return listed(api, *served, request, limit, after);
}

Response delete_document(Api& api, Request& request) {
  WriteLevel reached;
  if (!served_index_of(api, request)->remove({request.path[4]}, reached).front())
    throw Problem(404, "document_not_found", "there is no document with this id");
  return {204};
}

Response delete_documents(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  JsonBody body(request);
  const auto ids = body.ids("ids", api.limits().ids);
  body.finish();
  if (!ids) body.missing("ids");
  WriteLevel reached;
  const std::vector<bool> removed = served->remove(*ids, reached);
  const auto count = static_cast<std::uint64_t>(std::count(removed.begin(), removed.end(), true));
  JsonObject out;
  out.add("removed", count).add("not_there", ids->size() - count).add("durability", reached.str());
  return {200, "application/json", out.str() + "\n"};
}

}  // namespace benzer::server
