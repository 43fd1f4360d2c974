// Takes many documents in one request, and stores them while the rest arrives.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "benzer/index.h"

#include "http.h"

namespace benzer::server {

class Api;

// Cuts an array of JSON into its elements, which may come in pieces of any size. An element is what
// is between two commas of the array; whether it is valid JSON is for its reader to say.
class ArrayCutter {
 public:
  // Moves bytes of the piece to the element. Returns true if the element is complete, and false if
  // the piece is used up before. Throws Problem(400) if the text is not an array.
  bool take(std::string_view& piece, std::string& element);
  // Throws Problem(400) if the array has not ended.
  void finish() const;

 private:
  enum class At { kBefore, kFirst, kElement, kNext, kAfter };
  [[noreturn]] static void fail(std::string_view what);

  At at_ = At::kBefore;
  std::size_t depth_ = 0;
  bool in_string_ = false, is_escaped_ = false;
};

// "inserted", "replaced" or "refused".
std::string_view outcome_name(IndexResult::Outcome outcome);

// The sink of POST .../documents.
std::unique_ptr<BodySink> put_documents(Api& api, const Request& request);

}  // namespace benzer::server
