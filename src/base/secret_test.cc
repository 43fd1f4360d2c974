// Checks that numbers which were chosen to collide in a table do not.
#include "base/secret.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/features.h"
#include "benzer/similarity.h"

namespace benzer {
namespace {

// Numbers that agree in their lower, middle or upper bits, or are multiples of something.
std::vector<std::vector<std::uint64_t>> chosen_numbers(std::size_t count) {
  std::vector<std::vector<std::uint64_t>> out;
  for (const int shift : {0, 13, 24, 46}) {
    std::vector<std::uint64_t>& numbers = out.emplace_back();
    for (std::uint64_t i = 1; i <= count; ++i) numbers.push_back(i << shift);
  }
  // Multiples of the inverse of a fixed factor, which that factor would bring to one place.
  std::uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - 0x9E3779B97F4A7C15 * inverse;
  std::vector<std::uint64_t>& numbers = out.emplace_back();
  for (std::uint64_t i = 1; i <= count; ++i) numbers.push_back(i * inverse);
  return out;
}

// How many numbers are at the fullest place of a table of at least twice as many places; about 8
// for random numbers.
std::size_t fullest(const std::vector<std::uint64_t>& numbers) {
  std::size_t places = 2;
  while (places < 2 * numbers.size()) places *= 2;
  const SecretPlaces place(places);
  std::vector<std::size_t> counts(places);
  std::size_t most = 0;
  for (const std::uint64_t number : numbers) most = std::max(most, ++counts[place(number)]);
  return most;
}

TEST(Secret, PlacesAreSpreadWhateverTheNumbers) {
  // An unlucky factor brings many numbers of a progression to one place; one factor in a thousand
  // brings more than this.
  for (const auto& numbers : chosen_numbers(1 << 16)) EXPECT_LE(fullest(numbers), 2000U);
}

// Each comparison would take minutes if all features had the same place.
TEST(Secret, SetsOfChosenFeaturesAreComparedAsFastAsOthers) {
  for (auto numbers : chosen_numbers(200'000)) {
    numbers.push_back(0);
    numbers.push_back(numbers.front());
    const FeatureSet set(numbers);
    EXPECT_EQ(set.size(), 200'001U);
    OverlapCounter counter;
    EXPECT_FALSE(counter.contains(1));
    counter.load(set.features());
    EXPECT_TRUE(counter.contains(0));
    EXPECT_EQ(counter.compare(set.features()).intersection, 200'001U);
  }
}

TEST(Secret, KeysStayDifferent) {
  const SecretKeys hidden;
  std::set<std::uint32_t> keys;
  for (std::uint32_t i = 0; i < 100'000; ++i) keys.insert(hidden(i));
  for (std::uint32_t i = 0; i < 100'000; ++i) keys.insert(hidden(~i));
  EXPECT_EQ(keys.size(), 200'000U);
}

TEST(Secret, HashesOfBytesDifferAndAreRepeatable) {
  std::set<std::uint64_t> hashes;
  for (std::size_t size = 0; size < 600; ++size)
    hashes.insert(secret_hash(std::string(size, '\0')));
  for (std::size_t at = 0; at < 600; ++at) {
    std::string bytes(600, '\0');
    bytes[at] = 1;
    hashes.insert(secret_hash(bytes));
    EXPECT_EQ(secret_hash(bytes), secret_hash(std::string(bytes)));
  }
  EXPECT_EQ(hashes.size(), 1200U);
}

}  // namespace
}  // namespace benzer
