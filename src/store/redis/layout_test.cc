#include "store/redis/layout.h"

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/test_random.h"
#include "store/store_test_util.h"

namespace benzer::redis {
namespace {

Layout layout_of(std::uint32_t group_bits, const HashLayout& hashes = kOddLayout) {
  return Layout("s", hashes, {"", group_bits, 42});
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const unsigned char byte : bytes) {
    out += "0123456789abcdef"[byte / 16];
    out += "0123456789abcdef"[byte % 16];
  }
  return out;
}

TEST(RedisLayout, RecordsComeBack) {
  TestRandom random(1);
  const Layout layout = layout_of(3);
  for (int i = 0; i < 200; ++i) {
    const DocumentHashes document = some_document("id" + std::to_string(i), kOddLayout, random);
    const Name name = layout.name_of(document.id);
    const std::string bytes = layout.encode(7, document);
    const std::optional<Record> record = layout.decode(bytes, name);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->version, 7U);
    EXPECT_TRUE(record->has_features);
    EXPECT_EQ(record->document, document);
    EXPECT_FALSE(layout.decode(bytes, name ^ 1));
    EXPECT_FALSE(layout.decode(bytes + 'x', name));
    // The beginning of a record tells all but features, or nothing.
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const std::optional<Record> part =
          layout.decode(std::string_view(bytes).substr(0, size), name);
      if (!part) continue;
      EXPECT_FALSE(part->has_features);
      EXPECT_EQ(part->document.id, document.id);
      for (std::size_t f = 0; f < document.fields.size(); ++f)
        EXPECT_EQ(part->document.fields[f].keys, document.fields[f].keys);
    }
    // Not one bit can change unseen.
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ 1 << random.below(8));
      const std::optional<Record> damaged = layout.decode(flipped, name);
      EXPECT_FALSE(damaged && damaged->has_features) << at;
    }
  }
}

TEST(RedisLayout, PostingsComeBack) {
  TestRandom random(2);
  for (std::uint32_t bits = 0; bits <= Layout::kMostGroupBits; ++bits) {
    const Layout layout = layout_of(bits);
    for (int i = 0; i < 100; ++i) {
      const auto key = static_cast<std::uint32_t>(random.next());
      const Entry entry{random.next(), static_cast<Version>(random.next())};
      const std::uint32_t group = layout.group_of(key);
      ASSERT_LT(group, layout.groups());
      const std::string field = layout.field_of(key, entry);
      const auto posting = layout.read_field(field, group);
      ASSERT_TRUE(posting);
      EXPECT_EQ(posting->key, key);
      EXPECT_EQ(posting->entry, entry);
      EXPECT_FALSE(layout.read_field(field + 'x', group));
      EXPECT_FALSE(layout.read_field(field.substr(1), group));
    }
  }
}

TEST(RedisLayout, GroupsHaveAboutSixteenEntries) {
  for (std::uint64_t documents = 16; documents < 100'000'000; documents = documents * 5 / 4) {
    const double of_group = static_cast<double>(documents) /
                            static_cast<double>(1U << Layout::group_bits_for(documents));
    EXPECT_GE(of_group, 12) << documents;
    EXPECT_LE(of_group, 25) << documents;
  }
  EXPECT_EQ(Layout::group_bits_for(0), 0U);
  EXPECT_EQ(Layout::group_bits_for(~std::uint64_t{0}), Layout::kMostGroupBits);
}

// The same bytes as in docs/format.md.
TEST(RedisLayout, IsAsDocumented) {
  const Layout layout = layout_of(12);
  EXPECT_EQ(Layout::meta_key("s"), "benzer:s:store");
  EXPECT_EQ(hex(layout.group_key(5, 0xABC)), hex("benzer:s:b") + "000005000abc");
  EXPECT_EQ(hex(layout.field_of(0xABCDEF12, {0x1122334455667788, 0x99AABBCC})),
            "0def1288776655443322"
            "11ccbbaa99");
  EXPECT_EQ(hex(layout.record_key(0x1122334455667788)), hex("benzer:s:d") + "8877665544332211");
  EXPECT_EQ(layout.directory(), 8U);
  const Layout one = Layout("s", HashLayout{1, 1, 4}, {"", 0, 42});
  const DocumentHashes document{"a", {{0, {1, 2}, {0x01020304}, {0x21, 0x43}}}};
  EXPECT_EQ(hex(one.encode(0x99AABBCC, document)).substr(16),
            "ccbbaa99"
            "0100"
            "61"
            "01"
            "00"
            "02000000"
            "04030201"
            "2143"
            "0100000000000000"
            "0200000000000000");
}

TEST(RedisMeta, ComesBackOrIsRefused) {
  const Meta meta{"text=text:word5 | fss:128", 16, 0x0123456789ABCDEF};
  const std::string text = meta.str();
  EXPECT_EQ(Meta::parse(text, "x"), meta);
  EXPECT_TRUE(
      text.starts_with("benzer redis 1\nschema text=text:word5 | fss:128\ngroups 16\n"
                       "seed 0123456789abcdef\nchecksum "));
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_THROW(Meta::parse(text.substr(0, size), "x"), Error);
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string flipped = text;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    EXPECT_THROW(Meta::parse(flipped, "x"), Error) << at;
  }
  EXPECT_THROW(Meta::parse(Meta{"s", 25, 1}.str(), "x"), Error);
}

}  // namespace
}  // namespace benzer::redis
