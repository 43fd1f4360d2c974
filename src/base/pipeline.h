// Pipelines: items are produced in order, worked on in parallel, and handed over in order.
//
// SourcePipeline takes them from several sources, such as packed files, of which some are read at a
// time; ordered_pipeline() is the one of a single source. Whatever order threads happen to take,
// the same items are handed over, and the same error ends the call: the one of the earliest item,
// after all items before it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/parallel.h"

namespace benzer {

template <class Source, class Item>
class SourcePipeline {
 public:
  struct Steps {
    // Opens the next source, or returns null after the last one. Called in order, one call at a
    // time, and not again after it threw.
    std::function<std::unique_ptr<Source>()> open;
    // Fills the next item of a source and returns true, or returns false at its end. One call at a
    // time for a source, and none after it threw.
    std::function<bool(Source&, Item&)> produce;
    std::function<void(Item&)> work;
    // Called in order, one call at a time.
    std::function<void(Item&)> consume;
    // What an item takes from when it was produced until it is consumed.
    std::function<std::uint64_t(const Item&)> weigh;

    // These are for several sources at a time.
    // Whether producing takes so long that threads should go on to the next source, and not wait.
    std::function<bool(const Source&)> is_slow;
    // Whether the source that open() would return may be opened before its turn.
    std::function<bool()> may_open_early;
    // Gives back what an item does not need while it waits for earlier sources, and returns what it
    // still takes.
    std::function<std::uint64_t(Item&)> set_aside;
  };
  struct Limits {
    int threads = 1;
    // What all items may weigh together, except that one of the earliest source is always let in.
    // So items that wait for a slow one before them do not pile up.
    std::uint64_t weight = 0;
    // How many sources are read at a time.
    int sources = 1;
    // What the items of all but the earliest source may weigh.
    std::uint64_t early_weight = 0;
  };

  SourcePipeline(Steps steps, Limits limits) : steps_(std::move(steps)), limits_(limits) {}

  // To be called once.
  void run() {
    run_workers(limits_.threads, [this](int) {
      std::unique_lock lock(shared_->mutex);
      try {
        take_turns(lock);
      } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        fail(std::current_exception());
      }
    });
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct Inlet;
  struct Slot {
    Item item{};
    Inlet* inlet = nullptr;
    std::uint64_t weight = 0;
    bool is_ready = false;
    std::exception_ptr error;  // thrown when it is the item's turn
  };
  // A source that is being read, or whose items were not all consumed yet.
  struct Inlet {
    std::unique_ptr<Source> source;
    std::deque<std::unique_ptr<Slot>> items;  // in order; all but those being produced
    Slot* produced = nullptr;                 // the last of them, if there was no room to let it in
    std::uint64_t weight = 0;                 // of the items that were let in
    bool is_slow = false, is_busy = false, has_ended = false;

    bool may_produce() const { return !is_busy && !has_ended; }
  };
  // Not part of an object on the stack: the thread sanitizer does not see locks on the stack end.
  // It takes locks of the next call for the same ones, and reports that they are taken in another
  // order.
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
  };
  using Lock = std::unique_lock<std::mutex>;
  // How many sources wait behind a slow one, also those that were read to their end. All are looked
  // at in each step, and what they take is not weighed.
  static constexpr std::size_t kMostInlets = 256;
  struct Task {
    Inlet* inlet = nullptr;  // to work on what it has produced, or to produce; null: to open
    bool is_none = false;
  };

  // Calls a step without the lock, after waking a thread if there is something else to do.
  template <class Step>
  void unlocked(Lock& lock, Step&& step) {
    if (!has_ended_ && !next_task().is_none) shared_->changed.notify_one();
    lock.unlock();
    step();
    lock.lock();
  }
  // The same for a step whose error waits for its turn.
  template <class Step>
  void guarded(Lock& lock, std::exception_ptr& error, Step&& step) {
    unlocked(lock, [&] {
      try {
        step();
      } catch (...) {
        error = std::current_exception();
      }
    });
  }

  void take_turns(Lock& lock) {
    while (!has_ended_) {
      const Task task = next_task();
      if (task.is_none) {
        shared_->changed.wait(lock);
      } else if (task.inlet == nullptr) {
        open(lock);
      } else if (task.inlet->produced) {
        work(lock, *std::exchange(task.inlet->produced, nullptr));
      } else {
        produce(lock, *task.inlet);
      }
    }
  }

  // The earliest source comes first.
  Task next_task() {
    const Turn turn = this->turn();
    std::size_t unended = 0;
    for (const std::unique_ptr<Inlet>& inlet : inlets_) {
      const bool is_early = unended > 0;
      if (inlet->produced ? has_room(turn, is_early, inlet->produced->weight)
                          : inlet->may_produce() && has_room_for_another(turn, is_early))
        return {inlet.get()};
      if (inlet->has_ended) continue;
      if (!inlet->is_slow) return {nullptr, true};
      ++unended;
    }
    const bool may_open =
        !is_opening_ && !all_opened_ && has_room_for_another(turn, unended > 0) &&
        (unended == 0 || (unended < static_cast<std::size_t>(limits_.sources) &&
                          inlets_.size() < kMostInlets && steps_.may_open_early()));
    return {nullptr, !may_open};
  }

  // What it is the turn of: the sources that were read to their end, and the next one. Later ones
  // are early.
  struct Turn {
    std::size_t items = 0;
    std::uint64_t weight = 0;
  };
  Turn turn() const {
    Turn out;
    for (const std::unique_ptr<Inlet>& inlet : inlets_) {
      out.items += inlet->items.size();
      out.weight += inlet->weight;
      if (!inlet->has_ended) break;
    }
    return out;
  }
  bool is_early(const Inlet& inlet) const {
    for (const std::unique_ptr<Inlet>& before : inlets_) {
      if (before.get() == &inlet) return false;
      if (!before->has_ended) return true;
    }
    return false;
  }

  bool has_room_for_another(const Turn& turn, bool is_early) const {
    return is_early ? weight_ - turn.weight < limits_.early_weight
                    : turn.items < 2 * static_cast<std::size_t>(limits_.threads) + 1;
  }

  bool has_room(const Turn& turn, bool is_early, std::uint64_t weight) const {
    if (!is_early && turn.weight == 0) return true;
    if (is_early && weight_ - turn.weight + weight > limits_.early_weight) return false;
    return weight_ + weight <= limits_.weight;
  }

  void open(Lock& lock) {
    is_opening_ = true;
    auto inlet = std::make_unique<Inlet>();
    std::exception_ptr error;
    guarded(lock, error, [&] { inlet->source = steps_.open(); });
    is_opening_ = false;
    all_opened_ = error || !inlet->source;
    if (error) {
      add(*inlet, take_slot(), std::move(error));
      inlets_.push_back(std::move(inlet));
    } else if (inlet->source) {
      inlet->is_slow = limits_.sources > 1 && steps_.is_slow(*inlet->source);
      inlets_.push_back(std::move(inlet));
    }
    hand_over(lock);
  }

  void produce(Lock& lock, Inlet& inlet) {
    inlet.is_busy = true;
    std::unique_ptr<Slot> slot = take_slot();
    bool has_more = false;
    std::exception_ptr error;
    guarded(lock, error, [&] {
      has_more = steps_.produce(*inlet.source, slot->item);
      if (has_more) {
        slot->weight = steps_.weigh(slot->item);
      } else {
        inlet.source.reset();  // closes files before the last items are handed over
      }
    });
    inlet.is_busy = false;
    if (error || has_more) {
      inlet.produced = error ? nullptr : slot.get();
      add(inlet, std::move(slot), std::move(error));
    } else {
      give_back(std::move(slot));
      inlet.has_ended = true;
      // The first one may still be in use by the thread that consumes its last item.
      if (inlet.items.empty() && &inlet != inlets_.front().get()) {
        std::erase_if(inlets_, [&](const auto& other) { return other.get() == &inlet; });
        return hand_over(lock);
      }
    }
    if (!inlet.produced) {
      hand_over(lock);
    } else if (!has_ended_ && has_room(turn(), is_early(inlet), inlet.produced->weight)) {
      work(lock, *std::exchange(inlet.produced, nullptr));
    }
  }

  void add(Inlet& inlet, std::unique_ptr<Slot> slot, std::exception_ptr error) {
    slot->inlet = &inlet;
    // Work on an item before may have failed meanwhile, and ended the source, too.
    if (error) slot->is_ready = inlet.has_ended = true;
    slot->error = std::move(error);
    inlet.items.push_back(std::move(slot));
  }

  void work(Lock& lock, Slot& slot) {
    Inlet& inlet = *slot.inlet;
    add_weight(inlet, slot.weight);
    guarded(lock, slot.error, [&] { steps_.work(slot.item); });
    if (!slot.error && is_early(inlet)) {
      std::uint64_t weight = 0;
      guarded(lock, slot.error, [&] { weight = steps_.set_aside(slot.item); });
      add_weight(inlet, weight - slot.weight);
      slot.weight = weight;
    }
    if (slot.error) {
      inlet.has_ended = true;
      inlet.produced = nullptr;
    }
    slot.is_ready = true;
    hand_over(lock);
  }

  // The difference may be negative, modulo 2^64.
  void add_weight(Inlet& inlet, std::uint64_t more) {
    inlet.weight += more;
    weight_ += more;
  }

  // The thread that finishes the earliest item consumes it, and all finished ones after it.
  void hand_over(Lock& lock) {
    while (!has_ended_ && !is_consuming_ && !inlets_.empty()) {
      Inlet& first = *inlets_.front();
      if (first.items.empty()) {
        if (!first.has_ended) break;
        inlets_.pop_front();
        continue;
      }
      if (!first.items.front()->is_ready) break;
      std::unique_ptr<Slot> slot = std::move(first.items.front());
      first.items.pop_front();
      if (slot->error) return fail(slot->error);
      is_consuming_ = true;
      unlocked(lock, [&] { steps_.consume(slot->item); });
      is_consuming_ = false;
      add_weight(first, std::uint64_t{0} - slot->weight);
      give_back(std::move(slot));
    }
    if (all_opened_ && inlets_.empty() && !is_consuming_) end();
  }

  void fail(std::exception_ptr error) {
    if (!error_) error_ = std::move(error);
    end();
  }
  void end() {
    has_ended_ = true;
    shared_->changed.notify_all();
  }

  // Items are used again and again, so that their buffers are allocated only once.
  std::unique_ptr<Slot> take_slot() {
    if (free_.empty()) return std::make_unique<Slot>();
    std::unique_ptr<Slot> slot = std::move(free_.back());
    free_.pop_back();
    return slot;
  }
  void give_back(std::unique_ptr<Slot> slot) {
    slot->is_ready = false;
    slot->weight = 0;
    if (free_.size() < 2 * static_cast<std::size_t>(limits_.threads) + 1)
      free_.push_back(std::move(slot));
  }

  Steps steps_;
  Limits limits_;
  const std::unique_ptr<Shared> shared_ = std::make_unique<Shared>();
  std::deque<std::unique_ptr<Inlet>> inlets_;  // in order
  std::vector<std::unique_ptr<Slot>> free_;
  std::uint64_t weight_ = 0;  // of all items that were let in and not yet consumed
  bool is_opening_ = false, all_opened_ = false, is_consuming_ = false, has_ended_ = false;
  std::exception_ptr error_;
};

// produce(Item&) fills the next item and returns true, or returns false at the end. It is called in
// order, one call at a time, and not again after it threw.
// work(Item&) runs in parallel. consume(Item&) runs in the order of production, one at a time.
// At most 2 * threads + 1 items exist, and they are used again and again, so that their buffers are
// allocated only once. Item must be default constructible.
// weigh(const Item&) returns what an item takes from when it was produced until it is consumed.
// Together these items take at most `most`, except that one is always let in. So items that wait
// for a slow one before them do not pile up.
template <class Item, class Produce, class Work, class Consume, class Weigh>
void ordered_pipeline(int threads, Produce&& produce, Work&& work, Consume&& consume,
                      std::uint64_t most, Weigh&& weigh) {
  struct Only {};
  bool is_open = false;
  SourcePipeline<Only, Item>(
      {.open = [&] { return std::exchange(is_open, true) ? nullptr : std::make_unique<Only>(); },
       .produce = [&](Only&, Item& item) { return produce(item); },
       .work = [&](Item& item) { work(item); },
       .consume = [&](Item& item) { consume(item); },
       .weigh = [&](const Item& item) { return weigh(item); },
       .is_slow = {},
       .may_open_early = {},
       .set_aside = {}},
      {.threads = threads, .weight = most})
      .run();
}

// The same for items that weigh nothing.
template <class Item, class Produce, class Work, class Consume>
void ordered_pipeline(int threads, Produce&& produce, Work&& work, Consume&& consume) {
  ordered_pipeline<Item>(threads, produce, work, consume, 0,
                         [](const Item&) { return std::uint64_t{0}; });
}

}  // namespace benzer
