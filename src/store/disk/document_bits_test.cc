#include "store/disk/document_bits.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/test_random.h"

namespace benzer {
namespace {

// Sizes around the ends of words and blocks, and places at the first and last bit of them.
TEST(DocumentBits, FindsEachBitThatIsSet) {
  TestRandom random(29);
  for (const std::size_t size : {0, 1, 63, 64, 65, 32'767, 32'768, 32'769, 200'000}) {
    for (const std::uint64_t share : {0, 1, 500, 1000}) {
      SCOPED_TRACE(testing::Message() << share << " in 1,000 of " << size);
      MutableDocumentBits bits(size);
      std::vector<bool> wanted(size);
      std::vector<std::uint32_t> places;
      for (std::size_t place = 0; place < size; ++place) {
        const bool is_edge = place % 64 == 0 || place % 64 == 63 || place + 1 == size;
        const bool is_set =
            random.below(1000) < share || (is_edge && share > 0 && place % 4096 < 128);
        if (!is_set) continue;
        bits.prepare(place);
        bits.set(place);
        wanted[place] = true;
        places.push_back(static_cast<std::uint32_t>(place));
      }
      EXPECT_EQ(bits.places(), places);
      EXPECT_EQ(bits.all(), wanted);
      EXPECT_EQ(bits.count(), places.size());
    }
  }
}

TEST(DocumentBits, KeepTheMomentInWhichTheyWereShared) {
  MutableDocumentBits bits(100'000);
  bits.prepare(7);
  bits.set(7);
  const DocumentBits shared = bits.share();
  for (const std::size_t place : {8, 99'999}) {
    bits.prepare(place);
    bits.set(place);
  }
  EXPECT_EQ(shared.places(), std::vector<std::uint32_t>({7}));
  EXPECT_EQ(bits.places(), std::vector<std::uint32_t>({7, 8, 99'999}));
}

}  // namespace
}  // namespace benzer
