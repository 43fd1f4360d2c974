// Tests stores behind TLS: certificate and host name are checked.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/test_random.h"
#include "store/redis_place.h"
#include "store/redis_test_util.h"
#include "store/store_test_util.h"

namespace benzer {
namespace {

// An authority, and certificates that it has signed, made by the openssl program.
class Authority {
 public:
  Authority() {
    run(fmt::format("req -x509 {} -keyout {} -out {} -subj /CN=authority -days 2", kNewKey,
                    folder_ / "ca.key", file()));
  }
  std::string file() const { return folder_ / "ca.pem"; }
  // Lines of a server's configuration. name: "IP:127.0.0.1", "DNS:localhost".
  std::string settings(std::uint16_t port, const std::string& name, int days = 2) const {
    folder_.write("ext", "subjectAltName=" + name);
    run(fmt::format("req {} -keyout {} -out {} -subj /CN=server", kNewKey, folder_ / "key",
                    folder_ / "csr"));
    run(fmt::format(
        "x509 -req -in {} -CA {} -CAkey {} -CAcreateserial -out {} -days {} -extfile {}",
        folder_ / "csr", file(), folder_ / "ca.key", folder_ / "pem", days, folder_ / "ext"));
    return fmt::format(
        "tls-port {}\ntls-cert-file {}\ntls-key-file {}\ntls-ca-cert-file {}\n"
        "tls-auth-clients no\n",
        port, folder_ / "pem", folder_ / "key", file());
  }

 private:
  static constexpr std::string_view kNewKey = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
  static void run(const std::string& words) {
    EXPECT_EQ(std::system(("openssl " + words + " > /dev/null 2>&1").c_str()), 0) << words;
  }
  TestFolder folder_;
};

class RedisTlsTest : public RedisTest {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    if (IsSkipped()) return;
    if (std::system("openssl version > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "there is no program openssl: ./dev setup test installs it";
  }
  static std::string url(std::uint16_t port, const std::string& host = "127.0.0.1") {
    return fmt::format("rediss://{}@{}:{}/s", kStoreUser, host, port);
  }
  // Returns the problem with a store at this address; empty if it takes documents.
  static std::string problem(const std::string& url, const std::string& ca_file) {
    RedisOptions options;
    options.create_schema = "for a test";
    options.ca_file = ca_file;
    options.timeout_seconds = 0.5;
    options.expected_documents = 100;
    try {
      const auto store = RedisPlace(url, options).open(kOddLayout);
      TestRandom random(1);
      for (int i = 0; i < 100; ++i)
        store->writer()->add_hashes(some_document(std::to_string(i), kOddLayout, random));
      EXPECT_EQ(contents(*store).size(), 100U);
      return {};
    } catch (const Error& error) {
      return error.what();
    }
  }
};

TEST_F(RedisTlsTest, AFileOfAuthoritiesNeedsTls) {
  EXPECT_EQ(problem(fmt::format("redis://{}@127.0.0.1:1/s", kStoreUser), "authorities.pem"),
            "ca_file has no effect without TLS, and the address begins with redis; begin it with "
            "rediss, or leave the file out");
}

TEST_F(RedisTlsTest, CertificateAndNameAreChecked) {
  const Authority known;
  const Authority unknown;
  const std::uint16_t port = free_port();
  {
    const RedisServer server(known.settings(port, "IP:127.0.0.1"));
    EXPECT_EQ(problem(url(port), known.file()), "");
    EXPECT_THAT(problem(url(port), unknown.file()), testing::HasSubstr("certificate"));
    EXPECT_THAT(problem(url(port), ""), testing::HasSubstr("certificate"));
    EXPECT_THAT(problem(url(port, "localhost"), known.file()),
                testing::HasSubstr("not for this host"));
    EXPECT_THAT(problem(url(port), "/no/such/file.pem"),
                testing::HasSubstr("/no/such/file.pem: no certificates"));
    // A client speaks TLS to a plain port, and the other way round.
    EXPECT_NE(problem(url(server.port()), known.file()), "");
    EXPECT_NE(problem(fmt::format("redis://{}@127.0.0.1:{}/s", kStoreUser, port), ""), "");
  }
  {
    const RedisServer server(known.settings(port, "DNS:localhost"));
    EXPECT_EQ(problem(url(port, "localhost"), known.file()), "");
    EXPECT_THAT(problem(url(port), known.file()), testing::HasSubstr("not for this host"));
  }
  const RedisServer server(known.settings(port, "IP:127.0.0.1", 0));
  EXPECT_THAT(problem(url(port), known.file()), testing::HasSubstr("expired"));
}

TEST_F(RedisTlsTest, AClusterSpeaksItToo) {
  const Authority authority;
  const std::string settings = authority.settings(0, "IP:127.0.0.1") + "tls-cluster yes\n";
  std::vector<std::uint16_t> ports;
  const RedisCluster cluster(0, [&](std::size_t) {
    ports.push_back(free_port());
    return settings.substr(settings.find('\n') + 1) + fmt::format("tls-port {}\n", ports.back());
  });
  EXPECT_EQ(problem(fmt::format("rediss+cluster://{}@127.0.0.1:{}/s", kStoreUser, ports[1]),
                    authority.file()),
            "");
}

}  // namespace
}  // namespace benzer
