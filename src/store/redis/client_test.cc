#include "store/redis/client.h"

#include <atomic>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "store/redis/fake_server_test_util.h"

namespace benzer::redis {
namespace {

using testing::HasSubstr;
using Words = FakeServer::Words;

std::shared_ptr<const Access> access_to(std::vector<Address> hosts, bool is_cluster = false,
                                        int timeout_ms = 300) {
  Access out;
  out.url.hosts = std::move(hosts);
  out.url.is_cluster = is_cluster;
  out.url.store = "s";
  out.timeout = std::chrono::milliseconds(timeout_ms);
  return std::make_shared<Access>(std::move(out));
}

std::vector<Reply> get(Client& client, std::initializer_list<std::string_view> keys) {
  Pipeline pipeline;
  for (const std::string_view key : keys) pipeline.add({"GET", key});
  return client.run(pipeline);
}

// Returns the client's error for a server that always gives this answer.
Error error_of(const std::string& answer, int timeout_ms) {
  const FakeServer server([&](const Words&) { return answer; });
  Client client(access_to({server.address()}, false, timeout_ms));
  try {
    get(client, {"k"});
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(server.address().str()));
    return error;
  }
  ADD_FAILURE() << answer << " is no failure";
  return {ErrorCode::kInterrupted, ""};
}

TEST(RedisClient, NamesEachFailure) {
  const struct {
    std::string_view answer;
    ErrorCode code;
    std::string_view sentence;
  } table[] = {
      {"-OOM command not allowed when used memory > 'maxmemory'.\r\n", ErrorCode::kStorageFailed,
       "no memory left (maxmemory): give it more"},
      {"-MISCONF Redis is configured to save RDB snapshots, but\r\n", ErrorCode::kStorageFailed,
       "cannot save to its disk"},
      {"-NOAUTH Authentication required.\r\n", ErrorCode::kDenied, "check user and password"},
      {"-WRONGPASS invalid username-password pair\r\n", ErrorCode::kDenied, "check user"},
      {"-NOPERM this user has no permissions\r\n", ErrorCode::kDenied, "the user's rights"},
      {"-WRONGTYPE Operation against a key\r\n", ErrorCode::kCorrupt, "of another type"},
      {"-MOVED 1 127.0.0.1:1\r\n", ErrorCode::kInvalidArgument, "redis+cluster://"},
      {"-ERR unknown command\r\n", ErrorCode::kStorageFailed, "answers: ERR unknown command"},
      {"-LOADING Redis is loading the dataset in memory\r\n", ErrorCode::kUnavailable, "LOADING"},
      {"-READONLY You can't write against a read only replica.\r\n", ErrorCode::kUnavailable,
       "READONLY"},
      {"-MASTERDOWN Link with MASTER is down\r\n", ErrorCode::kUnavailable, "MASTERDOWN"},
      {"-NOREPLICAS Not enough good replicas to write.\r\n", ErrorCode::kUnavailable, "NOREPLICAS"},
      {"HTTP/1.1 400 Bad Request\r\n", ErrorCode::kUnavailable, "not a Redis reply"},
      {"+OK\r\n+OK\r\n", ErrorCode::kUnavailable, "more than it was asked for"},
      {"close", ErrorCode::kUnavailable, "closed the connection"},
      {"", ErrorCode::kUnavailable, "it has not answered for 0.3 s"},
      {"$100\r\nhalf", ErrorCode::kUnavailable, "it has not answered for 0.3 s"},
  };
  for (const auto& row : table) {
    SCOPED_TRACE(row.answer);
    // Temporary errors are tried again until the time is over; all others are reported at once.
    const bool passes = row.code == ErrorCode::kUnavailable;
    const Error error = error_of(std::string(row.answer), passes ? 300 : 10'000);
    EXPECT_EQ(error.code(), row.code);
    EXPECT_THAT(error.what(), HasSubstr(row.sentence));
  }
}

TEST(RedisClient, SaysThatNobodyListens) {
  Address nobody;
  {
    const FakeServer server([](const Words&) { return ""; });
    nobody = server.address();
  }
  for (const Address& address : {nobody, Address{"no-such-host.invalid", 1}}) {
    Client client(access_to({address}));
    try {
      get(client, {"k"});
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
      EXPECT_THAT(error.what(), HasSubstr(address.str()));
      EXPECT_THAT(error.what(), HasSubstr("gave up after 0.3 s"));
    }
  }
}

// A flag ends waiting for an answer, for a connection, and between tries.
TEST(RedisClient, AStopFlagEndsWaiting) {
  std::atomic<bool> of_all{false}, of_user{false};
  const auto end = [&](Client& client, std::atomic<bool>& flag) {
    std::thread stopping([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      flag = true;
    });
    const Clock::time_point begun = Clock::now();
    Error out{ErrorCode::kBusy, "none"};
    try {
      get(client, {"k"});
    } catch (const Error& error) {
      out = error;
    }
    stopping.join();
    flag = false;
    EXPECT_LT(Clock::now() - begun, std::chrono::seconds(10));
    return out;
  };
  for (const std::string answer : {"", "-LOADING wait\r\n", "$100\r\nhalf"}) {
    SCOPED_TRACE(answer);
    const FakeServer server([&](const Words&) { return answer; });
    Access access = *access_to({server.address()}, false, 60'000);
    access.stop = &of_all;
    Client client(std::make_shared<Access>(access));
    client.stop_when(&of_user);
    for (std::atomic<bool>* flag : {&of_all, &of_user}) {
      const Error error = end(client, *flag);
      EXPECT_EQ(error.code(), ErrorCode::kInterrupted) << error.what();
      EXPECT_STREQ(error.what(), "interrupted");
    }
    client.begin_write();
    const Error error = end(client, of_all);
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
    EXPECT_THAT(error.what(), HasSubstr("may or may not have been written"));
  }
}

// Whoever sets the flag of a user may rely on it that nothing was written.
TEST(RedisClient, TheFlagOfAUserEndsNoWrite) {
  const std::atomic<bool> flag{true};
  std::atomic<int> answers = 0;
  const FakeServer server([&](const Words&) -> std::string {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    return "+" + std::to_string(++answers) + "\r\n";
  });
  Client client(access_to({server.address()}, false, 60'000));
  client.stop_when(&flag);
  EXPECT_THROW(get(client, {"k"}), Error);
  client.begin_write();
  EXPECT_EQ(get(client, {"k"}).size(), 1U);
}

// After a temporary error, only the commands that it left open are tried again.
TEST(RedisClient, GoesOnWhenAServerIsBack) {
  for (const std::string trouble :
       {"-LOADING wait\r\n", "-TRYAGAIN\r\n", "-CLUSTERDOWN\r\n", "-MASTERDOWN\r\n", "close"}) {
    SCOPED_TRACE(trouble);
    std::atomic<int> answers = 0;
    const FakeServer server([&](const Words& words) -> std::string {
      if (++answers == 2 || answers == 4) return trouble;
      return "+" + words[1] + "\r\n";
    });
    Client client(access_to({server.address()}, false, 5'000));
    const std::vector<Reply> replies = get(client, {"a", "b", "c"});
    ASSERT_EQ(replies.size(), 3U);
    EXPECT_EQ(replies[0].text, "a");
    EXPECT_EQ(replies[1].text, "b");
    EXPECT_EQ(replies[2].text, "c");
    if (trouble == "close") {
      EXPECT_GT(client.connections(), 1U);
    }
  }
}

// Sends pipelines beside one another, with trouble at each of the answers, and finishes them in any
// order, after others, or not at all.
TEST(RedisClient, SendsWhileOthersAreOnTheirWay) {
  const auto asks = [](const std::string& name) {
    Pipeline out;
    for (const char* more : {"1", "2"}) out.add({"GET", name + more});
    return out;
  };
  for (const std::string trouble : {"", "-LOADING wait\r\n", "close"}) {
    for (int at = 1; at <= 9; ++at) {
      SCOPED_TRACE(trouble + " at answer " + std::to_string(at));
      std::atomic<int> answers = 0;
      const FakeServer server([&](const Words& words) -> std::string {
        return ++answers == at && !trouble.empty() ? trouble : "+" + words[1] + "\r\n";
      });
      Client client(access_to({server.address()}, false, 5'000));
      const auto expect = [&](Client::Sent sent, const std::string& name) {
        const std::vector<Reply> replies = client.finish(std::move(sent));
        ASSERT_EQ(replies.size(), 2U);
        EXPECT_EQ(replies[0].text, name + "1");
        EXPECT_EQ(replies[1].text, name + "2");
      };
      Client::Sent a = client.send(asks("a")), b = client.send(asks("b"));
      client.send(asks("dropped"));
      Client::Sent c = client.send(asks("c"));
      expect(std::move(b), "b");
      EXPECT_EQ(get(client, {"between"})[0].text, "between");
      expect(std::move(c), "c");
      expect(std::move(a), "a");
    }
  }
}

// A server is not called silent for the time in which nobody asked for what it had sent.
TEST(RedisClient, WaitsFromTheMomentInWhichACallerWaits) {
  const FakeServer server([](const Words& words) { return "+" + words[1] + "\r\n"; });
  Client client(access_to({server.address()}, false, 200));
  get(client, {"connects"});
  Pipeline pipeline;
  pipeline.add({"GET", "k"});
  Client::Sent sent = client.send(std::move(pipeline));
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_EQ(client.finish(std::move(sent))[0].text, "k");
  EXPECT_EQ(client.connections(), 1U);
}

std::string slots_of(const std::vector<std::pair<int, const FakeServer*>>& upto) {
  std::string out = fmt::format("*{}\r\n", upto.size());
  int first = 0;
  for (const auto& [last, server] : upto) {
    out += fmt::format("*3\r\n:{}\r\n:{}\r\n*2\r\n$9\r\n127.0.0.1\r\n:{}\r\n", first, last,
                       server->address().port);
    first = last + 1;
  }
  return out;
}

// "foo" is in slot 12182, "bar" in 5061.
TEST(RedisClient, FollowsACluster) {
  const FakeServer* one = nullptr;
  const FakeServer* two = nullptr;
  std::atomic<bool> has_moved = false;
  const FakeServer first([&](const Words& words) -> std::string {
    if (words[0] == "CLUSTER")
      return has_moved ? slots_of({{16383, two}}) : slots_of({{8000, one}, {16383, two}});
    if (has_moved) return fmt::format("-MOVED 5061 127.0.0.1:{}\r\n", two->address().port);
    return "+first\r\n";
  });
  const FakeServer second([&](const Words& words) -> std::string {
    if (words[0] == "CLUSTER") return slots_of({{16383, two}});
    return "+second\r\n";
  });
  one = &first;
  two = &second;
  Client client(access_to({first.address()}, true, 2'000));
  std::vector<Reply> replies = get(client, {"foo", "bar"});
  EXPECT_EQ(replies[0].text, "second");
  EXPECT_EQ(replies[1].text, "first");
  has_moved = true;
  replies = get(client, {"foo", "bar"});
  EXPECT_EQ(replies[1].text, "second");
  const std::size_t asked = first.seen().size();
  get(client, {"bar"});
  EXPECT_EQ(first.seen().size(), asked);  // the client has the new map
}

TEST(RedisClient, AsksWhereASlotIsOnItsWay) {
  const FakeServer* one = nullptr;
  const FakeServer* two = nullptr;
  const FakeServer first([&](const Words& words) -> std::string {
    if (words[0] == "CLUSTER") return slots_of({{16383, one}});
    return words[1] == "foo" ? fmt::format("-ASK 12182 127.0.0.1:{}\r\n", two->address().port)
                             : "+first\r\n";
  });
  std::atomic<bool> is_asking = false;
  const FakeServer second([&](const Words& words) -> std::string {
    if (words[0] == "ASKING") {
      is_asking = true;
      return "+OK\r\n";
    }
    return is_asking.exchange(false) ? "+second\r\n" : "-MOVED 12182 127.0.0.1:1\r\n";
  });
  one = &first;
  two = &second;
  Client client(access_to({first.address()}, true, 2'000));
  const std::vector<Reply> replies = get(client, {"bar", "foo"});
  EXPECT_EQ(replies[0].text, "first");
  EXPECT_EQ(replies[1].text, "second");
}

TEST(RedisClient, TakesAnotherNodeForOneThatIsGone) {
  Address gone;
  {
    const FakeServer server([](const Words&) { return ""; });
    gone = server.address();
  }
  const FakeServer* self = nullptr;
  const FakeServer server([&](const Words& words) -> std::string {
    return words[0] == "CLUSTER" ? slots_of({{16383, self}}) : "+here\r\n";
  });
  self = &server;
  Client client(access_to({gone, server.address()}, true, 2'000));
  EXPECT_EQ(get(client, {"foo"})[0].text, "here");
}

TEST(RedisClient, RefusesAClusterThatIsNone) {
  const FakeServer server(
      [](const Words&) { return "-ERR This instance has cluster support disabled\r\n"; });
  Client client(access_to({server.address()}, true));
  try {
    get(client, {"k"});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr("is not a cluster"));
  }
}

// An answer to WAIT counts only on the connections that carried the writes.
TEST(RedisClient, ConfirmsByTheConnectionsThatWrote) {
  std::atomic<int> replicas = 1;
  std::atomic<bool> closes = false;
  const FakeServer server([&](const Words& words) -> std::string {
    if (closes.exchange(false)) return "close";
    return words[0] == "WAIT" ? fmt::format(":{}\r\n", replicas.load()) : "+OK\r\n";
  });
  Client client(access_to({server.address()}, false, 2'000));
  const std::chrono::milliseconds patience{10};
  client.begin_write();
  get(client, {"a"});
  EXPECT_EQ(client.confirm(2, patience), 1);
  EXPECT_EQ(client.confirm(1, patience), 1);
  closes = true;
  get(client, {"b"});  // by another connection
  EXPECT_EQ(client.confirm(1, patience), std::nullopt);
  client.begin_write();
  get(client, {"b"});
  EXPECT_EQ(client.confirm(1, patience), 1);
  closes = true;
  EXPECT_EQ(client.confirm(1, patience), std::nullopt);
}

}  // namespace
}  // namespace benzer::redis
