#include "base/pipeline.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/test_random.h"

namespace benzer {
namespace {

TEST(OrderedPipeline, ConsumesInTheOrderOfProduction) {
  for (const int threads : {1, 2, 5}) {
    int next = 0;
    std::vector<int> consumed;
    ordered_pipeline<int>(
        threads,
        [&](int& item) {
          item = next++;
          return item < 500;
        },
        [](int& item) {
          volatile int spin = (item * 7919) % 1000;  // uneven work, so that threads overtake
          while (spin > 0) spin = spin - 1;
          item *= 2;
        },
        [&](int& item) { consumed.push_back(item); });
    ASSERT_EQ(consumed.size(), 500u);
    for (int i = 0; i < 500; ++i) EXPECT_EQ(consumed[static_cast<std::size_t>(i)], 2 * i);
  }
}

TEST(OrderedPipeline, EndsAtAnErrorInAnyStage) {
  for (const char* stage : {"produce", "work", "consume"}) {
    for (const int threads : {1, 3}) {
      int produced = 0;
      const auto fail_in = [&](const char* here, int item) {
        if (item == 20 && std::string(stage) == here) throw std::runtime_error(here);
      };
      EXPECT_THROW(ordered_pipeline<int>(
                       threads,
                       [&](int& item) {
                         item = produced++;
                         fail_in("produce", item);
                         return item < 100;
                       },
                       [&](int& item) { fail_in("work", item); },
                       [&](int& item) { fail_in("consume", item); }),
                   std::runtime_error)
          << stage << " with " << threads;
    }
  }
}

TEST(OrderedPipeline, ProducesNothingBehindAnError) {
  for (int again = 0; again < 300; ++again) {
    std::atomic<int> calls{0};
    EXPECT_THROW(ordered_pipeline<int>(
                     4,
                     [&](int&) -> bool {
                       if (++calls == 5) throw std::runtime_error("produce");
                       return true;
                     },
                     [](int&) {}, [](int&) {}),
                 std::runtime_error);
    ASSERT_EQ(calls, 5);
  }
}

// The items that are produced and not yet consumed stay within the limit, or are one item.
TEST(OrderedPipeline, ItemsInFlightKeepWithinTheirLimit) {
  for (const int threads : {1, 2, 8}) {
    std::atomic<int> in_flight = 0;
    int next = 0, consumed = 0, most = 0;
    const auto weight_of = [](int i) { return i % 10 == 0 ? 50 : 3; };
    ordered_pipeline<int>(
        threads,
        [&](int& item) {
          item = next++;
          return item < 500;
        },
        [&](int& item) {
          const int now = in_flight += weight_of(item);
          EXPECT_TRUE(now <= 12 || now == 50) << now;
        },
        [&](int& item) {
          EXPECT_EQ(item, consumed++);
          most = std::max(most, in_flight.load());
          in_flight -= weight_of(item);
        },
        12, [&](int item) { return weight_of(item); });
    EXPECT_EQ(consumed, 500);
    EXPECT_EQ(in_flight, 0);
  }
}

// A thread that waits for room ends when the work of another fails.
TEST(OrderedPipeline, AFailureEndsWhatWaitsForRoom) {
  for (int run = 0; run < 20; ++run) {
    int next = 0;
    EXPECT_THROW(ordered_pipeline<int>(
                     4, [&](int& item) { return (item = next++) < 1000; },
                     [&](int& item) {
                       if (item == 0) {
                         std::this_thread::sleep_for(std::chrono::milliseconds(2));
                         throw std::runtime_error("no");
                       }
                     },
                     [](int&) {}, 2, [](int) { return 1; }),
                 std::runtime_error);
  }
}

// Of two items that fail, the earlier one ends the call, also if it fails later.
TEST(OrderedPipeline, ThrowsTheErrorOfTheEarliestItem) {
  for (int run = 0; run < 50; ++run) {
    int next = 0, consumed = 0;
    try {
      ordered_pipeline<int>(
          4, [&](int& item) { return (item = next++) < 100; },
          [&](int& item) {
            if (item == 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (item == 3 || item == 4) throw std::runtime_error(std::to_string(item));
          },
          [&](int&) { ++consumed; });
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "3");
    }
    EXPECT_EQ(consumed, 3);
  }
}

// A source of numbered items.
struct NumberSource {
  int source = 0;
  int next = 0;
  int size = 0;
  bool is_slow = true;
};
struct NumberItem {
  int source = 0, place = 0;
};
using Numbered = SourcePipeline<NumberSource, NumberItem>;

// Steps for sources of these sizes, which note what they hand over.
class NumberSources {
 public:
  explicit NumberSources(std::vector<int> sizes) : sizes_(std::move(sizes)) {}

  Numbered::Steps steps() {
    return {.open = [this]() -> std::unique_ptr<NumberSource> {
              if (opened == static_cast<int>(sizes_.size())) return nullptr;
              const int size = sizes_[static_cast<std::size_t>(opened)];
              return std::make_unique<NumberSource>(NumberSource{opened++, 0, size});
            },
            .produce =
                [](NumberSource& from, NumberItem& item) {
                  item = {from.source, from.next};
                  return from.next++ < from.size;
                },
            .work = [](NumberItem&) {},
            .consume = [this](NumberItem& item) { consumed.emplace_back(item.source, item.place); },
            .weigh = [](const NumberItem&) { return 1; },
            .is_slow = [](const NumberSource& from) { return from.is_slow; },
            .may_open_early = [] { return true; },
            .set_aside = [](NumberItem&) { return 1; }};
  }
  std::vector<std::pair<int, int>> all() const {
    std::vector<std::pair<int, int>> out;
    for (std::size_t i = 0; i < sizes_.size(); ++i)
      for (int place = 0; place < sizes_[i]; ++place) out.emplace_back(i, place);
    return out;
  }

  int opened = 0;
  std::vector<std::pair<int, int>> consumed;

 private:
  std::vector<int> sizes_;
};

TEST(SourcePipeline, HandsOverInTheOrderOfTheSources) {
  TestRandom random(1);
  for (int run = 0; run < 300; ++run) {
    std::vector<int> sizes(random.below(12));
    for (int& size : sizes) size = static_cast<int>(random.below(4) * random.below(20));
    NumberSources sources(sizes);
    Numbered::Steps steps = sources.steps();
    steps.is_slow = [slow = random.below(3)](const NumberSource& from) {
      return slow == 0 || (slow == 1 && from.source % 2 == 0);
    };
    steps.work = [](NumberItem& item) {
      volatile int spin = (item.source * 31 + item.place) * 7919 % 5000;
      while (spin > 0) spin = spin - 1;
    };
    const Numbered::Limits limits{.threads = static_cast<int>(1 + random.below(6)),
                                  .weight = random.below(20),
                                  .sources = static_cast<int>(1 + random.below(5)),
                                  .early_weight = random.below(30)};
    Numbered(steps, limits).run();
    EXPECT_EQ(sources.consumed, sources.all());
  }
}

// The first source gives nothing until the second one is read.
TEST(SourcePipeline, ReadsTheNextSourceWhileOneIsSlow) {
  NumberSources sources({2, 2});
  Numbered::Steps steps = sources.steps();
  std::latch second(1);
  steps.produce = [&, produce = steps.produce](NumberSource& from, NumberItem& item) {
    if (from.source == 0) {
      second.wait();
    } else if (from.next == 0) {
      second.count_down();
    }
    return produce(from, item);
  };
  Numbered(steps, {.threads = 2, .weight = 10, .sources = 2, .early_weight = 10}).run();
  EXPECT_EQ(sources.consumed, sources.all());
}

TEST(SourcePipeline, WaitsForSourcesThatAreQuickOrMustNotBeOpenedEarly) {
  for (const bool is_slow : {false, true}) {
    NumberSources sources({200, 0, 300, 100});
    Numbered::Steps steps = sources.steps();
    std::atomic<int> ended = 0;
    steps.open = [&, open = steps.open] {
      EXPECT_EQ(ended, sources.opened);
      return open();
    };
    steps.produce = [&, produce = steps.produce](NumberSource& from, NumberItem& item) {
      if (from.next % 50 == 1) std::this_thread::sleep_for(std::chrono::microseconds(300));
      const bool has_more = produce(from, item);
      ended += !has_more;
      return has_more;
    };
    steps.is_slow = [&](const NumberSource&) { return is_slow; };
    steps.may_open_early = [&] { return !is_slow; };
    Numbered(steps, {.threads = 4, .weight = 1000, .sources = 4, .early_weight = 1000}).run();
    EXPECT_EQ(sources.consumed, sources.all());
  }
}

// The first source goes on when no more of the others may wait for it.
TEST(SourcePipeline, WhatIsEarlyKeepsWithinItsLimit) {
  constexpr int kEarly = 40, kWeight = 3, kItems = kEarly / kWeight;
  NumberSources sources({100, 100, 100, 100});
  Numbered::Steps steps = sources.steps();
  std::atomic<int> aside = 0;
  std::latch full(1);
  steps.produce = [&, produce = steps.produce](NumberSource& from, NumberItem& item) {
    if (from.source == 0 && from.next == 0) {
      full.wait();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      EXPECT_EQ(aside, kItems);
    }
    return produce(from, item);
  };
  steps.set_aside = [&](NumberItem& item) {
    EXPECT_GT(item.source, 0);
    if (++aside == kItems) full.count_down();
    return kWeight;
  };
  steps.weigh = [](const NumberItem&) { return kWeight; };
  Numbered(steps, {.threads = 3, .weight = 1000, .sources = 3, .early_weight = kEarly}).run();
  EXPECT_EQ(sources.consumed, sources.all());
}

// An early source fails at once, and that is thrown in its turn.
// Each step looks at all that wait, and what a source of nothing takes is not weighed.
TEST(SourcePipeline, FewOfManySmallSourcesWait) {
  constexpr int kMost = 256;
  NumberSources sources(std::vector<int>(3 * kMost, 1));
  Numbered::Steps steps = sources.steps();
  std::latch full(1);
  std::atomic<int> opened = 0;
  steps.open = [&, open = steps.open] {
    if (++opened == kMost) full.count_down();
    return open();
  };
  steps.produce = [&, produce = steps.produce](NumberSource& from, NumberItem& item) {
    if (from.source == 0 && from.next == 0) {
      full.wait();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      EXPECT_EQ(opened, kMost);
    }
    return produce(from, item);
  };
  steps.set_aside = [](NumberItem&) { return 0; };
  steps.weigh = [](const NumberItem&) { return 0; };
  Numbered(steps, {.threads = 3, .weight = 1000, .sources = 3, .early_weight = 10}).run();
  EXPECT_EQ(sources.consumed, sources.all());
}

TEST(SourcePipeline, ThrowsTheErrorOfAnEarlySourceInItsTurn) {
  for (const char* stage : {"open", "produce", "work", "set aside"}) {
    NumberSources sources({50, 50});
    Numbered::Steps steps = sources.steps();
    std::latch failing(1);
    const auto fail = [&](const char* here) {
      if (std::string(stage) != here) return;
      failing.count_down();
      throw std::runtime_error(here);
    };
    steps.open = [&, open = steps.open] {
      if (sources.opened == 1) fail("open");
      return open();
    };
    steps.produce = [&, produce = steps.produce](NumberSource& from, NumberItem& item) {
      if (from.source == 0) failing.wait();
      if (from.source == 1 && from.next == 0) fail("produce");
      return produce(from, item);
    };
    steps.work = [&](NumberItem& item) {
      if (item.source == 1 && item.place == 0) fail("work");
    };
    steps.set_aside = [&](NumberItem& item) {
      if (item.place == 0) fail("set aside");
      return 1;
    };
    try {
      Numbered(steps, {.threads = 2, .weight = 1000, .sources = 2, .early_weight = 1000}).run();
      FAIL() << stage;
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), stage);
    }
    std::vector<std::pair<int, int>> first = sources.all();
    first.resize(50);
    EXPECT_EQ(sources.consumed, first) << stage;
  }
}

// The work of a source's first item fails while its second one is being produced.
TEST(SourcePipeline, ReadsNoFurtherInASourceThatFailed) {
  NumberSources sources({1, 100});
  Numbered::Steps steps = sources.steps();
  std::latch second(1), done(1);
  std::atomic<int> produced = 0;
  steps.produce = [&, produce = steps.produce](NumberSource& from, NumberItem& item) {
    if (from.source == 0 && from.next == 0) {
      done.wait();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    } else if (from.source == 1) {
      ++produced;
      if (from.next == 1) second.count_down();
      if (from.next > 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
      if (from.next == 1) done.count_down();
    }
    return produce(from, item);
  };
  steps.work = [&](NumberItem& item) {
    if (item.source == 0) return;
    second.wait();
    if (item.place == 0) throw std::runtime_error("first");
  };
  EXPECT_THROW(
      Numbered(steps, {.threads = 3, .weight = 1000, .sources = 2, .early_weight = 1000}).run(),
      std::runtime_error);
  EXPECT_LT(produced, 100);
}

}  // namespace
}  // namespace benzer
