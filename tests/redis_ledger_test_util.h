// Records what was written to a shared store and what of it was acknowledged, and derives what
// readers may see.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "benzer/index.h"

#include "base/splitmix.h"
#include "base/test_random.h"

namespace benzer {

using Words = std::vector<std::uint32_t>;  // sorted, without repetitions

inline double similarity(const Words& a, const Words& b) {
  Words both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return static_cast<double>(both.size()) / static_cast<double>(a.size() + b.size() - both.size());
}

inline std::string text_of(const Words& words) {
  std::string out;
  for (const std::uint32_t word : words) out += fmt::format("w{:x} ", word);
  return out;
}

// All texts of a run: one for each number of a document and each version of it. Three consecutive
// numbers are near-copies of one another, and so are most versions. Every 16th text is so long that
// its record is read in two steps.
class Texts {
 public:
  explicit Texts(std::uint64_t seed) : seed_(seed) {}

  Words words(std::uint64_t number, int version) const {
    TestRandom own(splitmix64(seed_ ^ splitmix64(number * 1000 + static_cast<unsigned>(version))));
    const std::uint64_t family = version % 3 == 2 ? own.next() : splitmix64(seed_ + number / 3);
    TestRandom base(family);
    Words out(family % 16 == 0 ? 700 : 40);
    for (std::uint32_t& word : out) word = static_cast<std::uint32_t>(base.next());
    return changed(out, own.below(out.size() / 8 + 1), own);
  }

  static Words changed(Words words, std::uint64_t count, TestRandom& random) {
    for (; count > 0; --count)
      words[random.below(words.size())] = static_cast<std::uint32_t>(random.next());
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words;
  }

  static std::string id(std::uint64_t number) { return fmt::format("d{}", number); }
  static std::uint64_t number(const std::string& id) {
    return std::strtoull(id.c_str() + 1, nullptr, 10);
  }
  Document document(std::uint64_t number, int version) const {
    return {id(number), {Field::of_text("text", text_of(words(number, version)))}};
  }

 private:
  const std::uint64_t seed_;
};

// Each document has one writer, which begins the next change when the last one was acknowledged, or
// when it has given up on it. Thread-safe.
class Ledger {
 public:
  static constexpr int kGone = -1;  // the version of a document that does not exist
  using Time = std::uint64_t;

  Time now() {
    const std::lock_guard lock(mutex_);
    return ++time_;
  }
  void issue(std::uint64_t number, int version) {
    const std::lock_guard lock(mutex_);
    auto& changes = changes_[number];
    if (changes.empty()) numbers_.push_back(number);
    changes.push_back({version, ++time_, kNever});
  }
  void acknowledge(const std::vector<std::uint64_t>& numbers) {
    const std::lock_guard lock(mutex_);
    ++time_;
    for (const std::uint64_t number : numbers) changes_[number].back().acknowledged = time_;
  }

  // Records what another process has written, in this order. All at once: with a part of the writes
  // recorded, correct answers would look wrong.
  struct Write {
    std::uint64_t number;
    int version;
    bool is_acknowledged;
  };
  void take_over(const std::vector<Write>& writes) {
    const std::lock_guard lock(mutex_);
    for (const Write& write : writes) {
      auto& changes = changes_[write.number];
      if (changes.empty()) numbers_.push_back(write.number);
      ++time_;
      changes.push_back({write.version, time_, write.is_acknowledged ? time_ : kNever});
    }
  }

  // The versions that a query may see if it begins and ends at these times.
  std::vector<int> possible(std::uint64_t number, Time begin, Time end) const {
    const std::lock_guard lock(mutex_);
    std::vector<int> out;
    const auto found = changes_.find(number);
    if (found != changes_.end())
      for (auto change = found->second.rbegin(); change != found->second.rend(); ++change) {
        if (change->issued > end) continue;
        out.push_back(change->version);
        if (change->acknowledged < begin) return out;
      }
    out.push_back(kGone);
    return out;
  }
  std::vector<int> possible_now(std::uint64_t number) {
    const Time time = now();
    return possible(number, time, time);
  }

  std::vector<std::uint64_t> numbers() const {
    const std::lock_guard lock(mutex_);
    return numbers_;
  }
  std::optional<std::uint64_t> some_number(TestRandom& random) const {
    const std::lock_guard lock(mutex_);
    if (numbers_.empty()) return std::nullopt;
    return numbers_[random.below(numbers_.size())];
  }

 private:
  static constexpr Time kNever = std::numeric_limits<Time>::max();
  struct Change {
    int version;
    Time issued, acknowledged;
  };
  mutable std::mutex mutex_;
  Time time_ = 0;
  std::map<std::uint64_t, std::vector<Change>> changes_;
  std::vector<std::uint64_t> numbers_;  // in the order of their first change
};

}  // namespace benzer
