// Starts real Redis servers on the loopback device for tests; they end with the process that
// started them. BENZER_REDIS_SERVER names another program, such as Valkey's.
#pragma once

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benzer/runtime.h"

#include "io/io_test_util.h"

namespace benzer {

// The rights that a store needs, and nothing more: no scripts, no KEYS, no FLUSHALL, no CONFIG SET.
inline constexpr std::string_view kStoreRights =
    "~benzer:* -@all +ping +get +getrange +getdel +set +del +hset +hdel +hkeys +hlen +hexists "
    "+scan +info +wait +watch +unwatch +multi +exec +asking +cluster|slots +config|get";
inline constexpr std::string_view kStoreUser = "benzer:secret";  // in the addresses of tests

inline std::string redis_server_program() {
  const char* program = std::getenv("BENZER_REDIS_SERVER");
  return program ? program : "/usr/bin/redis-server";
}

// Why tests with Redis cannot run; empty if they can.
inline std::string why_no_redis() {
  for (const Part& part : parts())
    if (part.name == "Redis") return "this build has no Redis";
  for (const std::string& program : {redis_server_program(), std::string("/usr/bin/redis-cli")})
    if (::access(program.c_str(), X_OK) != 0)
      return fmt::format("{} is not there: ./dev setup test installs it", program);
  return {};
}

// Skips its tests where tests with Redis cannot run.
class RedisTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = why_no_redis(); !missing.empty()) GTEST_SKIP() << missing;
  }
};

// Returns a port on which nobody listens. Nobody listens on the one 10,000 above it either, which a
// node of a cluster uses.
inline std::uint16_t free_port() {
  const auto is_free = [](std::uint16_t port) {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int bound = ::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::close(listener);
    return bound == 0;
  };
  // Processes that were started one after the other begin at ports far from one another.
  static std::uint16_t next = static_cast<std::uint16_t>(20'000 + ::getpid() * 5'563LL % 9'000);
  for (;;) {
    next = static_cast<std::uint16_t>(next < 29'000 ? next + 1 : 20'000);
    if (is_free(next) && is_free(static_cast<std::uint16_t>(next + 10'000))) return next;
  }
}

// A child process, which is killed when its object is destroyed.
class ChildProcess {
 public:
  ChildProcess(std::vector<std::string> words, const std::string& output) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int log = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    ::dup2(log, 1);
    ::dup2(log, 2);
    ::close_range(3, ~0U, 0);  // otherwise this process cannot end its connections
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  ~ChildProcess() {
    signal(SIGKILL);
    wait();
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void signal(int number) const {
    if (pid_ > 0) ::kill(pid_, number);
  }
  int wait() {
    int status = 0;
    if (pid_ > 0) ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
};

class RedisServer {
 public:
  // settings: lines of its configuration.
  explicit RedisServer(const std::string& settings = "") : port_(free_port()) {
    const std::string file = folder_ / "redis.conf";
    std::ofstream(file) << "port " << port_ << "\nbind 127.0.0.1\ndir " << folder_.path()
                        << "\nsave \"\"\nappendonly no\nuser default on nopass ~* &* +@all\n"
                        << "user benzer on >secret " << kStoreRights << "\n"
                        << settings << "\n";
    start();
  }

  void start() {
    process_ = std::make_unique<ChildProcess>(
        std::vector<std::string>{redis_server_program(), folder_ / "redis.conf"}, folder_ / "log");
    for (int i = 0; i < 500 && cli("PING") != "PONG"; ++i) ::usleep(10'000);
  }
  void kill() { process_.reset(); }
  void signal(int number) const { process_->signal(number); }

  std::uint16_t port() const noexcept { return port_; }
  std::string address() const { return fmt::format("127.0.0.1:{}", port_); }
  std::string url(const std::string& store) const {
    return fmt::format("redis://{}@{}/{}", kStoreUser, address(), store);
  }
  // Runs a command as the administrator and returns what redis-cli prints.
  std::string cli(const std::string& command) const {
    return output_of(fmt::format("redis-cli -p {} {} 2>&1", port_, command));
  }

  static std::string output_of(const std::string& command) {
    std::string out;
    FILE* pipe = ::popen(command.c_str(), "r");
    char buffer[4096];
    for (std::size_t size; (size = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
      out.append(buffer, size);
    ::pclose(pipe);
    while (!out.empty() && out.back() == '\n') out.pop_back();
    return out;
  }

 private:
  TestFolder folder_{fast_folder()};
  const std::uint16_t port_;
  std::unique_ptr<ChildProcess> process_;
};

// A cluster of three masters, each with `replicas` replicas.
class RedisCluster {
 public:
  // settings(i): lines of the configuration of the i-th server.
  explicit RedisCluster(
      int replicas = 0,
      const std::function<std::string(std::size_t)>& settings = [](std::size_t) { return ""; }) {
    std::string create = "redis-cli --cluster create";
    for (int i = 0; i < 3 * (1 + replicas); ++i) {
      servers_.push_back(std::make_unique<RedisServer>(
          "cluster-enabled yes\ncluster-node-timeout 1000\n" + settings(servers_.size())));
      create += " " + servers_.back()->address();
    }
    created_ = RedisServer::output_of(
        fmt::format("{} --cluster-replicas {} --cluster-yes 2>&1", create, replicas));
    for (const auto& server : servers_)
      for (int i = 0; i < 500; ++i) {
        if (server->cli("CLUSTER INFO").find("cluster_state:ok") != std::string::npos) break;
        ::usleep(20'000);
      }
  }
  RedisServer& server(std::size_t number) { return *servers_[number]; }
  std::size_t size() const noexcept { return servers_.size(); }
  const std::string& created() const noexcept { return created_; }  // printed by redis-cli
  std::string url(const std::string& store) const {
    return fmt::format("redis+cluster://{}@{},{}/{}", kStoreUser, servers_[0]->address(),
                       servers_[1]->address(), store);
  }

 private:
  std::vector<std::unique_ptr<RedisServer>> servers_;
  std::string created_;
};

}  // namespace benzer
