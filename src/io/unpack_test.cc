#include "io/unpack.h"

#include <string>

#include <fmt/format.h>
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

class UnpackTest : public testing::TestWithParam<Compression> {};
INSTANTIATE_TEST_SUITE_P(All, UnpackTest,
                         testing::Values(Compression::kGzip, Compression::kZstd, Compression::kXz,
                                         Compression::kBzip2),
                         [](const auto& test) {
                           return std::string(compression_name(test.param));
                         });

TEST_P(UnpackTest, WhatWasPackedComesBack) {
  for (const std::size_t size : {0u, 1u, 1000u, 300'000u, 3'000'000u}) {
    const std::string text = sample(size);
    for (const std::size_t step : {100u, 65536u, 5'000'000u}) {
      const Unpacked out = unpack(packed(text, GetParam()), GetParam(), step);
      EXPECT_EQ(out.damage, "");
      EXPECT_TRUE(out.bytes == text) << size << " " << step;
    }
  }
}

TEST_P(UnpackTest, SeveralBehindOneAnother) {
  const std::string a = sample(1000), b = sample(200'000);
  const std::string bytes = packed(a, GetParam()) + packed("", GetParam()) + packed(b, GetParam());
  const Unpacked out = unpack(bytes, GetParam());
  EXPECT_EQ(out.damage, "");
  EXPECT_TRUE(out.bytes == a + b);
}

TEST_P(UnpackTest, CutOffAtEveryLength) {
  const std::string text = sample(2000);
  const std::string whole = packed(text, GetParam());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Unpacked out = unpack(std::string_view(whole).substr(0, length), GetParam());
    EXPECT_NE(out.damage.find("unexpected end of the file"), std::string::npos)
        << length << " " << out.damage;
    EXPECT_TRUE(text.starts_with(out.bytes)) << length;
  }
}

// When the packed bytes end, a decoder may still hold output for which there was no room.
TEST_P(UnpackTest, CutFilesGiveTheSameHoweverTheyAreRead) {
  const std::string text = sample(2000) + std::string(300'000, 'x') + sample(100);
  const std::string whole = packed(text, GetParam());
  for (std::size_t length = whole.size() / 4; length < whole.size(); length += 1 + length / 40) {
    const std::string_view cut = std::string_view(whole).substr(0, length);
    const Unpacked one = unpack(cut, GetParam(), 4u << 20);
    for (const std::size_t step : {1u << 15, 997u, 100u}) {
      const Unpacked two = unpack(cut, GetParam(), step);
      EXPECT_EQ(one.bytes.size(), two.bytes.size()) << length << " " << step;
      EXPECT_EQ(one.damage, two.damage);
    }
  }
}

TEST_P(UnpackTest, DamagedFilesGiveTheSameHoweverTheyAreRead) {
  const std::string text = sample(400'000);
  const std::string whole = packed(text, GetParam());
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
  const std::string name(compression_name(GetParam()));
  EXPECT_EQ(
      unpack("{\"id\":1}", GetParam()).damage,
      "the content is not " + name + " as the name promises, it begins with the bytes 7b 22 69 64");
  EXPECT_EQ(unpack("x", GetParam()).damage,
            "the content is not " + name + " as the name promises, it begins with the bytes 78");
}

TEST_P(UnpackTest, RubbishBehindTheEnd) {
  const std::string text = sample(100);
  const Unpacked out = unpack(packed(text, GetParam()) + "rubbish", GetParam());
  EXPECT_EQ(out.bytes, text);
  EXPECT_NE(out.damage, "");
}

TEST(Unpack, ZerosBehindTheEndArePadding) {
  const std::string text = sample(100);
  for (const Compression how : {Compression::kGzip, Compression::kXz, Compression::kBzip2}) {
    for (const std::size_t zeros : {4u, 1000u, 400'000u}) {
      const Unpacked out = unpack(packed(text, how) + std::string(zeros, '\0'), how);
      EXPECT_EQ(out.bytes, text) << compression_name(how);
      EXPECT_EQ(out.damage, "") << compression_name(how);
    }
    const Unpacked out = unpack(packed(text, how) + std::string(8, '\0') + "x", how);
    EXPECT_EQ(out.bytes, text);
    EXPECT_NE(out.damage.find(fmt::format("bytes that are not {} follow the compressed data",
                                          compression_name(how))),
              std::string::npos)
        << out.damage;
  }
  const std::string one = packed_as_xz(text);
  EXPECT_EQ(unpack(one + std::string(8, '\0') + one, Compression::kXz).bytes, text + text);
}

TEST(Unpack, XzWithEachCheck) {
  const std::string text = sample(5000);
  for (const lzma_check check :
       {LZMA_CHECK_NONE, LZMA_CHECK_CRC32, LZMA_CHECK_CRC64, LZMA_CHECK_SHA256}) {
    const Unpacked out = unpack(packed_as_xz(text, 6, check), Compression::kXz);
    EXPECT_EQ(out.damage, "");
    EXPECT_TRUE(out.bytes == text);
  }
  // Sets a reserved type of check in the flags of the header and the footer, with their checksums.
  std::string unknown = packed_as_xz(text, 6, LZMA_CHECK_CRC32);
  const auto set_flags = [&](std::size_t flags, std::size_t sum, std::size_t begin,
                             std::size_t size) {
    unknown[flags + 1] = 2;
    const std::uint32_t crc =
        lzma_crc32(reinterpret_cast<const std::uint8_t*>(unknown.data()) + begin, size, 0);
    for (std::size_t i = 0; i < 4; ++i) unknown[sum + i] = static_cast<char>(crc >> 8 * i);
  };
  set_flags(6, 8, 6, 2);
  set_flags(unknown.size() - 4, unknown.size() - 12, unknown.size() - 8, 6);
  const Unpacked out = unpack(unknown, Compression::kXz);
  EXPECT_EQ(out.bytes, "");
  EXPECT_NE(out.damage.find("the type of its checksum is unknown"), std::string::npos)
      << out.damage;
}

TEST(Unpack, XzThatAsksForTooMuchMemory) {
  const std::string text = sample(1000);
  for (const std::uint32_t mebibytes : {64u, 192u, 256u, 1024u}) {
    lzma_options_lzma options;
    ASSERT_FALSE(lzma_lzma_preset(&options, 0));
    options.dict_size = mebibytes << 20;
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
    std::string bytes(lzma_stream_buffer_bound(text.size()), '\0');
    std::size_t size = 0;
    // The encoder writes the given size of the dictionary as it is, however short the text is.
    ASSERT_EQ(lzma_stream_buffer_encode(filters, LZMA_CHECK_CRC32, nullptr,
                                        reinterpret_cast<const std::uint8_t*>(text.data()),
                                        text.size(), reinterpret_cast<std::uint8_t*>(bytes.data()),
                                        &size, bytes.size()),
              LZMA_OK);
    bytes.resize(size);
    const Unpacked out = unpack(bytes, Compression::kXz);
    const bool allowed = mebibytes <= 192;
    EXPECT_EQ(out.bytes, allowed ? text : "") << mebibytes;
    EXPECT_EQ(out.damage.find("at most 268435456 are allowed") == std::string::npos, allowed)
        << out.damage;
  }
}

TEST(Unpack, Bzip2WithSeveralBlocksAndADamagedSum) {
  const std::string text = sample(450'000);  // blocks have 100,000 bytes
  std::string bytes = packed_as_bzip2(text);
  EXPECT_TRUE(unpack(bytes, Compression::kBzip2).bytes == text);
  bytes[bytes.size() - 2] = static_cast<char>(bytes[bytes.size() - 2] ^ 0x10);
  const Unpacked out = unpack(bytes, Compression::kBzip2);
  EXPECT_NE(out.damage.find("damaged data"), std::string::npos) << out.damage;
}

TEST(Unpack, ZstdWithALargeWindowAndSkippableFrames) {
  const std::string text = sample(100'000);
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 30);
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  // Packs in two calls, so that the frame does not state its size and keeps its window.
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
    for (const Compression how : {Compression::kNone, Compression::kGzip, Compression::kZstd,
                                  Compression::kXz, Compression::kBzip2}) {
      const std::string bytes = packed(text, how);
      // The name decides only if the bytes show no compression.
      for (const char* name : {"", "x.gz"}) {
        if (how == Compression::kNone && *name) continue;
        Compression found = Compression::kNone;
        const auto stream = stream_sniffed(stream_memory(bytes), name, &found);
        std::string out(text.size() + 10, '\0');
        out.resize(read_fully(*stream, out.data(), out.size()));
        EXPECT_EQ(out, text);
        EXPECT_EQ(found, how);
      }
    }
  }
}

// pzstd begins each file with a skippable frame.
TEST(Unpack, SniffingSeesSkippableFrames) {
  const std::string text = sample(1000);
  for (const char first : {'\x50', '\x5f'}) {
    const std::string skipped = first + std::string("\x2a\x4d\x18\x04\0\0\0size", 11);
    EXPECT_EQ(compression_by_magic(skipped), Compression::kZstd);
    const std::string bytes = skipped + packed(text, Compression::kZstd);
    const auto stream = stream_sniffed(stream_memory(bytes));
    std::string out(2 * text.size(), '\0');
    out.resize(read_fully(*stream, out.data(), out.size()));
    EXPECT_EQ(out, text);
  }
  for (const char* bytes : {"\x60\x2a\x4d\x18", "\x50\x2a\x4d\x19", "\x50\x2a\x4d", "\x28", ""})
    EXPECT_EQ(compression_by_magic(bytes), Compression::kNone);
}

RC_GTEST_PROP(Unpack, AnyBytesEndInBytesOrDamage, (const std::string& bytes)) {
  unpack("\x1f\x8b" + bytes, Compression::kGzip);
  unpack("\x28\xb5\x2f\xfd" + bytes, Compression::kZstd);
  unpack(std::string("\xfd"
                     "7zXZ\0",
                     6) +
             bytes,
         Compression::kXz);
  unpack("BZh9\x31\x41\x59\x26\x53\x59" + bytes, Compression::kBzip2);
}

}  // namespace
}  // namespace benzer
