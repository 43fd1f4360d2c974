#include "document_sink.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <future>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <openssl/rand.h>

#include "benzer/error.h"

#include "../shared/json.h"
#include "api.h"
#include "json_body.h"
#include "remembered_answers.h"

namespace benzer::server {
namespace {

// Documents that are written at a time, so that they share one sync.
constexpr std::size_t kBatchLines = 2000;
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
// Bytes of rows in a short answer: less than what is held in memory for the body.
constexpr std::size_t kShortBytes = std::size_t{4} << 20;
constexpr std::string_view kBlanks = " \t\r\n";

// 32 hexadecimal digits as a UUID.
std::string as_uuid(std::string_view digits, char version) {
  std::string out(digits);
  out[12] = version;
  out[16] = "89ab"[out[16] % 4];
  for (const std::size_t at : {8, 13, 18, 23}) out.insert(at, "-");
  return out;
}

// A UUID of version 7 (RFC 9562, 5.7): milliseconds since 1970, and 74 random bits.
std::string new_id() {
  std::array<std::uint8_t, 16> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    throw Error(ErrorCode::kUnavailable, "the system gave no random bytes for an id");
  auto time = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                             std::chrono::system_clock::now().time_since_epoch())
                                             .count());
  for (std::size_t i = 6; i-- > 0; time >>= 8) bytes[i] = static_cast<std::uint8_t>(time);
  return as_uuid(hex(bytes.data(), bytes.size()), '7');
}

// Takes one JSON object a line, or an array of them, and stores them in batches. The answer has a
// row for each.
class DocumentSink : public BodySink {
 public:
  DocumentSink(Api& api, Request request, const std::shared_ptr<ServedIndex>& served, bool is_array,
               bool makes_ids)
      : api_(api),
        request_(std::move(request)),
        is_array_(is_array),
        makes_ids_(makes_ids),
        served_(served),
        durability_(served->index().durability().str()) {}

  bool take(std::string_view piece) override {
    return guarded([&] {
      while (!piece.empty()) {
        const bool is_whole =
            is_array_ ? cut_array([&] { return cutter_.take(piece, rest_); }) : cut_line(piece);
        if (rest_.size() > api_.limits().body_bytes) {
          store();  // the documents before this one
          throw Problem(413, "line_too_long",
                        fmt::format("{} {} has more than {} bytes", is_array_ ? "document" : "line",
                                    line_ + 1, api_.limits().body_bytes));
        }
        if (is_whole) end_line();
      }
    });
  }

  Response finish() override {
    Response out;
    guarded([&] {
      if (is_array_) {
        cut_array([&] { cutter_.finish(); });
      } else if (!rest_.empty()) {
        end_line();
      }
      store();
      wait();
      release();
      out.status = counts_[2] > 0 ? 207 : 200;
      out.content_type = is_array_ ? "application/json" : "application/x-ndjson";
      out.body = summarised(std::move(rows_));
      out.short_body = summarised(std::move(refused_));
    });
    release();
    return stopped_ ? std::move(*stopped_) : std::move(out);
  }

  Response refuse(int status, std::string_view code, std::string_view sentence) override {
    guarded([&] { throw Problem(status, code, sentence); });
    release();
    return std::move(*stopped_);
  }

 private:
  // The rows of an answer.
  struct Rows {
    void add(const JsonObject& row, bool is_array) {
      if (is_array && !json.empty()) json += ',';
      json += row.str();
      if (!is_array) json += '\n';
      ++count;
    }
    std::string json;
    std::uint64_t count = 0;
  };

  // What the body needed.
  void release() {
    if (storing_.valid()) storing_.wait();
    rest_ = std::string();
    lines_ = std::vector<Line>();
    parser_.reset();
  }

  std::string summarised(Rows rows) const {
    JsonObject summary, last;
    const std::uint64_t documents = counts_[0] + counts_[1] + counts_[2];
    summary.add("documents", documents).add("inserted", counts_[0]);
    summary.add("replaced", counts_[1]).add("refused", counts_[2]);
    if (rows.count < documents) summary.add("left_out", documents - rows.count);
    summary.add("durability", durability_);
    if (is_array_) last.raw("results", "[" + std::move(rows.json) + "]");
    last.raw("summary", summary.str());
    return (is_array_ ? std::string() : std::move(rows.json)) + last.str() + "\n";
  }

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
      } catch (const std::bad_alloc&) {
        throw so_far(out_of_memory());
      }
    });
    if (!is_well) stopped_ = std::move(answer);
    return is_well;
  }

  Problem so_far(const Problem& problem) {
    if (storing_.valid()) storing_.wait();  // its lines count, too
    Problem out = problem;
    const bool draws_ids = makes_ids_ && request_.idempotency_key.empty();
    out.hint(
        fmt::format("{}{}The first {} {} were carried out: {} documents inserted, {} replaced, "
                    "{} refused. {}",
                    problem.hint(), problem.hint().empty() ? "" : " ", stored_lines_,
                    is_array_ ? "documents" : "lines", counts_[0], counts_[1], counts_[2],
                    draws_ids ? "Send only the rest: a document without an id would be added "
                                "again."
                              : "What was sent may be sent again."));
    return out;
  }

  bool cut_line(std::string_view& piece) {
    const std::size_t end = piece.find('\n');
    rest_ += piece.substr(0, end);
    piece.remove_prefix(end == piece.npos ? piece.size() : end + 1);
    return end != piece.npos;
  }

  // Cuts the array further. If it is none, the documents before the fault are stored all the same.
  template <class Cut>
  std::invoke_result_t<Cut> cut_array(Cut cut) {
    try {
      return cut();
    } catch (const Problem&) {
      store();
      throw;
    }
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
    if (lines_.empty()) {
      wait();
      stored_lines_ = line_;
      return;
    }
    if (!parser_) parser_.emplace(served->parser());
    auto batch = std::make_unique<Batch>();
    batch->lines = std::exchange(lines_, {});
    batch->problems.resize(batch->lines.size());
    batch->last_line = line_;
    bytes_ = 0;
    for (std::size_t i = 0; i < batch->lines.size(); ++i) {
      const std::string& json = batch->lines[i].json;
      try {
        batch->sent.push_back(ServedIndex::sent(json, *parser_));
        std::string& id = batch->sent.back().document.id;
        if (id.empty() && makes_ids_) id = made_id(batch->lines[i]);
      } catch (const Problem& problem) {
        batch->problems[i] = problem.json();
      } catch (const Error& error) {
        batch->problems[i] = problem_of(error).json();
      }
    }
    wait();
    storing_ = std::async(std::launch::async, [this, user = std::shared_ptr<ServedIndex>(served),
                                               batch = std::move(batch)]() mutable {
      // The future keeps the function, but not what it has used up.
      const auto of = std::move(user);
      const auto lines = std::move(batch);
      put(*of, *lines);
    });
  }

  // With an Idempotency-Key, a request that is sent again has the ids of the first time (UUIDs of
  // version 8), so that it puts in nothing twice, whatever became of the first one. Another
  // document has another id.
  std::string made_id(const Line& line) const {
    if (request_.idempotency_key.empty()) return new_id();
    return as_uuid(digest_of({client_of(request_), idempotency_key(request_), request_.target,
                              std::to_string(line.number), line.json}),
                   '8');
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
    const std::vector<IndexResult> results = served.put(
        std::move(batch.sent), &request_.stop->flag(), &api_.cores(), client_of(request_));
    const std::uint64_t before = counts_[0] + counts_[1];
    std::size_t next = 0;
    for (std::size_t i = 0; i < batch.lines.size(); ++i) {
      JsonObject row;
      row.add("line", batch.lines[i].number);
      const bool was_read = batch.problems[i].empty();
      JsonObject without_id = row;
      // Once the answer is too long, only the rows of refused documents are added.
      const bool is_full = rows_.json.size() > api_.limits().answer_bytes;
      if (was_read) row.add("id", ids[next]);
      const IndexResult* result = was_read ? &results[next++] : nullptr;
      const auto outcome = result ? result->outcome : IndexResult::Outcome::kRefused;
      ++counts_[static_cast<std::size_t>(outcome)];
      if (outcome != IndexResult::Outcome::kRefused) {
        if (!is_full) rows_.add(row.add("outcome", outcome_name(outcome)), is_array_);
        continue;
      }
      const std::string problem =
          result ? Problem(422, "bad_input", result->problem).json() : batch.problems[i];
      for (JsonObject* one : {&row, &without_id})
        one->add("outcome", outcome_name(outcome)).raw("problem", problem);
      rows_.add(is_full ? without_id : row, is_array_);
      if (refused_.json.size() < kShortBytes) refused_.add(without_id, is_array_);
    }
    api_.metrics().count_documents(counts_[0] + counts_[1] - before);
    stored_lines_ = batch.last_line;
  }

  Api& api_;
  Request request_;
  const bool is_array_, makes_ids_;
  ArrayCutter cutter_;
  // Weak, so that a slow client does not keep a removed index alive.
  std::weak_ptr<ServedIndex> served_;
  std::optional<DocumentParser> parser_;  // made by a worker
  std::string durability_;
  std::string rest_;  // beginning of a document whose end has not been received
  std::vector<Line> lines_;
  std::size_t bytes_ = 0;
  std::uint64_t line_ = 0;
  std::uint64_t stored_lines_ = 0;  // used like counts_
  // Written by the background thread; read only when it does not run.
  std::array<std::uint64_t, 3> counts_{};  // by outcome, of which kNotThere does not occur
  Rows rows_;
  Rows refused_;  // without ids, for an answer that has to be short
  std::optional<Response> stopped_;
  std::future<void> storing_;  // last, because its destructor waits for the thread
};

}  // namespace

void ArrayCutter::fail(std::string_view what) {
  throw Problem(400, "bad_json", fmt::format("the body is not an array of documents: {}", what))
      .hint(
          "Send [{...},{...}] as application/json, or a JSON object a line as "
          "application/x-ndjson; one document alone goes to PUT .../documents/{id}.");
}

bool ArrayCutter::take(std::string_view& piece, std::string& element) {
  std::size_t begin = 0;
  const auto keep = [&](std::size_t end) { element += piece.substr(begin, end - begin); };
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const char c = piece[i];
    if (at_ != At::kElement && kBlanks.find(c) != kBlanks.npos) continue;
    switch (at_) {
      case At::kBefore:
        if (c != '[') fail("it does not begin with '['");
        at_ = At::kFirst;
        continue;
      case At::kAfter:
        fail("something follows its ']'");
      case At::kFirst:
        if (c == ']') {
          at_ = At::kAfter;
          continue;
        }
        [[fallthrough]];
      case At::kNext:
        if (c == ',' || c == ']') fail("a document is missing between two commas");
        at_ = At::kElement;
        begin = i;
        break;
      case At::kElement:
        break;
    }
    if (in_string_) {
      if (is_escaped_) {
        is_escaped_ = false;
      } else if (c == '\\') {
        is_escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
      }
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if (depth_ > 0) {
      if (c == '}' || c == ']') --depth_;
    } else if (c == ',' || c == ']') {
      keep(i);
      at_ = c == ',' ? At::kNext : At::kAfter;
      piece.remove_prefix(i + 1);
      return true;
    }
  }
  if (at_ == At::kElement) keep(piece.size());
  piece.remove_prefix(piece.size());
  return false;
}

void ArrayCutter::finish() const {
  if (at_ == At::kBefore) fail("it is empty");
  if (at_ != At::kAfter) fail("it ends before its ']'");
}

std::string_view outcome_name(IndexResult::Outcome outcome) {
  switch (outcome) {
    case IndexResult::Outcome::kInserted:
      return "inserted";
    case IndexResult::Outcome::kReplaced:
      return "replaced";
    default:
      return "refused";
  }
}

std::unique_ptr<BodySink> put_documents(Api& api, const Request& request) {
  const bool is_array = request.content_type == "application/json";
  if (!is_array)
    check_type(request, "application/x-ndjson", "application/jsonl",
               ", and a JSON object a line, or application/json and an array; one document alone "
               "goes to PUT .../documents/{id}");
  const bool makes_ids = query_flag(request, "make_ids").value_or(false);
  if (!request.idempotency_key.empty()) idempotency_key(request);  // refuses one that is malformed
  return std::make_unique<DocumentSink>(api, request, served_index_of(api, request), is_array,
                                        makes_ids);
}

}  // namespace benzer::server
