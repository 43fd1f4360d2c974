#include "store/disk/salvage.h"

#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/test_random.h"
#include "io/io_test_util.h"
#include "store/disk/segment_writer.h"
#include "store/store_test_util.h"

namespace benzer {
namespace {

// One field, whose keys and cut signature take 5 * 24 + 8 bytes.
constexpr HashLayout kSalvageLayout{1, 16, 128};

// From every 24th byte on, these bytes look like the head of a record that is that long.
std::string false_heads(std::size_t bytes, DocumentNumber number, std::uint32_t features) {
  std::string period(24, '\0');
  period[0] = 1;  // the fields that the record has
  std::memcpy(period.data() + 16, &features, sizeof features);
  std::memcpy(period.data() + 20, &number, sizeof number);
  std::string out;
  while (out.size() + period.size() <= bytes) out += period;
  return out;
}

DocumentHashes one_field(std::string id, TestRandom& random) {
  return {std::move(id), {some_field(0, kSalvageLayout, random)}};
}

// Ids contain bytes that look like heads of long records; it would take hours to try all of them.
TEST(SalvageSegment, IsNotSlowedDownByHeadsThatAreNone) {
  constexpr DocumentNumber kFalse = 1000;
  constexpr std::uint32_t kFeatures = 4 << 17;  // 4 MiB
  TestRandom random(1);
  const TestFolder folder(fast_folder());
  const std::string path = folder / "segment";
  SegmentWriter writer(path, kSalvageLayout, 1, 2);
  writer.add(one_field("first", random));
  for (int i = 0; i < 150; ++i)
    writer.add(one_field(false_heads(kLongestId, kFalse, kFeatures), random));
  writer.add(one_field("last", random));
  writer.seal({});
  std::vector<std::size_t> begins{64};
  salvage_segment(path, kSalvageLayout, [&](segment_bytes::ReadRecord& record) {
    begins.push_back(begins.back() + record.bytes);
  });
  ASSERT_EQ(begins.size(), 153U);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    for (std::size_t i = 1; i <= 150; ++i) {
      file.seekg(static_cast<std::streamoff>(begins[i] + 30));
      const auto byte = static_cast<char>(file.get());
      file.seekp(static_cast<std::streamoff>(begins[i] + 30));
      file.put(static_cast<char>(byte ^ 1));
    }
  }
  std::vector<std::string> found;
  const SalvagedSegment salvaged = salvage_segment(
      path, kSalvageLayout,
      [&](segment_bytes::ReadRecord& record) { found.push_back(record.document.id); });
  EXPECT_EQ(found, (std::vector<std::string>{"first", "last"}));
  EXPECT_EQ(salvaged.found.size(), 152U);
}

// In a file that was made, each record may be followed by such a head.
TEST(SalvageSegment, IsNotSlowedDownByHeadsAfterWholeRecords) {
  constexpr DocumentNumber kRecords = 30'000;
  TestRandom random(1);
  const TestFolder folder(fast_folder());
  std::string bytes(64, '\0');
  std::string record;
  for (DocumentNumber i = 0; i < kRecords; ++i) {
    segment_bytes::write_record(bytes.size(), i, one_field("d", random), kSalvageLayout, record);
    bytes += record;
    // The head begins 12 bytes before the fields that it has.
    bytes += std::string(8, '\0');
    const DocumentNumber next = i + 1;
    bytes.append(reinterpret_cast<const char*>(&next), sizeof next);
    bytes += false_heads(200, next, 4 << 17);
  }
  const std::string path = folder.write("segment", bytes);
  std::size_t found = 0;
  salvage_segment(path, kSalvageLayout, [&](segment_bytes::ReadRecord&) { ++found; });
  EXPECT_EQ(found, kRecords);
}

}  // namespace
}  // namespace benzer
