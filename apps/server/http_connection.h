// Serves one connection: reads requests one after the other, with limits and deadlines, and sends
// the answers.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>  // awaitable.hpp lacks it

#include <boost/asio/awaitable.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include "http.h"
#include "memory_budget.h"
#include "work_queue.h"

namespace benzer::server {

// What all connections share.
struct HttpShared {
  HttpOptions options;
  Handlers handlers;
  WorkQueue& work;
  std::string id_prefix;  // of the ids of requests; a new one each time the server starts
  MemoryBudget budget{options.held_bytes};
  std::atomic<std::size_t> open{0};
  std::atomic<bool> draining{false};
  std::atomic<bool> ending{false};  // requests are told to end
  std::atomic<std::uint64_t> requests{0};
};

// The connections of one thread. Used by this thread alone.
struct LoopState {
  // Those that wait for a request, which are closed when the server stops.
  std::list<boost::beast::tcp_stream*> idle;
  // Requests that are being answered, which are told to end after a while.
  std::list<std::shared_ptr<RequestStop>> answering;
};

// Stores the error of an operation in `error` instead of throwing it:
// co_await socket.async_x(..., into(error)).
inline auto into(boost::system::error_code& error) {
  return boost::asio::redirect_error(boost::asio::use_awaitable, error);
}

// Answers requests until the connection ends.
boost::asio::awaitable<void> serve_connection(HttpShared& shared, LoopState& loop,
                                              boost::beast::tcp_stream& stream);
boost::asio::awaitable<void> serve_connection(
    HttpShared& shared, LoopState& loop,
    boost::beast::ssl_stream<boost::beast::tcp_stream>& stream);

}  // namespace benzer::server
