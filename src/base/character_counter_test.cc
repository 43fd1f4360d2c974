// Compares counts of characters with a count byte by byte.
#include "base/character_counter.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "base/test_random.h"

namespace benzer {
namespace {

TEST(CharacterCounter, CountsWhatBeginsACharacter) {
  TestRandom random(39);
  for (int round = 0; round < 60; ++round) {
    std::string text(random.below(round < 40 ? 40 : 3000), 'a');
    for (char& c : text) c = static_cast<char>(random.below(256));
    const CharacterCounter counter(text);
    for (std::size_t at = 0; at <= text.size(); ++at) {
      const auto slow = std::count_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at),
                                      [](char c) { return (c & 0xC0) != 0x80; });
      ASSERT_EQ(counter.before(at), static_cast<std::uint64_t>(slow)) << at;
    }
  }
}

}  // namespace
}  // namespace benzer
