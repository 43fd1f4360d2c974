// Shares the cores of the machine among loads of many documents, which are hashed by threads of
// their own, beside the workers. So many loads at a time have no more threads than one.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>

namespace benzer::server {

// A load that is alone gets all cores for its next step. Several get equal shares of those that are
// free, or wait; the client whose last step began longest ago is the next. Thread-safe.
class CoreShares {
 public:
  // cores: at least 1; by default those that this process may use.
  explicit CoreShares(std::size_t cores = own_cores()) : free_(cores) {}
  CoreShares(const CoreShares&) = delete;
  CoreShares& operator=(const CoreShares&) = delete;

  // Cores that a step of a client's load has as long as this lives.
  class Share {
   public:
    // Waits for a core. most: cores that the step can use, at least 1. Throws Error(kInterrupted)
    // if the flag, which may be null, turns true.
    Share(CoreShares& of, const std::string& client, std::size_t most,
          const std::atomic<bool>* stop);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    std::size_t cores() const noexcept { return cores_; }

   private:
    CoreShares& of_;
    std::string client_;
    std::size_t cores_ = 0;
  };

  // Steps that wait.
  std::size_t waiting() const;

 private:
  struct Client {
    std::size_t steps = 0;    // that wait or have cores
    std::uint64_t begun = 0;  // larger for those whose last step got cores later; 0: none did
  };
  using Waiting = std::list<const std::string*>;  // the clients of the steps that wait, in order

  static std::size_t own_cores() noexcept;
  Waiting::iterator next();
  void leave(const std::string& client);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t free_;
  std::uint64_t begun_ = 0;
  Waiting waiting_;
  // Those with steps and, as long as some wait, those that had any: otherwise a client that has
  // come back would go before others each time.
  std::map<std::string, Client> clients_;
};

}  // namespace benzer::server
