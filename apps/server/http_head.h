// Reads the head of a request, and refuses heads that are malformed or ambiguous.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/message.hpp>

#include "http.h"

namespace benzer::server {

struct Refusal {
  int status;
  std::string_view code;
  std::string sentence;
};

// Fills in all of the request but its body. Returns nothing if the head is accepted.
std::optional<Refusal> read_head(const boost::beast::http::request_header<>& head,
                                 const HttpOptions& options, Request& request);
bool expects_to_go_on(const boost::beast::http::request_header<>& head);
Refusal head_too_long(const HttpOptions& options);

}  // namespace benzer::server
