// Tests the answers to bodies that go to a sink. tests/serve_http_test.py tests HTTP itself.
#include "http_server.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace benzer::server {
namespace {

constexpr std::size_t kLong = std::size_t{1} << 20;

// Answers with a long body.
class LongSink : public BodySink {
 public:
  bool take(std::string_view piece) override {
    taken_ += piece.size();
    return true;
  }
  Response finish() override {
    Response out{200, "text/plain", std::string(kLong, 'x')};
    out.short_body = "short";
    return out;
  }
  Response refuse(int status, std::string_view code, std::string_view) override {
    return {status, "text/plain", std::string(code) + " after " + std::to_string(taken_)};
  }

 private:
  std::size_t taken_ = 0;
};

class HttpServerTest : public testing::Test {
 protected:
  void start(std::uint64_t held_bytes) {
    HttpOptions options;
    options.threads = 1;
    options.workers = 2;
    options.held_bytes = held_bytes;
    Handlers handlers;
    handlers.admit = [](Request&) {
      Admission out;
      out.largest_body = kLong;
      out.client = "a";
      out.sink = std::make_unique<LongSink>();
      out.sink_bytes = 1;
      return out;
    };
    handlers.handle = [](Request&) { return Response(); };
    handlers.refuse = [](const Request&, int status, std::string_view code, std::string_view) {
      return Response{status, "text/plain", std::string(code)};
    };
    handlers.answered = [](const Request&, int, std::uint64_t) {};
    handlers.stopping = [] {};
    server_ = std::make_unique<HttpServer>(options, std::move(handlers));
    thread_ = std::thread([this] { server_->run(stop_); });
  }
  void TearDown() override {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  // Sends a request, and returns all bytes of the answer.
  std::string talk(std::string_view body) const {
    const int connection = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    const std::string sent =
        "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        "Transfer-Encoding: chunked\r\n\r\n" +
        std::string(body);
    EXPECT_EQ(::send(connection, sent.data(), sent.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(sent.size()));
    std::string out, piece(1 << 16, '\0');
    for (ssize_t got = 0; (got = ::recv(connection, piece.data(), piece.size(), 0)) > 0;)
      out.append(piece, 0, static_cast<std::size_t>(got));
    ::close(connection);
    return out;
  }

  std::atomic<bool> stop_{false};
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

constexpr std::string_view kWhole = "3\r\nabc\r\n0\r\n\r\n";

TEST_F(HttpServerTest, AWriteWithoutRoomForItsAnswerIsAnsweredInShort) {
  start(kLong);  // half of it is for one client
  const std::string answer = talk(kWhole);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer.substr(0, 1000);
  EXPECT_TRUE(answer.ends_with("\r\n\r\nshort")) << answer.substr(0, 1000);
}

TEST_F(HttpServerTest, AWriteWithRoomIsAnsweredInFull) {
  start(4 * kLong);
  EXPECT_TRUE(talk(kWhole).ends_with(std::string(kLong, 'x')));
}

TEST_F(HttpServerTest, TheSinkAnswersABodyThatBreaksOff) {
  start(4 * kLong);
  const std::string taken = "40000\r\n" + std::string(0x40000, 'x') + "\r\n";  // a piece
  const std::string answer = talk(taken + "this is no chunk\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << answer;
  EXPECT_NE(answer.find("\r\n\r\nbad_request after "), answer.npos) << answer;
}

}  // namespace
}  // namespace benzer::server
