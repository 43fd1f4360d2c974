#include "problem.h"

#include <algorithm>
#include <array>

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
      return "Condition wanted";
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

// What the command line calls an option, in the words of a request.
std::string for_requests(std::string sentence) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kWords = {
      {{"(--allow-low-recall)", "('allow_low_recall': true)"}, {"--sketch fss:", "'slots': "}}};
  for (const auto& [option, member] : kWords)
    if (const std::size_t at = sentence.find(option); at != sentence.npos)
      sentence.replace(at, option.size(), member);
  return sentence;
}

// Errors of the disk name files; where they lie is nobody's business outside.
std::string without_folders(std::string_view sentence) {
  std::string out;
  while (!sentence.empty()) {
    const std::size_t end = std::min(sentence.find_first_of(" '\"(") + 1, sentence.size());
    const std::size_t length = end == 0 ? sentence.size() : end;
    std::string_view word = sentence.substr(0, length);
    sentence.remove_prefix(length);
    const std::size_t slash = word.find_last_of('/', word.size() < 2 ? 0 : word.size() - 2);
    out += slash == word.npos ? word : word.substr(slash + 1);
  }
  return out;
}

// The same for "FILE: what is wrong".
std::string without_first_folder(std::string_view sentence) {
  const std::size_t end = std::min(sentence.find(": "), sentence.size());
  const std::string_view first = sentence.substr(0, end);
  if (first.find_first_of("'\"") != first.npos) return std::string(sentence);
  return without_folders(first) + std::string(sentence.substr(end));
}

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

Problem problem_of(const Error& error) {
  const std::string sentence = for_requests(error.what());
  switch (error.code()) {
    // The first words of these may be a file; behind it they say again what was sent.
    case ErrorCode::kInvalidArgument:
      return Problem(422, "invalid_argument", without_first_folder(sentence));
    case ErrorCode::kBadInput:
      return Problem(422, "bad_input", without_first_folder(sentence));
    case ErrorCode::kNotFound:
      return Problem(404, "document_not_found", without_first_folder(sentence));
    case ErrorCode::kNoStore:
      return Problem(404, "index_not_found", without_folders(sentence));
    case ErrorCode::kBusy:
      return Problem(503, "busy", without_folders(sentence))
          .retry_after(1)
          .hint("Try again in a moment.");
    case ErrorCode::kInterrupted:
      return Problem(503, "stopping", "the server is stopping").retry_after(5);
    case ErrorCode::kUnavailable:
      return Problem(503, "unavailable", without_folders(sentence)).retry_after(5);
    case ErrorCode::kStorageFailed:
      return Problem(507, "storage_failed", without_folders(sentence))
          .hint(
              "Make room on the disk, or look at why it cannot be read (dmesg, SMART); nothing was "
              "acknowledged that is not stored.");
    case ErrorCode::kCorrupt:
      return Problem(500, "damaged", without_folders(sentence))
          .hint("Run 'benzer verify STORE --repair' on the server.");
    case ErrorCode::kGuardRail:
      return Problem(409, "guard_rail", sentence);
    case ErrorCode::kDenied:
      return Problem(502, "store_denied", without_folders(sentence));
  }
  return Problem(500, "internal", sentence);
}

}  // namespace benzer::server
