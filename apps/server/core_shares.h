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
  using Waiting = std::list<const std::string*>;  // the clients of the steps that wait, in order

  static std::size_t own_cores() noexcept;
  Waiting::iterator next();
  void leave();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t free_;
  std::uint64_t begun_ = 0;  // steps that got cores
  Waiting waiting_;
  // For each client how many steps had begun with its last one; 0: none of its steps has. Kept as
  // long as any step waits: otherwise a client that has come back would go before others each time.
  std::map<std::string, std::uint64_t> last_begun_;
};

}  // namespace benzer::server
