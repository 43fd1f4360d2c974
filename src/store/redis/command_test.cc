#include "store/redis/command.h"

#include <gtest/gtest.h>

namespace benzer::redis {
namespace {

TEST(Command, IsAnArrayOfStrings) {
  std::string out;
  append_command({"SET", "k", std::string_view("a\0\r\n", 4)}, out);
  EXPECT_EQ(out, std::string("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\na\0\r\n\r\n", 30));
}

// The first from the cluster specification (its CRC16 of 123456789 is 31C3), the others from a
// server's CLUSTER KEYSLOT.
TEST(Command, KnowsTheSlotOfAKey) {
  EXPECT_EQ(slot_of("123456789"), 0x31C3 % kSlots);
  EXPECT_EQ(slot_of(""), 0);
  EXPECT_EQ(slot_of("foo"), 12182);
  EXPECT_EQ(slot_of("{user1000}.following"), slot_of("user1000"));
  EXPECT_EQ(slot_of("foo{}{bar}"), 8363);
  EXPECT_EQ(slot_of("foo{{bar}}zap"), slot_of("{bar"));
  EXPECT_EQ(slot_of("foo{bar}{zap}"), slot_of("bar"));
}

TEST(Pipeline, KeepsCommandsApart) {
  Pipeline pipeline;
  pipeline.add({"GET", "foo"});
  pipeline.add({"DEL", "bar"});
  ASSERT_EQ(pipeline.size(), 2U);
  EXPECT_EQ(pipeline.bytes(pipeline.commands()[0]), "*2\r\n$3\r\nGET\r\n$3\r\nfoo\r\n");
  EXPECT_EQ(pipeline.bytes(pipeline.commands()[1]), "*2\r\n$3\r\nDEL\r\n$3\r\nbar\r\n");
  EXPECT_EQ(pipeline.commands()[1].slot, 5061);
  pipeline.clear();
  EXPECT_TRUE(pipeline.empty());
}

}  // namespace
}  // namespace benzer::redis
