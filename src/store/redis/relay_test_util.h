// Passes commands on to a real server, so that a test can do something just before or after one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "store/redis/fake_server_test_util.h"
#include "store/redis/reply.h"
#include "store/redis_test_util.h"

namespace benzer {

// For one client, with one connection at a time.
class RelayServer {
 public:
  using Words = FakeServer::Words;
  struct Hooks {
    std::function<void(const Words&)> before = [](const Words&) {};
    // Called when the command was carried out. If it returns true, the connection to the client
    // breaks before the answer.
    std::function<bool(const Words&)> breaks_after = [](const Words&) { return false; };
  };

  RelayServer(const RedisServer& server, Hooks hooks)
      : port_(server.port()), hooks_(std::move(hooks)), to_(connected()) {
    relay_ = std::make_unique<FakeServer>([this](const Words& words) {
      hooks_.before(words);
      std::string answer = pass_on(words);
      if (!hooks_.breaks_after(words)) return answer;
      ::close(to_);  // or a transaction would go on
      to_ = connected();
      return std::string("close");
    });
  }
  ~RelayServer() {
    relay_.reset();
    ::close(to_);
  }
  RelayServer(const RelayServer&) = delete;
  RelayServer& operator=(const RelayServer&) = delete;

  std::string url(const std::string& store) const {
    return fmt::format("redis://{}@{}/{}", kStoreUser, relay_->address().str(), store);
  }
  // How often the client has sent a command.
  int count(std::string_view command) const {
    int out = 0;
    for (const Words& words : relay_->seen()) out += words.front() == command;
    return out;
  }

 private:
  int connected() const {
    const int out = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(out, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return out;
  }
  std::string pass_on(const Words& words) const {
    std::string command = fmt::format("*{}\r\n", words.size());
    for (const std::string& word : words)
      command += fmt::format("${}\r\n", word.size()) + word + "\r\n";
    if (::send(to_, command.data(), command.size(), MSG_NOSIGNAL) < 0) return "close";
    std::string answer;
    redis::ReplyReader reader;
    redis::Reply reply;
    char buffer[4096];
    while (!reader.next(reply)) {
      const ssize_t size = ::read(to_, buffer, sizeof buffer);
      if (size <= 0) return "close";
      const std::string_view bytes(buffer, static_cast<std::size_t>(size));
      answer += bytes;
      reader.feed(bytes);
    }
    return answer;
  }

  const std::uint16_t port_;
  const Hooks hooks_;
  int to_;  // the real server
  std::unique_ptr<FakeServer> relay_;
};

}  // namespace benzer
