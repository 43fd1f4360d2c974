#include "store/redis/authorities.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <openssl/x509.h>
#include <unistd.h>

namespace benzer::redis {
namespace {

namespace fs = std::filesystem;

class Authorities : public testing::Test {
 protected:
  Authorities() : root_(testing::TempDir() + "benzer-authorities-" + std::to_string(::getpid())) {
    ::unsetenv(X509_get_default_cert_file_env());
    ::unsetenv(X509_get_default_cert_dir_env());
  }
  ~Authorities() override { fs::remove_all(root_); }

  void write(const std::string& file) const {
    fs::create_directories(fs::path(root_ + file).parent_path());
    std::ofstream(root_ + file) << "certificates";
  }

  std::string root_;
};

TEST_F(Authorities, AreFoundWhereOtherDistributionsHaveThem) {
  EXPECT_EQ(other_authorities(root_), "");
  write("/etc/ssl/cert.pem");
  EXPECT_EQ(other_authorities(root_), root_ + "/etc/ssl/cert.pem");
  write("/etc/pki/tls/certs/ca-bundle.crt");
  EXPECT_EQ(other_authorities(root_), root_ + "/etc/pki/tls/certs/ca-bundle.crt");
}

TEST_F(Authorities, AreThoseOfOpenSslIfItHasAny) {
  write("/etc/pki/tls/certs/ca-bundle.crt");
  fs::create_directories(root_ + X509_get_default_cert_dir());
  EXPECT_NE(other_authorities(root_), "") << "an empty folder has none";
  write(std::string(X509_get_default_cert_dir()) + "/1234abcd.0");
  EXPECT_EQ(other_authorities(root_), "");
  fs::remove_all(root_ + X509_get_default_cert_dir());
  write(X509_get_default_cert_file());
  EXPECT_EQ(other_authorities(root_), "");
}

TEST_F(Authorities, AreThoseThatTheEnvironmentNames) {
  write("/etc/pki/tls/certs/ca-bundle.crt");
  ::setenv(X509_get_default_cert_file_env(), "/mine.pem", 1);
  EXPECT_EQ(other_authorities(root_), "");
  ::unsetenv(X509_get_default_cert_file_env());
}

}  // namespace
}  // namespace benzer::redis
