// Stores what people decided about similar documents. Changes need If-Match, so that nobody
// overwrites a decision that they have not seen.
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"

#include "../shared/json.h"
#include "decision_json.h"
#include "json_body.h"
#include "routes.h"

namespace benzer::server {
namespace {

constexpr std::size_t kMostMembers = 10'000;
constexpr std::size_t kLongestNote = 4096;
constexpr std::uint64_t kMostIds = std::uint64_t{1} << 62;

[[noreturn]] void not_found() {
  throw Problem(404, "decision_not_found", "there is no decision with this id");
}

Decision find(const ServedIndex& served, std::string_view id) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(id.data(), id.data() + id.size(), number);
  auto found =
      read.ptr == id.data() + id.size() ? served.index().decision_from(number) : std::nullopt;
  if (!found || std::to_string(found->id) != id) not_found();
  return std::move(*found);
}

Decision read(JsonBody& body) {
  Decision out;
  out.members = body.ids("members", kMostMembers).value_or(std::vector<std::string>());
  out.keeper = body.id_or_null("keeper").value_or("");
  out.not_duplicates = body.flag("not_duplicates").value_or(false);
  out.note = body.text("note").value_or("");
  body.finish();
  if (out.note.size() > kLongestNote)
    throw Problem(422, "wrong_value", fmt::format("'note' has more than {} bytes", kLongestNote))
        .at("/note");
  return out;
}

Response answer(int status, const Decision& decision) {
  return {
      status, "application/json", decision_json(decision) + "\n", {{"ETag", etag_of(decision)}}};
}

// Whether the tag is in the list of If-Match; "*" matches any. Throws Problem(422) for a malformed
// list.
bool has_tag(std::string_view list, std::string_view wanted) {
  if (list == "*") return true;
  bool out = false;
  while (!list.empty()) {
    const std::size_t start = list.find_first_not_of(" \t,");
    if (start == list.npos) break;
    list.remove_prefix(start);
    const bool is_weak = list.starts_with("W/");  // weak tags never match
    if (is_weak) list.remove_prefix(2);
    const std::size_t end = list.starts_with('"') ? list.find('"', 1) : list.npos;
    if (end == list.npos)
      throw Problem(422, "wrong_value",
                    "If-Match is not a list of ETags: send the ETag with its quotes")
          .at("If-Match");
    out = out || (!is_weak && list.substr(0, end + 1) == wanted);
    list.remove_prefix(end + 1);
  }
  return out;
}

// Returns the decision that the path names. Throws Problem(428) without If-Match, and Problem(412)
// if the client has not seen this version.
Decision seen(const ServedIndex& served, const Request& request) {
  const Decision decision = find(served, request.path[4]);
  if (request.if_match.empty())
    throw Problem(428, "if_match_wanted", "a decision can be changed only with the header If-Match")
        .hint("GET it, and send its ETag as If-Match.");
  if (!has_tag(request.if_match, etag_of(decision)))
    throw Problem(412, "changed_meanwhile", "this decision was changed meanwhile")
        .hint("GET it again.");
  return decision;
}

}  // namespace

Response list_decisions(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  const std::size_t limit = query_number(request, "limit", 1, 1000).value_or(1000);
  std::uint64_t next = query_number(request, "after", 0, kMostIds).value_or(0) + 1;
  JsonArray decisions;
  std::size_t shown = 0, bytes = 0;
  auto decision = served->index().decision_from(next);
  for (; decision && shown < limit && bytes < kListedBytes; ++shown) {
    const std::string json = decision_json(*decision);
    bytes += json.size();
    decisions.raw(json);
    next = decision->id;
    decision = served->index().decision_from(next + 1);
  }
  JsonObject out;
  out.raw("decisions", decisions.str());
  out.add_or_null("next", decision ? std::to_string(next) : std::string());
  return {200, "application/json", out.str() + "\n"};
}

Response get_decision(Api& api, Request& request) {
  return answer(200, find(*served_index_of(api, request), request.path[4]));
}

Response add_decision(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  JsonBody body(request);
  const Decision made = *served->put_decision(read(body));
  Response out = answer(201, made);
  out.headers.emplace_back("Location",
                           fmt::format("/v1/indexes/{}/decisions/{}", served->name(), made.id));
  return out;
}

Response put_decision(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  JsonBody body(request);
  Decision wanted = read(body);
  const Decision old = seen(*served, request);
  wanted.id = old.id;
  wanted.version = old.version;
  const auto made = served->put_decision(std::move(wanted));
  if (!made) throw Problem(412, "changed_meanwhile", "this decision was changed meanwhile");
  return answer(200, *made);
}

Response delete_decision(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  const Decision old = seen(*served, request);
  if (!served->remove_decision(old.id, old.version))
    throw Problem(412, "changed_meanwhile", "this decision was changed meanwhile");
  return {204};
}

}  // namespace benzer::server
