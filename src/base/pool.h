// Keeps objects that are costly to make for reuse: a thread takes one and gives it back. An object
// that an exception loses needs no replacement, since the exception ends the work.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace benzer {

template <class T>
class Pool {
 public:
  // Returns a free object, or if there is none the std::unique_ptr<T> that make() returns.
  template <class Make>
  std::unique_ptr<T> take(Make make) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<T> last = std::move(free_.back());
        free_.pop_back();
        return last;
      }
    }
    return make();
  }
  void give(std::unique_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(object));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace benzer
