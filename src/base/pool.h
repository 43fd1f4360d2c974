// Objects that are costly to make, used again: a thread takes one and gives it back. One that is
// lost to an exception is not missed: the work ends.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace benzer {

template <class T>
class Pool {
 public:
  // make() -> std::unique_ptr<T>, if none is free.
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
