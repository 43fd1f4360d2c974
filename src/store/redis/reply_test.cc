#include "store/redis/reply.h"

#include <gtest/gtest.h>

#include "store/redis/slot_map.h"

namespace benzer::redis {
namespace {

TEST(ReplyReader, ReadsWhateverThePieces) {
  const std::string with_zero = std::string("$5\r\na\r\nb") + '\0' + "\r\n";
  const std::string stream =
      "+OK\r\n-ERR no\r\n:-7\r\n" + with_zero +
      "$-1\r\n*-1\r\n*0\r\n*3\r\n$1\r\nx\r\n*2\r\n:1\r\n$-1\r\n+y\r\n$0\r\n\r\n";
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    ReplyReader reader;
    std::vector<Reply> replies;
    Reply reply;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      ASSERT_TRUE(reader.feed(std::string_view(stream).substr(at, piece)));
      while (reader.next(reply)) replies.push_back(reply);
    }
    ASSERT_EQ(reader.problem(), "");
    ASSERT_EQ(replies.size(), 9U) << piece;
    EXPECT_EQ(replies[0].kind, Reply::Kind::kStatus);
    EXPECT_EQ(replies[1].error_code(), "ERR");
    EXPECT_EQ(replies[2].integer, -7);
    EXPECT_EQ(replies[3].text, std::string("a\r\nb\0", 5));
    EXPECT_TRUE(replies[4].is_nil());
    EXPECT_TRUE(replies[5].is_nil());
    EXPECT_TRUE(replies[6].items.empty());
    ASSERT_EQ(replies[7].items.size(), 3U);
    EXPECT_EQ(replies[7].items[1].items[0].integer, 1);
    EXPECT_TRUE(replies[7].items[1].items[1].is_nil());
    EXPECT_EQ(replies[7].items[2].text, "y");
    EXPECT_EQ(replies[8].kind, Reply::Kind::kString);
    EXPECT_FALSE(reader.has_more());
  }
}

TEST(ReplyReader, TrustsNoLength) {
  for (const std::string_view bytes :
       {"*2147483647\r\n:1\r\n", "*9223372036854775807\r\n", "*-2\r\n", "$9223372036854775807\r\nx",
        "$-2\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n",
        "HTTP/1.1 200 OK\r\n", "*4294967297\r\n:1\r\n", "$x\r\n", ":12a\r\n"}) {
    ReplyReader reader;
    Reply reply;
    reader.feed(bytes);
    EXPECT_FALSE(reader.next(reply)) << bytes;
  }
  ReplyReader reader;
  Reply reply;
  reader.feed("HTTP/1.1 200 OK\r\n");
  EXPECT_FALSE(reader.next(reply));
  EXPECT_NE(reader.problem(), "");
  EXPECT_FALSE(reader.feed("+OK\r\n"));  // nothing is read after bytes that are not a reply
}

// hiredis knows these types from 1.0 on.
TEST(ReplyReader, BearsTypesThatItDidNotAskFor) {
  for (const std::string_view bytes :
       {",1.5\r\n", "#t\r\n", "_\r\n", "*2\r\n,inf\r\n#f\r\n", "%1\r\n+a\r\n,2\r\n",
        "~2\r\n#t\r\n:1\r\n", ">1\r\n,1\r\n", "(12345678901234567890\r\n", "=5\r\ntxt:x\r\n"}) {
    ReplyReader reader;
    Reply reply;
    reader.feed(bytes);
    const bool whole = reader.next(reply);
    EXPECT_EQ(whole, reader.problem().empty()) << bytes;
  }
}

Reply read(std::string_view bytes) {
  ReplyReader reader;
  Reply out;
  reader.feed(bytes);
  EXPECT_TRUE(reader.next(out)) << bytes;
  return out;
}

TEST(SlotMap, ReadsWhatAClusterSays) {
  const Address asked{"10.1.1.1", 7000};
  const auto ranges = read_slots(read("*2\r\n*4\r\n:0\r\n:5460\r\n*4\r\n$9\r\n127.0.0.1\r\n:"
                                      "7001\r\n$2\r\nid\r\n*0\r\n*2\r\n$1\r\nr\r\n:1"
                                      "\r\n*3\r\n:5461\r\n:16383\r\n*2\r\n$-1\r\n:7002\r\n"),
                                 asked);
  ASSERT_TRUE(ranges);
  EXPECT_EQ(*ranges, (std::vector<SlotRange>{{0, 5460, {"127.0.0.1", 7001}},
                                             {5461, 16383, {"10.1.1.1", 7002}}}));
  for (const std::string_view wrong :
       {":1\r\n", "*1\r\n:1\r\n", "*1\r\n*3\r\n:5\r\n:4\r\n*2\r\n$1\r\nh\r\n:1\r\n",
        "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\nh\r\n:1\r\n",
        "*1\r\n*3\r\n:-1\r\n:4\r\n*2\r\n$1\r\nh\r\n:1\r\n",
        "*1\r\n*3\r\n:0\r\n:4\r\n*2\r\n$1\r\nh\r\n:65536\r\n",
        "*1\r\n*3\r\n:0\r\n:4\r\n*1\r\n$1\r\nh\r\n"})
    EXPECT_FALSE(read_slots(read(wrong), asked)) << wrong;
}

TEST(SlotMap, ReadsRedirections) {
  const Address asked{"h", 1};
  EXPECT_EQ(read_redirection("MOVED 3999 127.0.0.1:6381", asked),
            (SlotRange{3999, 3999, {"127.0.0.1", 6381}}));
  EXPECT_EQ(read_redirection("ASK 0 ::1:6381", asked), (SlotRange{0, 0, {"::1", 6381}}));
  EXPECT_EQ(read_redirection("MOVED 1 :6381", asked), (SlotRange{1, 1, {"h", 6381}}));
  for (const std::string_view wrong : {"MOVED", "MOVED 1", "MOVED x a:1", "MOVED 16384 a:1",
                                       "MOVED 1 a:0", "MOVED 1 a:65536", "MOVED 1 a", "MOVED 1 a:"})
    EXPECT_FALSE(read_redirection(wrong, asked)) << wrong;
}

}  // namespace
}  // namespace benzer::redis
