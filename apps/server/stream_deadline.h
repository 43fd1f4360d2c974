// Limits how long a connection waits.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>  // awaitable.hpp, which these include, lacks it

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/tcp_stream.hpp>

namespace benzer::server {

// Cancels what a socket waits for when its time is over. The socket stays open, so that an answer
// can be sent.
class StreamDeadline {
 public:
  explicit StreamDeadline(boost::beast::tcp_stream& stream)
      : state_(std::make_shared<State>(stream)) {}
  ~StreamDeadline() { clear(); }
  StreamDeadline(const StreamDeadline&) = delete;
  StreamDeadline& operator=(const StreamDeadline&) = delete;

  void set(std::chrono::steady_clock::time_point end) {
    state_->is_over = false;
    const std::uint64_t turn = ++state_->turn;
    state_->timer.expires_at(end);
    state_->timer.async_wait([state = state_, turn](const boost::system::error_code& error) {
      if (error || turn != state->turn) return;
      state->is_over = true;
      state->stream.cancel();
    });
  }
  void clear() {
    ++state_->turn;  // disarms even a timer that has expired and whose handler has not run yet
    state_->timer.cancel();
  }
  bool is_over() const noexcept { return state_->is_over; }

 private:
  struct State {
    explicit State(boost::beast::tcp_stream& of) : stream(of), timer(of.get_executor()) {}
    boost::beast::tcp_stream& stream;
    boost::asio::steady_timer timer;
    std::uint64_t turn = 0;
    bool is_over = false;
  };
  std::shared_ptr<State> state_;
};

}  // namespace benzer::server
