// Answers which documents are similar to a given one, and adds those that are similar to none.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/passages.h"

#include "../shared/json.h"
#include "../shared/match_json.h"
#include "json_body.h"
#include "routes.h"

namespace benzer::server {
namespace {

// Documents of a batch that are looked up at a time.
constexpr std::size_t kAtATime = 64;
constexpr std::size_t kMostConditions = 64;

struct Asked {
  SimilarOptions options;
  bool with_documents = false;
  std::size_t bytes_left = 0;  // that the answer may still have
};

void check_one_subject(int given) {
  if (given != 1)
    throw Problem(422, "wrong_value",
                  "exactly one of 'id', 'text' and 'document' says what to look for");
}

std::vector<Condition> read_conditions(JsonBody& body) {
  std::vector<Condition> out;
  if (const auto conditions = body.texts("where", kMostConditions))
    for (const std::string& condition : *conditions) out.push_back(Condition::parse(condition));
  return out;
}

Asked read_options(const Request& request, JsonBody& body, const ApiLimits& limits) {
  Asked out;
  out.options.stop = &request.stop->flag();
  out.bytes_left = limits.answer_bytes;
  out.options.threshold = body.threshold("threshold");
  out.options.limit = body.number("limit", 1, limits.matches).value_or(out.options.limit);
  out.options.score = read_rule(body);
  out.options.exact = body.flag("exact").value_or(true);
  out.options.allow_low_recall = body.flag("allow_low_recall").value_or(false);
  out.options.explain = body.flag("explain").value_or(false);
  out.options.where = read_conditions(body);
  out.with_documents = body.flag("with_documents").value_or(false);
  return out;
}

std::string matches_json(const std::vector<Match>& matches, const ServedIndex& served, Asked& asked,
                         bool has_text) {
  JsonArray out;
  for (const Match& match : matches) {
    std::string json = match.found_probability
                           ? explained_json(match, nullptr, served.schema(), has_text)
                           : match_json(match, nullptr);
    if (asked.with_documents) {
      const auto kept = served.kept_json(match.id);
      json.pop_back();  // reopens the object
      json += ",\"document\":" + kept.value_or("null") + "}";
    }
    if (json.size() > asked.bytes_left)
      throw Problem(422, "answer_too_large", "the answer would have more bytes than are allowed")
          .hint("Ask for fewer matches, or without 'with_documents' and 'explain'.");
    asked.bytes_left -= json.size();
    out.raw(json);
  }
  return out.str();
}

// Reads the options of a search. check-and-add has no floor, because it decides by a threshold.
Asked read_search(const Request& request, JsonBody& body, const ApiLimits& limits) {
  Asked out = read_options(request, body, limits);
  out.options.floor = body.threshold("floor");
  return out;
}

// Says how likely each of the most similar documents is in the answer to a question with a floor.
void add_recall(const Asked& asked, const Index& index, JsonObject& out) {
  if (asked.options.floor) out.add("recall", index.floor_recall());
}

std::string work_json(const SimilarCounts& counts) {
  JsonObject out;
  out.add("candidates", counts.candidates).add("compared", counts.compared);
  return out.add("similar", counts.similar).str();
}

// Returns where the passages of the match stand in its document. One that was removed meanwhile has
// no places.
std::vector<std::vector<PassagePlace>> places_of(const ServedIndex& served, const Document& query,
                                                 const PassageMatch& match,
                                                 const std::atomic<bool>* stop) {
  const ServedIndex::Kept kept = served.kept_document(match.id, stop);
  return find_places(served.schema(), query, kept.document.value_or(Document()), match, stop);
}

}  // namespace

ScoreRule read_rule(JsonBody& body) {
  const std::string rule = body.text("score").value_or("mean");
  if (rule == "mean") return ScoreRule::kMean;
  if (rule == "all") return ScoreRule::kAll;
  if (rule == "any") return ScoreRule::kAny;
  throw Problem(422, "wrong_value", "'score' is not mean, all or any").at("/score");
}

Document of_text(const ServedIndex& served, std::string text) {
  if (served.schema().fields.size() != 1 || !served.schema().fields[0].features.text())
    throw Problem(422, "wrong_value", "'text' is for indexes of one text field")
        .at("/text")
        .hint("Give 'document', with the fields by their names.");
  return {"", {Field::of_text(served.schema().fields[0].name, std::move(text))}};
}

Document kept_document(const ServedIndex& served, const std::string& id, const std::string& where) {
  if (!served.index().contains(id))
    throw Problem(404, "document_not_found", "there is no document with this id").at(where);
  ServedIndex::Kept kept = served.kept_document(id);
  if (kept.is_another)
    throw Problem(409, "document_not_kept",
                  "what is kept of this document has other features than the index, so only one of "
                  "both was written")
        .at(where)
        .hint("Put the document once more, which writes both; or give it as 'text' or 'document'.");
  if (!kept.document)
    throw Problem(409, "document_not_kept",
                  "the index has the features of this document, and not the document")
        .at(where)
        .hint("Give it as 'text' or 'document'; an index with keep_documents needs the id only.");
  return *std::move(kept.document);
}

Response similar(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  JsonBody body(request);
  Asked asked = read_search(request, body, api.limits());
  const auto id = body.id("id");
  auto text = body.text("text");
  const auto document = body.raw("document");
  body.finish();
  check_one_subject(id.has_value() + text.has_value() + document.has_value());
  std::optional<Api::Turn> turn;
  if (asked.options.floor) turn.emplace(api, request);  // it looks at all documents
  SimilarCounts counts;
  asked.options.counts = &counts;
  const Index& index = served->index();
  // An explanation shows passages, which need the document itself; the index has only its hashes.
  std::optional<Document> query;
  if (text) query = of_text(*served, *std::move(text));
  if (document) query = served->document(*document);
  if (id && asked.options.explain) query = served->kept_document(*id, asked.options.stop).document;
  const std::vector<Match> matches = query ? index.find_similar_documents(*query, asked.options)
                                           : index.find_similar_to(*id, asked.options);
  api.metrics().count_query(counts);
  JsonObject out;
  out.raw("matches", matches_json(matches, *served, asked, query.has_value()));
  add_recall(asked, index, out);
  return {200, "application/json", out.raw("work", work_json(counts)).str() + "\n"};
}

Response shared_passages(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  JsonBody body(request);
  SharedPassagesOptions asked;
  asked.stop = &request.stop->flag();
  asked.min_words = static_cast<std::uint32_t>(
      body.number("min_words", 1, PassageOptions::kMostMinWords).value_or(asked.min_words));
  asked.limit = body.number("limit", 1, api.limits().matches).value_or(asked.limit);
  asked.where = read_conditions(body);
  const bool with_places = body.flag("places").value_or(false);
  const auto id = body.id("id");
  auto text = body.text("text");
  const auto document = body.raw("document");
  body.finish();
  check_one_subject(id.has_value() + text.has_value() + document.has_value());
  if (with_places && served->kept() == nullptr)
    throw Problem(409, "document_not_kept",
                  "the index keeps no documents, so where passages stand in them is not known")
        .at("/places")
        .hint("Leave out 'places', or use an index with keep_documents.");
  const Document query = text       ? of_text(*served, *std::move(text))
                         : document ? served->document(*document)
                                    : kept_document(*served, *id, "/id");
  const Api::Turn turn(api, request);  // it reads the features of many documents
  SimilarCounts counts;
  asked.counts = &counts;
  const auto found = served->index().find_shared_passages({query}, asked, 1);
  api.metrics().count_query(counts);
  std::size_t bytes_left = api.limits().answer_bytes;
  JsonArray matches;
  for (const PassageMatch& match : found[0]) {
    std::optional<std::vector<std::vector<PassagePlace>>> places;
    if (with_places) places = places_of(*served, query, match, asked.stop);
    const std::string json = passage_match_json(match, nullptr, places ? &*places : nullptr);
    if (json.size() > bytes_left)
      throw Problem(422, "answer_too_large", "the answer would have more bytes than are allowed")
          .hint("Ask for fewer documents, or for longer passages.");
    bytes_left -= json.size();
    matches.raw(json);
  }
  JsonObject out;
  out.raw("matches", matches.str());
  return {200, "application/json", out.raw("work", work_json(counts)).str() + "\n"};
}

Response similar_batch(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  JsonBody body(request);
  Asked asked = read_search(request, body, api.limits());
  const auto documents = body.raw_list("documents", api.limits().batch);
  body.finish();
  if (!documents) body.missing("documents");
  if (documents->size() * asked.options.limit > api.limits().all_matches)
    throw Problem(
        422, "too_many_matches",
        fmt::format("{} documents with a limit of {} each could have more than {} matches",
                    documents->size(), asked.options.limit, api.limits().all_matches))
        .at("/limit")
        .hint("Ask for fewer matches of each, or in several requests.");
  const Api::Turn turn(api, request);
  std::vector<Document> queries;
  for (std::size_t i = 0; i < documents->size(); ++i) {
    const auto within = [i](Problem problem) {
      const std::string place = problem.place();
      return problem.at(fmt::format("/documents/{}{}", i, place));
    };
    try {
      queries.push_back(served->document((*documents)[i]));
    } catch (const Problem& problem) {
      throw within(problem);
    } catch (const Error& error) {
      throw within(problem_of(error));
    }
  }
  SimilarCounts counts;
  asked.options.counts = &counts;
  JsonArray all;
  for (std::size_t begin = 0; begin < queries.size(); begin += kAtATime) {
    asked.options.problem = [begin](std::size_t i, const Error& error) {
      throw problem_of(error).at(fmt::format("/documents/{}", begin + i));
    };
    const std::vector<Document> some(
        std::make_move_iterator(queries.begin() + static_cast<std::ptrdiff_t>(begin)),
        std::make_move_iterator(queries.begin() + static_cast<std::ptrdiff_t>(
                                                      std::min(begin + kAtATime, queries.size()))));
    for (const auto& matches : served->index().find_similar_documents(some, asked.options, 1)) {
      JsonObject one;
      all.raw(one.raw("matches", matches_json(matches, *served, asked, true)).str());
    }
  }
  api.metrics().count_query(counts);
  JsonObject out;
  out.raw("results", all.str());
  add_recall(asked, served->index(), out);
  return {200, "application/json", out.raw("work", work_json(counts)).str() + "\n"};
}

Response check_and_add(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  JsonBody body(request);
  Asked asked = read_options(request, body, api.limits());
  const auto json = body.raw("document");
  body.finish();
  if (!json) body.missing("document");
  const ServedIndex::Sent sent = served->sent(*json);
  if (sent.document.id.empty())
    throw Problem(422, "bad_input", "the document has no id; each needs one of its own")
        .at("/document/id");
  SimilarCounts counts;
  asked.options.counts = &counts;
  const CheckResult result = served->check_and_add(sent, asked.options);
  api.metrics().count_query(counts);
  if (result.added) api.metrics().count_documents(1);
  JsonObject out;
  out.add("added", result.added);
  out.raw("matches", matches_json(result.matches, *served, asked, true));
  if (result.added) out.add("durability", result.reached.str());
  return {result.added ? 201 : 200, "application/json", out.str() + "\n"};
}

}  // namespace benzer::server
