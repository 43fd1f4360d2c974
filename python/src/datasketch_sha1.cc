#include "datasketch_sha1.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>

#include <openssl/evp.h>

#include "datasketch_kernels.h"

namespace benzer::python {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kBlockWords = kBlockBytes / sizeof(u32);
// A block ends with the mark after the message (one byte) and its length in bits (eight bytes).
constexpr std::size_t kLongestInBlock = kBlockBytes - 9;

u32 from_big_endian(u32 word) {
  return std::endian::native == std::endian::little ? __builtin_bswap32(word) : word;
}

u32 to_little_endian(u32 word) {
  return std::endian::native == std::endian::little ? word : __builtin_bswap32(word);
}

// Writes one padded message into its lane of the words.
inline void load(std::string_view message, std::size_t lane, std::size_t lanes, u32* words) {
  std::array<unsigned char, kBlockBytes> bytes{};
  std::copy(message.begin(), message.end(), bytes.begin());
  bytes[message.size()] = 0x80;
  const std::size_t bits = message.size() * 8;  // below 2^16
  bytes[kBlockBytes - 2] = static_cast<unsigned char>(bits >> 8);
  bytes[kBlockBytes - 1] = static_cast<unsigned char>(bits);
  for (std::size_t i = 0; i < kBlockWords; ++i) {
    u32 word = 0;
    std::memcpy(&word, bytes.data() + i * sizeof(word), sizeof(word));
    words[i * lanes + lane] = from_big_endian(word);
  }
}

u64 prefix(u32 first, u32 second) {
  // The digest has its words in big-endian; the prefix reads the same bytes as little-endian.
  return __builtin_bswap32(first) | (u64{__builtin_bswap32(second)} << 32);
}

// Digests messages of any length, one at a time.
class LongMessages {
 public:
  LongMessages() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free), type_(EVP_sha1()) {
    if (!context_) throw std::bad_alloc();
  }
  u64 operator()(std::string_view message) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    if (EVP_DigestInit_ex(context_.get(), type_, nullptr) != 1 ||
        EVP_DigestUpdate(context_.get(), message.data(), message.size()) != 1 ||
        EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) != 1) {
      throw std::runtime_error("OpenSSL does not offer SHA-1, which the hashes of datasketch need");
    }
    std::array<u32, 2> words{};
    std::memcpy(words.data(), digest.data(), sizeof(words));
    return to_little_endian(words[0]) | (u64{to_little_endian(words[1])} << 32);
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
  const EVP_MD* type_;
};

}  // namespace

void sha1_prefixes(std::span<const std::string_view> messages, u64* hashes) {
  const DatasketchKernels& kernels = datasketch_kernels();
  std::array<u32, kBlockWords * kMostLanes> words{};
  std::array<u32, kMostLanes> first{};
  std::array<u32, kMostLanes> second{};
  std::array<std::size_t, kMostLanes> numbers{};  // of the messages in the lanes
  std::size_t lanes = 0;
  std::unique_ptr<LongMessages> long_messages;
  const auto flush = [&] {
    // Unused lanes hold what an earlier round left there; their digests are not read.
    kernels.sha1(words.data(), first.data(), second.data());
    for (std::size_t i = 0; i < lanes; ++i) hashes[numbers[i]] = prefix(first[i], second[i]);
    lanes = 0;
  };
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].size() > kLongestInBlock) {
      if (!long_messages) long_messages = std::make_unique<LongMessages>();
      hashes[i] = (*long_messages)(messages[i]);
      continue;
    }
    load(messages[i], lanes, kernels.lanes, words.data());
    numbers[lanes++] = i;
    if (lanes == kernels.lanes) flush();
  }
  if (lanes > 0) flush();
}

}  // namespace benzer::python
