// Runs parallel loops with deterministic results. Two shapes are enough for a batch: a loop over
// indices whose iterations are independent, and a pipeline that reads in order, works in parallel
// and hands over in order.
//
// Threads are started per call: a call lasts milliseconds to minutes, starting costs microseconds,
// and nothing outlives the call. An exception of the work ends the call and is thrown again to its
// caller; of several, the earliest one.
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

// How many of the threads a memory limit (0: none) allows: at least one, and one for each 8 MiB,
// since each needs buffers of its own.
int threads_within(int threads, std::uint64_t memory_limit) noexcept;

// Runs body(worker) on `threads` threads, the caller's among them.
void run_workers(int threads, const std::function<void(int worker)>& body);

// Calls body(begin, end) for pieces of at most `grain` indices until [0, count) is covered. Pieces
// begin in order, so that early ones tend to finish first.
void parallel_for(int threads, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

// produce(Item&) fills the next item and returns true, or returns false at the end. It is called in
// order, one call at a time, and not again after it threw.
// work(Item&) runs in parallel. consume(Item&) runs in the order of production, one at a time.
// At most 2 * threads + 1 items exist, and they are used again and again, so that their buffers are
// allocated only once. Item must be default constructible.
// weigh(Item&) returns what an item takes from when it was produced until it is consumed. Together
// these items take at most `most`, except that one is always let in. So items that wait for a slow
// one before them do not pile up.
template <class Item, class Produce, class Work, class Consume, class Weigh>
void ordered_pipeline(int threads, Produce&& produce, Work&& work, Consume&& consume,
                      std::uint64_t most, Weigh&& weigh) {
  struct Slot {
    Item item{};
    bool ready = false;
    std::uint64_t weight = 0;
  };
  // Not on the stack: the thread sanitizer does not see locks on the stack end. It takes locks of
  // the next call for the same ones, and reports that they are taken in another order.
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
  std::uint64_t in_flight = 0;  // weight of the items that were let in and not yet consumed
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
            fail();  // before another thread may produce
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
        // The thread that finishes the oldest item consumes it and all finished ones after it.
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
