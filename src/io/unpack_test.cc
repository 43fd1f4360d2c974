#include "io/unpack.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "io/io_test_util.h"

namespace benzer {
namespace {

struct Unpacked {
  std::string bytes;
  std::string damage;
};

Unpacked unpack(std::string_view bytes, Compression how, std::size_t step = 1 << 16) {
  const auto stream = stream_unpacked(stream_memory(bytes), how);
  Unpacked out;
  std::string part(step, '\0');
  try {
    while (const std::size_t got = stream->read(part.data(), part.size()))
      out.bytes.append(part, 0, got);
  } catch (const StreamDamage& damage) {
    out.damage = damage.what();
    EXPECT_THROW(stream->read(part.data(), part.size()), StreamDamage) << "damage must stay";
  }
  return out;
}

std::string sample(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += std::to_string(i * i * 7919) + " ";
  text.resize(size);
  return text;
}

class UnpackTest : public ::testing::TestWithParam<Compression> {};
INSTANTIATE_TEST_SUITE_P(Both, UnpackTest,
                         ::testing::Values(Compression::kGzip, Compression::kZstd),
                         [](const auto& test) {
                           return test.param == Compression::kGzip ? "Gzip" : "Zstd";
                         });

TEST_P(UnpackTest, WhatWasPackedComesBack) {
  for (const std::size_t size : {0u, 1u, 1000u, 300'000u, 3'000'000u}) {
    const std::string text = sample(size);
    for (const std::size_t step : {100u, 65536u, 5'000'000u}) {
      const Unpacked out = unpack(testing::packed(text, GetParam()), GetParam(), step);
      EXPECT_EQ(out.damage, "");
      EXPECT_TRUE(out.bytes == text) << size << " " << step;
    }
  }
}

TEST_P(UnpackTest, SeveralBehindOneAnother) {
  const std::string a = sample(1000), b = sample(200'000);
  const std::string bytes = testing::packed(a, GetParam()) + testing::packed("", GetParam()) +
                            testing::packed(b, GetParam());
  const Unpacked out = unpack(bytes, GetParam());
  EXPECT_EQ(out.damage, "");
  EXPECT_TRUE(out.bytes == a + b);
}

TEST_P(UnpackTest, CutOffAtEveryLength) {
  const std::string text = sample(2000);
  const std::string whole = testing::packed(text, GetParam());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Unpacked out = unpack(std::string_view(whole).substr(0, length), GetParam());
    EXPECT_NE(out.damage.find("unexpected end of the file"), std::string::npos)
        << length << " " << out.damage;
    EXPECT_TRUE(text.starts_with(out.bytes)) << length;
  }
}

TEST_P(UnpackTest, DamagedFilesGiveTheSameHoweverTheyAreRead) {
  const std::string text = sample(400'000);
  const std::string whole = testing::packed(text, GetParam());
  for (std::size_t at = 10; at < whole.size(); at += whole.size() / 23) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(~bytes[at]);
    const Unpacked one = unpack(bytes, GetParam(), 4u << 20);
    const Unpacked two = unpack(bytes, GetParam(), 32u << 10);
    const Unpacked three = unpack(bytes, GetParam(), 1);
    EXPECT_TRUE(one.bytes == two.bytes && two.bytes == three.bytes) << at;
    EXPECT_EQ(one.damage, two.damage);
    EXPECT_EQ(one.damage, three.damage);
    EXPECT_NE(one.damage, "") << at;
  }
}

TEST_P(UnpackTest, OtherContentIsNamed) {
  const std::string name = GetParam() == Compression::kGzip ? "gzip" : "zstd";
  EXPECT_EQ(
      unpack("{\"id\":1}", GetParam()).damage,
      "the content is not " + name + " as the name promises, it begins with the bytes 7b 22 69 64");
  EXPECT_EQ(unpack("x", GetParam()).damage,
            "the content is not " + name + " as the name promises, it begins with the bytes 78");
}

TEST_P(UnpackTest, RubbishBehindTheEnd) {
  const std::string text = sample(100);
  const Unpacked out = unpack(testing::packed(text, GetParam()) + "rubbish", GetParam());
  EXPECT_EQ(out.bytes, text);
  EXPECT_NE(out.damage, "");
}

TEST(Unpack, ZerosBehindGzipArePadding) {
  const std::string text = sample(100);
  const Unpacked out = unpack(testing::packed(text, Compression::kGzip) + std::string(1000, '\0'),
                              Compression::kGzip);
  EXPECT_EQ(out.bytes, text);
  EXPECT_EQ(out.damage, "");
}

TEST(Unpack, ZstdWithALargeWindowAndSkippableFrames) {
  const std::string text = sample(100'000);
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 30);
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  // In pieces, so that the frame does not carry its size and keeps its window.
  ZSTD_outBuffer out{bytes.data(), bytes.size(), 0};
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_continue);
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  bytes.resize(out.pos);
  const std::string skippable("\x51\x2a\x4d\x18\x03\0\0\0abc", 11);
  const Unpacked unpacked = unpack(skippable + bytes, Compression::kZstd);
  EXPECT_EQ(unpacked.damage, "");
  EXPECT_TRUE(unpacked.bytes == text);
}

TEST(Unpack, SniffingSeesMagicAndLosesNothing) {
  for (const std::string& text :
       {std::string(), std::string("x"), std::string("(\xb5"), sample(5000)}) {
    for (const Compression how : {Compression::kNone, Compression::kGzip, Compression::kZstd}) {
      const std::string bytes = testing::packed(text, how);
      const auto stream = stream_sniffed(stream_memory(bytes));
      std::string out(text.size() + 10, '\0');
      out.resize(read_fully(*stream, out.data(), out.size()));
      EXPECT_EQ(out, text);
    }
  }
}

RC_GTEST_PROP(Unpack, AnyBytesEndInBytesOrDamage, (const std::string& bytes)) {
  unpack("\x1f\x8b" + bytes, Compression::kGzip);
  unpack("\x28\xb5\x2f\xfd" + bytes, Compression::kZstd);
}

}  // namespace
}  // namespace benzer
