#include <boost/version.hpp>
#include <bzlib.h>
#include <lzma.h>
#include <simdjson.h>
#include <unicode/uversion.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "benzer/runtime.h"
#ifdef BENZER_WITH_REDIS
#include <hiredis/hiredis.h>
#endif
#if defined(BENZER_WITH_REDIS) || defined(BENZER_WITH_IMAGES)
#include <openssl/crypto.h>
#endif

namespace benzer {
namespace {

std::string icu_version() {
  UVersionInfo numbers;
  u_getVersion(numbers);
  char text[U_MAX_VERSION_STRING_LENGTH];
  u_versionToString(numbers, text);
  return text;
}

std::string xxhash_version() {
  const unsigned number = XXH_versionNumber();
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

std::string simdjson_version() {
  return std::to_string(simdjson::SIMDJSON_VERSION_MAJOR) + "." +
         std::to_string(simdjson::SIMDJSON_VERSION_MINOR) + "." +
         std::to_string(simdjson::SIMDJSON_VERSION_REVISION);
}

// The library says "1.0.8, 13-Jul-2019"; the date is left out.
std::string bzip2_version() {
  const std::string text = BZ2_bzlibVersion();
  return text.substr(0, text.find(','));
}

std::string boost_version() {
  return std::to_string(BOOST_VERSION / 100000) + "." + std::to_string(BOOST_VERSION / 100 % 1000) +
         "." + std::to_string(BOOST_VERSION % 100);
}

#ifdef BENZER_WITH_REDIS
std::string hiredis_version() {
  return std::to_string(HIREDIS_MAJOR) + "." + std::to_string(HIREDIS_MINOR) + "." +
         std::to_string(HIREDIS_PATCH);
}
#endif

}  // namespace

std::string_view version() noexcept { return BENZER_VERSION; }

std::vector<Part> parts() {
  std::vector<Part> out = {{"ICU", icu_version()},       {"simdjson", simdjson_version()},
                           {"xxHash", xxhash_version()}, {"zstd", ZSTD_versionString()},
                           {"zlib", zlibVersion()},      {"xz", lzma_version_string()},
                           {"bzip2", bzip2_version()},   {"Boost", boost_version()}};
#ifdef BENZER_WITH_REDIS
  out.push_back({"hiredis", hiredis_version()});
#else
  out.push_back({"Redis", "none"});
#endif
#if defined(BENZER_WITH_REDIS) || defined(BENZER_WITH_IMAGES)
  out.push_back({"OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING)});
#endif
#ifndef BENZER_WITH_STEMMING  // libstemmer does not tell its version
  out.push_back({"stemming", "none"});
#endif
#ifdef BENZER_WITH_IMAGES  // known from the build; only the decoder, another program, loads them
  out.push_back({"libjpeg-turbo", BENZER_JPEG});
  out.push_back({"libpng", BENZER_PNG});
  out.push_back({"libwebp", BENZER_WEBP});
  out.push_back({"giflib", BENZER_GIF});
#else
  out.push_back({"images", "none"});
#endif
  return out;
}

}  // namespace benzer
