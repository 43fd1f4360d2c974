#include "image/file_hash.h"

#include <cstring>

#include <openssl/evp.h>

#include "benzer/error.h"

namespace benzer {

FileHash hash_of_file(std::string_view bytes) {
  unsigned char digest[32];
  FileHash out;
  static_assert(sizeof digest == sizeof out.words);
  if (EVP_Digest(bytes.data(), bytes.size(), digest, nullptr, EVP_sha256(), nullptr) != 1)
    throw Error(ErrorCode::kUnavailable,
                "OpenSSL does not offer SHA-256, by which files of images are compared");
  std::memcpy(out.words.data(), digest, sizeof digest);
  for (std::uint64_t& word : out.words) word &= (std::uint64_t{1} << kBitsOfFileWord) - 1;
  return out;
}

}  // namespace benzer
