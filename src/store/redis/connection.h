// Connects to a Redis server, plain or with TLS: sends bytes and receives replies.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/redis/redis_url.h"
#include "store/redis/reply.h"

namespace boost::asio {
class io_context;
namespace ssl {
class context;
}
}  // namespace boost::asio

namespace benzer::redis {

using Clock = std::chrono::steady_clock;

// For messages.
inline double seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

// TLS 1.2 or later; the certificate must be signed by an authority of this file (of the system, if
// it is empty), and be for the host. Throws Error(kInvalidArgument) for a file without
// certificates.
std::shared_ptr<boost::asio::ssl::context> tls_context(const std::string& ca_file);

// What is under way on a connection. It ends with all replies, or with a failure.
struct Exchange {
  std::string out;
  std::size_t expected = 0;  // replies
  std::vector<Reply> replies;
  std::string failure;  // empty: none
  bool is_over() const noexcept { return replies.size() == expected || !failure.empty(); }
};

// Threads: one, that of the io_context. Everything happens while that runs.
class Connection {
 public:
  // tls: null for a plain one. Begins to connect. resolving: shared until the name is resolved,
  // which nothing can end: destroying the io_context waits for it.
  Connection(boost::asio::io_context& io, const Address& address, boost::asio::ssl::context* tls,
             std::shared_ptr<void> resolving = nullptr);
  ~Connection();  // closes
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // When bytes were last sent or received.
  Clock::time_point last_progress() const noexcept;
  bool is_resolved() const noexcept;  // the name of the server

  // Begins an exchange, and takes what is to be sent. Its replies come after those of the exchanges
  // before it; what nobody waits for any more is read, too.
  void start(std::shared_ptr<Exchange> exchange);
  // Closes the connection; all exchanges under way fail for this reason.
  void fail(const std::string& why);

 private:
  class Socket;  // lives on until its handlers have run
  std::shared_ptr<Socket> socket_;
};

}  // namespace benzer::redis
