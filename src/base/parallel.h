// Parallel loops with deterministic results. Two shapes are enough for a batch: a loop over indices
// whose iterations do not meet, and a pipeline that reads in order, works in parallel and hands
// over in order.
//
// Threads are started per call: a call lasts milliseconds to minutes, starting costs microseconds,
// and nothing outlives the call. Exceptions of the work end the call and are thrown again to its
// caller, the first one in order of time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace benzer {

// 0 means one thread per core that this process may use.
int resolve_threads(int requested) noexcept;

// As many of the threads as a memory limit (0: none) has room for: each needs buffers of its own.
int threads_within(int threads, std::uint64_t memory_limit) noexcept;

// Runs body(worker) on `threads` threads, the caller's among them.
void run_workers(int threads, const std::function<void(int worker)>& body);

// Calls body(begin, end) for pieces of at most `grain` indices until [0, count) is covered. Pieces
// are handed out in order, so that early ones finish first.
void parallel_for(int threads, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

// produce(Item&) -> bool fills the next item, false at the end; one call at a time, in order,
// and none behind one that threw.
// work(Item&) runs in parallel. consume(Item&) runs in the order of production, one at a time.
// At most 2 * threads + 1 items exist, and they are used again and again, so that their buffers are
// allocated only once. Item must be default constructible.
// weigh(Item&) says what an item takes after it was produced, until it is consumed: together those
// take at most `most`, and one is always let in. So items that wait for their turn behind a slow
// one do not pile up.
template <class Item, class Produce, class Work, class Consume, class Weigh>
void ordered_pipeline(int threads, Produce&& produce, Work&& work, Consume&& consume,
                      std::uint64_t most, Weigh&& weigh) {
  struct Slot {
    Item item{};
    bool ready = false;
    std::uint64_t weight = 0;
  };
  // Not on the stack: there the thread sanitizer does not see them end, and takes the locks of the
  // next call, which lie in other places, for the same ones taken in another order.
  struct Locks {
    std::mutex mutex, producing;
    std::condition_variable changed;
  };
  const auto locks = std::make_unique<Locks>();
  std::mutex& mutex = locks->mutex;
  std::mutex& producing = locks->producing;
  std::condition_variable& changed = locks->changed;
  std::deque<Slot*> in_order;  // produced and not yet consumed
  std::vector<Slot*> free;
  std::vector<std::unique_ptr<Slot>> slots;
  std::uint64_t in_flight = 0;  // weight of what was let in and is not consumed
  bool ended = false;
  bool consuming = false;
  std::exception_ptr error;

  for (int i = 0; i < 2 * threads + 1; ++i) {
    slots.push_back(std::make_unique<Slot>());
    free.push_back(slots.back().get());
  }
  const auto fail = [&] {
    std::lock_guard lock(mutex);
    if (!error) error = std::current_exception();
    ended = true;
    changed.notify_all();
  };

  run_workers(threads, [&](int) {
    try {
      while (true) {
        Slot* slot = nullptr;
        {
          std::lock_guard turn(producing);  // also keeps in_order in order of production
          {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return ended || !free.empty(); });
            if (ended) break;
            slot = free.back();
            free.pop_back();
          }
          bool more = false;
          try {
            more = produce(slot->item);
          } catch (...) {
            fail();  // before the next one has its turn
            break;
          }
          std::unique_lock lock(mutex);
          if (!more) {
            ended = true;
            free.push_back(slot);
            changed.notify_all();
            break;
          }
          slot->ready = false;
          slot->weight = weigh(slot->item);
          changed.wait(lock,
                       [&] { return ended || in_flight == 0 || in_flight + slot->weight <= most; });
          if (ended) break;  // something failed meanwhile
          in_flight += slot->weight;
          in_order.push_back(slot);
        }
        work(slot->item);

        std::unique_lock lock(mutex);
        slot->ready = true;
        // Whoever finishes the oldest item consumes it and all finished ones behind it.
        while (!consuming && !error && !in_order.empty() && in_order.front()->ready) {
          Slot* next = in_order.front();
          in_order.pop_front();
          consuming = true;
          lock.unlock();
          consume(next->item);
          lock.lock();
          consuming = false;
          in_flight -= next->weight;
          free.push_back(next);
          changed.notify_all();
        }
      }
    } catch (...) {
      fail();
    }
  });
  if (error) std::rethrow_exception(error);
}

// The same for items that weigh nothing.
template <class Item, class Produce, class Work, class Consume>
void ordered_pipeline(int threads, Produce&& produce, Work&& work, Consume&& consume) {
  ordered_pipeline<Item>(threads, produce, work, consume, 0, [](const Item&) { return 0; });
}

}  // namespace benzer
