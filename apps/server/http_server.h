// Listens, accepts, and stops in order. What is said on a connection is http_connection.h's.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "http.h"

namespace benzer::server {

class HttpServer {
 public:
  // Listens. Throws Error(kInvalidArgument) for an address that is none, Error(kUnavailable) if it
  // is taken, Error(kBadInput) for TLS files that are none.
  HttpServer(const HttpOptions& options, Handlers handlers);
  ~HttpServer();

  std::uint16_t port() const;
  // Answers until the flag is raised; then drains, and returns.
  void run(const std::atomic<bool>& stop);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace benzer::server
