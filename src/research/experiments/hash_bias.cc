// Measures the bias of simple hash functions on consecutive numbers, such as ids that were assigned
// one by one.
//
// The minimum of a linear function over an interval is not a uniform draw: how often an element is
// the minimum depends on its place. More functions average out chance, but not the bias.
#include "research/experiments/hash_bias.h"

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "benzer/research/classics/course.h"

#include "base/splitmix.h"
#include "research/experiments/affine.h"
#include "research/experiments/chart.h"
#include "research/experiments/draws.h"
#include "research/experiments/errors.h"
#include "research/experiments/runs.h"
#include "research/experiments/sketch_findings.h"
#include "research/experiments/work.h"

namespace benzer::experiments {
namespace {

constexpr std::uint32_t kIds = 10'000;  // number of ids; the sets have some of the first
constexpr std::array<std::size_t, 7> kCounts = {16, 32, 64, 128, 256, 512, 1024};

// The share of functions under which both sets have the same minimum, for each number of functions
// in kCounts. make() draws a function; keys[i] is its argument for id i.
template <class Key, class Make>
std::array<double, kCounts.size()> shares(const Layout& layout, const std::vector<Key>& keys,
                                          Make&& make) {
  std::array<double, kCounts.size()> out{};
  std::size_t equal = 0, next = 0;
  for (std::size_t done = 1; done <= kCounts.back(); ++done) {
    const auto hash = make();
    using Value = decltype(hash(keys[0]));
    const auto least = [&](std::span<const Layout::Range> ranges) {
      Value minimum = std::numeric_limits<Value>::max();
      for (const auto& [from, to] : ranges)
        for (std::size_t i = from; i < to; ++i) minimum = std::min(minimum, hash(keys[i]));
      return minimum;
    };
    const Value both = least(layout.both);
    equal += std::min(both, least(layout.only_a)) == std::min(both, least(layout.only_b)) ? 1 : 0;
    if (done == kCounts[next]) out[next++] = static_cast<double>(equal) / static_cast<double>(done);
  }
  return out;
}

std::array<double, kCounts.size()> shares(const Layout& layout, HashFamily family, bool mixed,
                                          Draws& draws) {
  const std::size_t ids = layout.ids();
  const std::uint64_t salt = draws.next();
  // If mixed, every id is first replaced by a random number, the same for all functions.
  std::vector<std::uint64_t> keys(ids);
  for (std::size_t i = 0; i < ids; ++i) keys[i] = mixed ? splitmix64(salt + i) : i;
  std::vector<std::uint32_t> words(ids);
  for (std::size_t i = 0; i < ids; ++i)
    words[i] = static_cast<std::uint32_t>(keys[i] >> (mixed ? 32 : 0));
  switch (family) {
    case HashFamily::kLargePrime:
      if (mixed)
        for (auto& key : keys) key >>= 3;
      return shares(layout, keys, [&] { return Affine61(draws); });
    case HashFamily::kSmallPrime: {
      const std::uint64_t p = classics::course::prime_at_least(kIds);
      // Mixing all bits would make different ids equal in so small a range; a shuffle does not.
      if (mixed) {
        const auto order = draws.permutation(static_cast<std::uint32_t>(p));
        for (std::size_t i = 0; i < ids; ++i) words[i] = order[i];
      }
      return shares(layout, words, [&] {
        const auto a = static_cast<std::uint32_t>(1 + draws.below(p - 1));
        const auto b = static_cast<std::uint32_t>(draws.below(p));
        return [=](std::uint32_t x) { return (std::uint64_t{a} * x + b) % p; };
      });
    }
    case HashFamily::kMultiplyShift: {
      return shares(layout, words, [&] {
        const auto a = static_cast<std::uint32_t>(draws.next()) | 1;
        const auto b = static_cast<std::uint32_t>(draws.next());
        return [=](std::uint32_t x) { return a * x + b; };
      });
    }
    case HashFamily::kBlogShift: {
      const auto bits = static_cast<int>(std::bit_width(kIds));  // as in the blog
      return shares(layout, words, [&] {
        const auto a = static_cast<std::uint32_t>(1 + draws.below(0x7FFFFFFE));
        const auto b = static_cast<std::uint32_t>(1 + draws.below((std::uint64_t{1} << bits) - 1));
        return [=](std::uint32_t x) { return (a * x + b) >> (32 - bits); };
      });
    }
    case HashFamily::kJava:
      break;
  }
  return shares(layout, words, [&] {
    const auto a = static_cast<std::uint32_t>(draws.next());
    const auto b = static_cast<std::uint32_t>(draws.next());
    return [=](std::uint32_t x) { return static_cast<std::int32_t>(a * x + b); };
  });
}

struct Family {
  HashFamily family;
  const char* name;
};
constexpr Family kFamilies[] = {
    {HashFamily::kLargePrime, "(ax + b) mod 2^61-1"},
    {HashFamily::kSmallPrime, "(ax + b) mod 10007"},
    {HashFamily::kMultiplyShift, "ax + b mod 2^32, a odd"},
    {HashFamily::kBlogShift, "(ax + b) >> (32 - u), as the C# blog"},
    {HashFamily::kJava, "ax + b wraps at 32 bits, signed, as the Scala blog"},
};

struct NamedLayout {
  const char* name;
  Layout layout;
};
std::vector<NamedLayout> layouts() {
  return {
      {"overlapping, J = 1/3", {{{0, 500}}, {{1000, 1500}}, {{500, 1000}}}},
      {"overlapping, J = 1/2", {{{0, 333}}, {{999, 1332}}, {{333, 999}}}},
      {"shared at both ends, J = 1/3", {{{250, 750}}, {{750, 1250}}, {{0, 250}, {1250, 1500}}}},
      {"B the first half of A, J = 1/2", {{{500, 1000}}, {}, {{0, 500}}}},
  };
}

}  // namespace

std::size_t Layout::ids() const {
  std::size_t most = 0;
  for (const auto* part : {&only_a, &only_b, &both})
    for (const auto& [from, to] : *part) most = std::max(most, to);
  return most;
}

double Layout::jaccard() const {
  const auto size = [](const std::vector<Range>& part) {
    std::size_t out = 0;
    for (const auto& [from, to] : part) out += to - from;
    return static_cast<double>(out);
  };
  return size(both) / (size(both) + size(only_a) + size(only_b));
}

std::vector<ErrorSum> hash_errors(const ExperimentOptions& options, const Layout& layout,
                                  HashFamily family, bool mixed, std::size_t trials) {
  std::vector<std::array<double, kCounts.size()>> found(trials);
  for_trials(options, trials, [&](std::size_t trial) {
    Draws draws(options.seed, static_cast<std::uint64_t>(family) * 2 + (mixed ? 1 : 0), trial);
    found[trial] = shares(layout, family, mixed, draws);
  });
  std::vector<ErrorSum> out(kCounts.size());
  for (const auto& trial : found)
    for (std::size_t i = 0; i < kCounts.size(); ++i) out[i].add(trial[i], layout.jaccard());
  return out;
}

ExperimentResult hash_bias(const ExperimentOptions& options) {
  const std::size_t trials = options.full ? 1000 : 100;
  ExperimentResult out;
  out.title = "The bias of simple hash functions on numbers in a row";
  out.parameters = fmt::format(
      "sets are intervals of the ids 0, 1, 2, ... 9,999; {} trials, each with its own functions; "
      "with a "
      "mix, each id is first made a random number (splitmix64 with a salt of the trial; for the "
      "small prime a shuffle)",
      trials);
  ExperimentTable table{
      "hash-bias",
      "Bias (with its standard error) and RMS error at 128 and 1,024 functions; sqrt(J(1-J)/k) is "
      "what random functions would give",
      {"sets", "functions", "ids", "bias", "standard error", "RMS, k = 128", "random",
       "RMS, k = 1,024", "random"},
      {}};
  std::vector<plot::Line> lines;
  std::vector<BiasCell> cells;
  for (const NamedLayout& named : layouts()) {
    const double j = named.layout.jaccard();
    const bool drawn = named.name == std::string_view("overlapping, J = 1/3");
    const auto expected = [&](double k) { return std::sqrt(j * (1 - j) / k); };
    std::size_t place = 0;
    for (const Family& family : kFamilies) {
      for (const bool mixed : {false, true}) {
        const std::vector<ErrorSum> errors =
            hash_errors(options, named.layout, family.family, mixed, trials);
        const ErrorSum& few = errors[3];
        const ErrorSum& many = errors.back();
        table.rows.push_back({named.name,
                              family.name,
                              mixed ? "mixed" : "as they are",
                              {many.bias(), 4},
                              {many.standard_error(), 4},
                              {few.rms(), 4},
                              {expected(128), 4},
                              {many.rms(), 4},
                              {expected(1024), 4}});
        cells.push_back({family.name, named.name, mixed, family.family == HashFamily::kBlogShift,
                         expected(1024), many.measured()});
        if (!drawn || mixed) continue;
        plot::Line line;
        line.name = family.name;
        line.colour = colour(place++);
        for (std::size_t i = 0; i < kCounts.size(); ++i)
          line.points.emplace_back(kCounts[i], errors[i].rms());
        lines.push_back(line);
      }
    }
    if (!drawn) continue;
    plot::Line random;
    random.name = "random functions";
    random.colour = plot::Colour::kQuiet;
    random.dashed = true;
    for (const std::size_t count : kCounts)
      random.points.emplace_back(count, expected(static_cast<double>(count)));
    lines.push_back(random);
  }
  out.tables = {table};
  out.charts = {line_chart(
      "hash-bias",
      "RMS error against the number of functions, overlapping intervals of 1,000 ids, J = 1/3, ids "
      "as they are.",
      {"functions k", 16, 1024, true}, {"RMS error", 0.01, 0.5, true}, lines)};
  add_judged(out, judge_hash_bias(cells));
  return out;
}

}  // namespace benzer::experiments
