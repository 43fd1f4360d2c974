// Runs a server that answers what a test tells it to.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "store/redis/redis_url.h"
#include "store/redis/reply.h"

namespace benzer {

// Serves one connection at a time, in a thread of its own.
class FakeServer {
 public:
  using Words = std::vector<std::string>;
  // The bytes of an answer; empty: none ever comes; "close": the connection ends.
  using Answer = std::function<std::string(const Words&)>;

  explicit FakeServer(Answer answer) : answer_(std::move(answer)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
    socklen_t size = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeServer() {
    stop_ = true;
    thread_.join();
    ::close(listener_);
  }
  redis::Address address() const { return {"127.0.0.1", port_}; }
  std::vector<Words> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  bool is_ready(int descriptor) const {
    while (!stop_) {
      pollfd wanted{descriptor, POLLIN, 0};
      if (::poll(&wanted, 1, 10) > 0) return true;
    }
    return false;
  }
  void serve() {
    while (is_ready(listener_)) {
      const int connection = ::accept(listener_, nullptr, nullptr);
      talk(connection);
      ::close(connection);
    }
  }
  void talk(int connection) {
    redis::ReplyReader reader;  // commands are arrays, as some replies are
    char buffer[4096];
    while (is_ready(connection)) {
      const ssize_t size = ::read(connection, buffer, sizeof buffer);
      if (size <= 0) return;
      reader.feed({buffer, static_cast<std::size_t>(size)});
      redis::Reply command;
      while (reader.next(command)) {
        Words words;
        for (const redis::Reply& item : command.items) words.push_back(item.text);
        const std::string out = answer_(words);
        {
          const std::lock_guard lock(mutex_);
          seen_.push_back(std::move(words));
        }
        if (out == "close") return;
        if (::send(connection, out.data(), out.size(), MSG_NOSIGNAL) < 0) return;
      }
    }
  }

  const Answer answer_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;
  std::vector<Words> seen_;
  std::thread thread_;
};

}  // namespace benzer
