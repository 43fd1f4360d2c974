// Adds, lists, returns and removes documents, one at a time or thousands in one request.
#include <algorithm>
#include <array>
#include <future>
#include <queue>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "../shared/json.h"
#include "../shared/match_json.h"
#include "json_body.h"
#include "routes.h"

namespace benzer::server {
namespace {

// Lines that are written at a time, so that they share one sync.
constexpr std::size_t kBatchLines = 2000;
// Bytes of documents in one list. If they are large, it has fewer than were asked for.
constexpr std::size_t kListBytes = std::size_t{16} << 20;
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;

std::string_view name_of(IndexResult::Outcome outcome) {
  switch (outcome) {
    case IndexResult::Outcome::kInserted:
      return "inserted";
    case IndexResult::Outcome::kReplaced:
      return "replaced";
    default:
      return "refused";
  }
}

void check_type(const Request& request, std::string_view wanted, std::string_view other,
                std::string_view more = {}) {
  if (request.content_type != wanted && request.content_type != other)
    throw Problem(415, "wrong_content_type",
                  fmt::format("the body is '{}', but must be {}", request.content_type, wanted))
        .hint(fmt::format("Send the header 'Content-Type: {}'{}.", wanted, more));
}

// Takes one JSON object a line and stores them in batches. The answer has a line for each.
class DocumentSink : public BodySink {
 public:
  DocumentSink(Api& api, Request request, const std::shared_ptr<ServedIndex>& served)
      : api_(api),
        request_(std::move(request)),
        served_(served),
        parser_(served->parser()),
        durability_(served->index().durability().str()) {}

  bool take(std::string_view piece) override {
    return guarded([&] {
      while (!piece.empty()) {
        const std::size_t end = piece.find('\n');
        rest_ += piece.substr(0, end);
        if (rest_.size() > api_.limits().body_bytes) {
          store();  // the lines before this one
          throw Problem(
              413, "line_too_long",
              fmt::format("line {} has more than {} bytes", line_ + 1, api_.limits().body_bytes));
        }
        if (end == piece.npos) break;
        piece.remove_prefix(end + 1);
        end_line();
      }
    });
  }

  Response finish() override {
    if (!stopped_)
      guarded([&] {
        if (!rest_.empty()) end_line();
        store();
        wait();
      });
    if (stopped_) return std::move(*stopped_);
    JsonObject summary, last;
    summary.add("documents", counts_[0] + counts_[1] + counts_[2]).add("inserted", counts_[0]);
    summary.add("replaced", counts_[1]).add("refused", counts_[2]);
    if (left_out_ > 0) summary.add("left_out", left_out_);
    summary.add("durability", durability_);
    rows_ += last.raw("summary", summary.str()).str() + "\n";
    return {counts_[2] > 0 ? 207 : 200, "application/x-ndjson", std::move(rows_)};
  }

 private:
  struct Line {
    std::uint64_t number;
    std::string json;
  };

  // Documents that were stored before a problem stay stored, and the problem says which lines these
  // are.
  template <class Work>
  bool guarded(Work work) {
    if (stopped_) return false;
    bool is_well = false;
    Response answer = answer_or_problem(request_, [&]() -> Response {
      try {
        work();
        is_well = true;
        return {};
      } catch (const Problem& problem) {
        throw so_far(problem);
      } catch (const Error& error) {
        throw so_far(problem_of(error));
      }
    });
    if (!is_well) stopped_ = std::move(answer);
    return is_well;
  }

  Problem so_far(const Problem& problem) {
    if (storing_.valid()) storing_.wait();  // its lines count, too
    Problem out = problem;
    out.hint(
        fmt::format("The first {} lines were carried out: {} documents inserted, {} replaced, "
                    "{} refused. What was sent may be sent again.",
                    stored_lines_, counts_[0], counts_[1], counts_[2]));
    return out;
  }

  void end_line() {
    if (line_ == api_.limits().bulk_lines) {
      store();
      throw Problem(413, "batch_too_large",
                    fmt::format("the request has more than {} lines", api_.limits().bulk_lines));
    }
    ++line_;
    std::string json = std::exchange(rest_, {});
    if (json.find_first_not_of(" \t\r") == json.npos) return;
    bytes_ += json.size();
    lines_.push_back({line_, std::move(json)});
    if (lines_.size() >= kBatchLines || bytes_ >= kBatchBytes) store();
  }

  // Lines that were read: the documents to store, and the problems of the other lines.
  struct Batch {
    std::vector<Line> lines;
    std::vector<ServedIndex::Sent> sent;
    std::vector<std::string> problems;  // one for each line; empty if it is in `sent`
    std::uint64_t last_line = 0;
  };

  // Parses the lines, and stores them in the background while the next ones are received.
  void store() {
    const auto served = served_.lock();
    if (!served) throw Problem(404, "index_not_found", "the index was removed meanwhile");
    auto batch = std::make_unique<Batch>();
    batch->lines = std::exchange(lines_, {});
    batch->problems.resize(batch->lines.size());
    batch->last_line = line_;
    bytes_ = 0;
    for (std::size_t i = 0; i < batch->lines.size(); ++i) {
      const std::string& json = batch->lines[i].json;
      try {
        batch->sent.push_back({ServedIndex::document(json, parser_), json});
      } catch (const Problem& problem) {
        batch->problems[i] = problem.json();
      } catch (const Error& error) {
        batch->problems[i] = problem_of(error).json();
      }
    }
    wait();
    storing_ = std::async(std::launch::async,
                          [this, served, batch = std::move(batch)] { put(*served, *batch); });
  }

  // Waits until the previous batch is stored.
  void wait() {
    if (!storing_.valid()) return;
    storing_.get();
    if (counts_[2] > api_.limits().refused_lines)
      throw Problem(422, "too_many_refused",
                    fmt::format("more than {} lines were refused", api_.limits().refused_lines));
  }

  void put(ServedIndex& served, Batch& batch) {
    std::vector<std::string> ids;
    for (const ServedIndex::Sent& one : batch.sent) ids.push_back(one.document.id);
    const std::vector<IndexResult> results =
        served.put(std::move(batch.sent), &request_.stop->flag());
    const std::uint64_t before = counts_[0] + counts_[1];
    std::size_t next = 0;
    for (std::size_t i = 0; i < batch.lines.size(); ++i) {
      JsonObject row;
      row.add("line", batch.lines[i].number);
      const bool was_read = batch.problems[i].empty();
      // Once the answer is too long, only the rows of refused documents are added.
      const bool is_full = rows_.size() > api_.limits().answer_bytes;
      if (was_read && !is_full) row.add("id", ids[next]);
      const IndexResult* result = was_read ? &results[next++] : nullptr;
      const auto outcome = result ? result->outcome : IndexResult::Outcome::kRefused;
      ++counts_[static_cast<std::size_t>(outcome)];
      if (is_full && outcome != IndexResult::Outcome::kRefused) {
        ++left_out_;
        continue;
      }
      row.add("outcome", name_of(outcome));
      if (outcome == IndexResult::Outcome::kRefused)
        row.raw("problem",
                result ? Problem(422, "bad_input", result->problem).json() : batch.problems[i]);
      rows_ += row.str() + "\n";
    }
    api_.metrics().count_documents(counts_[0] + counts_[1] - before);
    stored_lines_ = batch.last_line;
  }

  Api& api_;
  Request request_;
  // Weak, so that a slow client does not keep a removed index alive.
  std::weak_ptr<ServedIndex> served_;
  DocumentParser parser_;
  std::string durability_;
  std::string rest_;  // beginning of a line whose end has not been received
  std::vector<Line> lines_;
  std::size_t bytes_ = 0;
  std::uint64_t line_ = 0;
  std::uint64_t stored_lines_ = 0;  // used like counts_
  // Written by the background thread; read only when it does not run.
  std::array<std::uint64_t, 3> counts_{};  // by outcome, of which kNotThere does not occur
  std::string rows_;
  std::uint64_t left_out_ = 0;  // rows that the answer has no room for
  std::optional<Response> stopped_;
  std::future<void> storing_;  // last, because its destructor waits for the thread
};

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
Response stored(const Request& request, const IndexResult& result) {
  if (result.outcome == IndexResult::Outcome::kRefused)
    throw Problem(422, "bad_input", result.problem);
  JsonObject out;
  out.add("id", request.path[4]).add("outcome", name_of(result.outcome));
  out.add("durability", result.reached.str());
  return {result.outcome == IndexResult::Outcome::kInserted ? 201 : 200, "application/json",
          out.str() + "\n"};
}

}  // namespace

std::unique_ptr<BodySink> put_documents(Api& api, const Request& request) {
  check_type(request, "application/x-ndjson", "application/jsonl",
             ", and a JSON object a line; one document alone goes to PUT .../documents/{id}");
  return std::make_unique<DocumentSink>(api, request, served_index_of(api, request));
}

Response put_document(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  check_type(request, "application/json", "application/json");
  Document document = served->document(request.body);
  take_id_of_path(request, document.id);
  const IndexResult result =
      served->put({{std::move(document), request.body}}, &request.stop->flag()).front();
  Response out = stored(request, result);
  api.metrics().count_documents(1);
  return out;
}

Response change_document(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  check_type(request, "application/merge-patch+json", "application/json");
  AttributeChange change = change_from_json(request.body);
  take_id_of_path(request, change.id);
  const IndexResult result = served->change_attributes(change);
  if (result.outcome == IndexResult::Outcome::kNotThere)
    throw Problem(404, "document_not_found", "there is no document with this id");
  return stored(request, result);
}

Response get_document(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  const auto document = served->index().get(request.path[4]);
  if (!document) throw Problem(404, "document_not_found", "there is no document with this id");
  JsonObject fields;
  for (const IndexedDocument::Part& part : document->fields) {
    JsonArray keys;
    for (const std::uint32_t key : part.keys) keys.raw(std::to_string(key));
    JsonObject one;
    fields.raw(part.field, one.add("features", part.features).raw("keys", keys.str()).str());
  }
  JsonObject out;
  out.add("id", document->id).raw("document", sent_json(*served, document->id));
  out.raw("fields", fields.str()).raw("attributes", attributes_json(document->attributes));
  return {200, "application/json", out.str() + "\n"};
}

Response list_documents(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  const std::size_t limit = query_number(request, "limit", 1, 1000).value_or(50);
  const auto given = request.query.find("after");
  const std::string after = given == request.query.end() ? std::string() : given->second;
  // The `limit` smallest ids after `after`, and one more, which shows that there are more.
  std::priority_queue<std::string> smallest;
  served->index().for_each_id([&](std::string_view id) {
    throw_if_stopped(&request.stop->flag());
    if (id <= after) return;
    if (smallest.size() == limit + 1) {
      if (id >= smallest.top()) return;
      smallest.pop();
    }
    smallest.emplace(id);
  });
  std::vector<std::string> ids;
  for (; !smallest.empty(); smallest.pop()) ids.push_back(smallest.top());
  std::reverse(ids.begin(), ids.end());
  JsonArray documents;
  std::size_t shown = 0, bytes = 0;
  for (; shown < std::min(limit, ids.size()) && bytes < kListBytes; ++shown) {
    throw_if_stopped(&request.stop->flag());
    JsonObject one;
    one.add("id", ids[shown]).raw("document", sent_json(*served, ids[shown]));
    bytes += one.str().size();
    documents.raw(one.str());
  }
  JsonObject out;
  out.raw("documents", documents.str());
  out.add_or_null("next", shown < ids.size() ? ids[shown - 1] : std::string());
  return {200, "application/json", out.str() + "\n"};
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
  if (!ids) throw Problem(422, "wrong_value", "'ids' is missing").at("/ids");
  WriteLevel reached;
  const std::vector<bool> removed = served->remove(*ids, reached);
  const auto count = static_cast<std::uint64_t>(std::count(removed.begin(), removed.end(), true));
  JsonObject out;
  out.add("removed", count).add("not_there", ids->size() - count).add("durability", reached.str());
  return {200, "application/json", out.str() + "\n"};
}

}  // namespace benzer::server
