// One connection: requests one after the other, their framing, limits and deadlines.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <utility>  // awaitable.hpp lacks it

#include <boost/asio/awaitable.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include "http.h"

namespace benzer::server {

// What all connections have in common.
struct HttpShared {
  HttpOptions options;
  Handlers handlers;
  boost::asio::thread_pool& workers;
  std::string id_prefix;  // of the ids of requests: another one each time the server starts
  std::atomic<std::size_t> open{0};
  std::atomic<std::size_t> waiting{0};
  std::atomic<bool> draining{false};
  std::atomic<std::uint64_t> requests{0};
};

// Connections of one thread that are between requests, so that they can be ended.
using IdleStreams = std::list<boost::beast::tcp_stream*>;

// What fails is told, and not thrown: co_await socket.async_x(..., into(error)).
inline auto into(boost::system::error_code& error) {
  return boost::asio::redirect_error(boost::asio::use_awaitable, error);
}

// Answers until the connection ends.
boost::asio::awaitable<void> serve_connection(HttpShared& shared, IdleStreams& idle,
                                              boost::beast::tcp_stream& stream);
boost::asio::awaitable<void> serve_connection(
    HttpShared& shared, IdleStreams& idle,
    boost::beast::ssl_stream<boost::beast::tcp_stream>& stream);

}  // namespace benzer::server
