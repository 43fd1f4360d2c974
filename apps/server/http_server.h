// Listens, accepts connections, and stops in order. http_connection.h serves each connection.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "http.h"

namespace benzer::server {

class HttpServer {
 public:
  // Listens. Throws Error(kInvalidArgument) for a malformed address, Error(kUnavailable) if it is
  // taken, Error(kBadInput) for TLS files that cannot be used.
  HttpServer(const HttpOptions& options, Handlers handlers);
  ~HttpServer();

  std::uint16_t port() const;
  // Thread-safe.
  ServerLoad load() const;
  // Reads the TLS files again. The function that it returns makes them those of the connections
  // that come from then on. Throws what the constructor throws for files that cannot be used.
  // Thread-safe.
  std::function<void()> read_tls_files();
  // Answers requests until the flag is set; then drains, and returns.
  void run(const std::atomic<bool>& stop);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace benzer::server
