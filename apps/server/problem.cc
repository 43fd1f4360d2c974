#include "problem.h"

#include "../shared/json.h"

namespace benzer::server {
namespace {

std::string_view title_of(int status) {
  switch (status) {
    case 400:
      return "Bad request";
    case 401:
      return "No valid key";
    case 403:
      return "Not allowed";
    case 404:
      return "Not found";
    case 405:
      return "Method not allowed";
    case 408:
      return "Too slow";
    case 409:
      return "Conflict";
    case 412:
      return "Changed meanwhile";
    case 413:
      return "Too large";
    case 415:
      return "Wrong content type";
    case 422:
      return "Cannot be carried out";
    case 428:
      return "Condition required";
    case 429:
      return "Too many requests";
    case 431:
      return "Head too large";
    case 503:
      return "Not now";
    case 507:
      return "Storage failed";
    default:
      return status >= 500 ? "Failed" : "Refused";
  }
}

constexpr std::size_t kLongestSentence = 500;

class RequestSpelling final : public Spelling {
 public:
  std::string file(const std::string& path) const override {
    const std::size_t end = path.find_last_not_of('/');
    if (end == path.npos) return Spelling::file(path);
    const std::size_t slash = path.rfind('/', end);
    return Spelling::file(path.substr(slash == path.npos ? 0 : slash + 1, end - slash));
  }
  std::string parameter(const Parameter& parameter) const override {
    // Clients cannot repair: this is a hint for the operator of the server, who uses the program.
    if (parameter.name == "repair") return "--repair";
    if (parameter.value.empty()) return "'" + parameter.name + "'";
    return "'" + parameter.name + "': " + parameter.value;
  }
};

}  // namespace

Problem::Problem(int status, std::string_view code, std::string_view sentence)
    : status_(status), code_(code) {
  append_valid_utf8(sentence_, sentence.substr(0, kLongestSentence));
  for (char& c : sentence_)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  if (sentence.size() > kLongestSentence) sentence_ += "...";
}

std::string Problem::json(std::string_view instance) const {
  JsonObject out;
  out.add("type", "urn:benzer:problem:" + code_)
      .add("title", title_of(status_))
      .add("status", status_);
  out.add("detail", sentence_).add("code", code_);
  if (!instance.empty()) out.add("instance", instance);
  if (!hint_.empty()) out.add("hint", hint_);
  if (!place_.empty()) out.add("where", place_);
  if (retry_after_) out.add("retry_after_s", *retry_after_);
  return out.str();
}

Response Problem::response(const Request& request) const {
  Response out{status_, "application/problem+json", json(request.id) + "\n", {}};
  if (retry_after_) out.headers.emplace_back("Retry-After", std::to_string(*retry_after_));
  if (status_ == 401) out.headers.emplace_back("WWW-Authenticate", "Bearer");
  return out;
}

const Spelling& for_requests() {
  static const RequestSpelling spelling;
  return spelling;
}

Problem problem_of(const Error& error) {
  const std::string sentence = error.sentence().spelled(for_requests());
  switch (error.code()) {
    case ErrorCode::kInvalidArgument: {
      // Parameters of the library have the names of the members that give them.
      const Subject& subject = error.subject();
      Problem problem(422, "invalid_argument", sentence);
      if (subject.kind == Subject::Kind::kParameter) problem.at("/" + subject.name);
      return problem;
    }
    case ErrorCode::kBadInput:
      return Problem(422, "bad_input", sentence);
    case ErrorCode::kNotFound:
      return Problem(404, "document_not_found", sentence);
    case ErrorCode::kNoIndex:
      return Problem(404, "index_not_found", sentence);
    case ErrorCode::kBusy:
      return Problem(503, "busy", sentence).retry_after(1).hint("Try again in a moment.");
    case ErrorCode::kInterrupted:
      return Problem(503, "stopping", "the server is stopping").retry_after(5);
    case ErrorCode::kUnavailable:
      return Problem(503, "unavailable", sentence).retry_after(5);
    case ErrorCode::kStorageFailed:
      return Problem(507, "storage_failed", sentence)
          .hint(
              "Make room on the disk, or look at why it cannot be read (dmesg, SMART); nothing was "
              "acknowledged that is not stored.");
    case ErrorCode::kCorrupt:
      return Problem(500, "damaged", sentence)
          .hint("Run 'benzer verify INDEX --repair' on the server.");
    case ErrorCode::kGuardRail:
      return Problem(409, "guard_rail", sentence);
    case ErrorCode::kDenied:
      return Problem(502, "index_denied", sentence);
  }
  return Problem(500, "internal", sentence);
}

Problem out_of_memory() {
  return Problem(503, "out_of_memory", "there is not enough memory for this request")
      .retry_after(5);
}

}  // namespace benzer::server
