// Describes an error as a problem document (RFC 9457): a stable code for programs, a sentence and a
// hint for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "benzer/error.h"

#include "http.h"

namespace benzer::server {

class Problem : public std::exception {
 public:
  // A long sentence is cut, since it may quote what the client sent.
  Problem(int status, std::string_view code, std::string_view sentence);

  Problem& hint(std::string text) {
    hint_ = std::move(text);
    return *this;
  }
  // A JSON pointer into the body, or the name of a parameter.
  Problem& at(std::string place) {
    place_ = std::move(place);
    return *this;
  }
  Problem& retry_after(int seconds) {
    retry_after_ = seconds;
    return *this;
  }

  int status() const noexcept { return status_; }
  const std::string& code() const noexcept { return code_; }
  const std::string& sentence() const noexcept { return sentence_; }
  const std::string& hint() const noexcept { return hint_; }
  const std::string& place() const noexcept { return place_; }
  const char* what() const noexcept override { return sentence_.c_str(); }

  // The problem as a JSON object; without an instance if it is a part of an answer.
  std::string json(std::string_view instance = {}) const;
  Response response(const Request& request) const;

 private:
  int status_;
  std::string code_, sentence_, hint_, place_;
  std::optional<int> retry_after_;
};

// The problem for an error of the library, spelled by for_requests().
Problem problem_of(const Error& error);

// The problem where there is no memory for a request.
Problem out_of_memory();

// Spells files without their folders, which clients need not know, and parameters as members of a
// request: 'slots': 64.
const Spelling& for_requests();

}  // namespace benzer::server
