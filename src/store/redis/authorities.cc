#include "store/redis/authorities.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <openssl/x509.h>

namespace benzer::redis {
namespace {

constexpr const char* kFiles[] = {
    "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Gentoo
    "/etc/pki/tls/certs/ca-bundle.crt",    // Fedora, Red Hat
    "/etc/ssl/ca-bundle.pem",              // SUSE
    "/etc/ssl/cert.pem",                   // Alpine
};

}  // namespace

std::string other_authorities(const std::string& root) {
  for (const char* variable : {X509_get_default_cert_file_env(), X509_get_default_cert_dir_env()})
    if (std::getenv(variable)) return {};
  std::error_code error;  // a place that cannot be read has no authorities
  if (std::filesystem::exists(root + X509_get_default_cert_file(), error)) return {};
  const std::filesystem::directory_iterator folder(root + X509_get_default_cert_dir(), error);
  if (!error && folder != std::filesystem::directory_iterator()) return {};
  for (const char* file : kFiles)
    if (std::filesystem::exists(root + file, error)) return root + file;
  return {};
}

}  // namespace benzer::redis
