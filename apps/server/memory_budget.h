// Shares among clients what the server holds for them: connections, and the bytes of requests and
// answers. So neither all clients together nor one of them can take all of its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace benzer::server {

// Thread-safe.
class MemoryBudget {
 public:
  // most: bytes of all clients together. One client may have half of them.
  explicit MemoryBudget(std::uint64_t most) : most_(most) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // A connection of a client, and what is held for it. Threads: one.
  class Share {
   public:
    Share(MemoryBudget& budget, const std::string& client);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // Returns whether there was room for these bytes; then they are held.
    bool hold(std::uint64_t bytes);
    // Goes on to hold at most this many bytes.
    void shrink(std::uint64_t bytes);
    void release() { shrink(0); }
    std::uint64_t held() const noexcept { return held_; }
    // Returns how many connections the client had when this one began, this one included.
    std::size_t connections() const noexcept { return connections_; }

   private:
    MemoryBudget& budget_;
    std::string client_;
    std::size_t connections_;
    std::uint64_t held_ = 0;
  };

  std::uint64_t held() const;

 private:
  struct Client {
    std::size_t connections = 0;
    std::uint64_t bytes = 0;
  };

  const std::uint64_t most_;
  mutable std::mutex mutex_;
  std::uint64_t held_ = 0;
  std::map<std::string, Client> clients_;  // those that have a connection
};

}  // namespace benzer::server
