// Reads any bytes as a log, as a sealed file, and as the content of a segment with right checksums,
// so that the readers have nothing to rely on but their own checks.
//
// Checks that nothing crashes; that what is sound is saved; that what is refused is refused as
// damaged; that everything can be asked of a segment that verifies; that a log is read as far as it
// is whole.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <xxhash.h>

#include "benzer/error.h"

#include "base/fuzz_memory_file.h"
#include "base/fuzz_require.h"
#include "store/disk/salvage.h"
#include "store/disk/segment.h"
#include "store/disk/write_log.h"

namespace {

using namespace benzer;

constexpr HashLayout kLayout{1, 1, 4};

std::string sealed(std::string_view content) {
  std::string out(content);
  out.resize((out.size() + kPageBytes - 1) / kPageBytes * kPageBytes);
  const auto append = [&](std::uint64_t number) {
    out.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  const std::size_t pages = out.size();
  for (std::size_t page = 0; page < pages / kPageBytes; ++page)
    append(XXH3_64bits_withSeed(out.data() + page * kPageBytes, kPageBytes, page));
  const std::uint64_t of_checksums = XXH3_64bits(out.data() + pages, out.size() - pages);
  const std::size_t seal = out.size();
  out += "BENZSEAL";
  append(content.size());
  append(of_checksums);
  append(XXH3_64bits(out.data() + seal, 24));
  return out;
}

void ask_for_everything(const Segment& segment) {
  std::vector<std::uint64_t> features;
  for (DocumentNumber document = 0; document < segment.size(); ++document) {
    const DocumentHashes hashes = segment.get_hashes(document);
    require(segment.id(document) == hashes.id);
    segment.features(document, 0, features);
    require((segment.cut(document, 0) != nullptr) == !hashes.fields.empty());
    const DocumentNumber original = segment.original(document);
    for (const FieldHashes& field : hashes.fields) {
      bool met = false;
      segment.for_each(0, 0, field.keys[0], [&](DocumentNumber other) {
        require(other < segment.size());
        met |= other == original;
      });
      require(met);
    }
    segment.for_each_copy(document, [&](DocumentNumber copy) {
      require(segment.original(copy) == document);
      return true;
    });
  }
  for (const std::uint32_t key : {0u, 1u, 0x80000000u, 0xFFFFFFFFu})
    segment.for_each(0, 0, key, [&](DocumentNumber other) { require(other < segment.size()); });
}

void check_segment(std::string_view file, std::uint64_t fingerprint) {
  const MemoryFile memory(file);
  DocumentNumber least = 0;
  std::uint64_t saved = 0;
  const SalvagedSegment salvaged =
      salvage_segment(memory.path(), kLayout, [&](segment_bytes::ReadRecord& record) {
        require(record.number >= least && !record.document.id.empty());
        least = record.number + 1;
        ++saved;
      });
  require(salvaged.found.size() >= least);
  try {
    const Segment segment(memory.path(), kLayout, fingerprint);
    if (segment.size() > 10'000) return;  // so many would take long, even if they are not there
    segment.verify();
    ask_for_everything(segment);
    require(saved == segment.size());
  } catch (const Error& error) {
    // The bytes may also look like another version.
    require(error.code() == ErrorCode::kCorrupt || error.code() == ErrorCode::kInvalidArgument);
  }
}

void check_log(std::string_view bytes) {
  const MemoryFile memory(bytes);
  std::uint64_t records = 0, last = 0, saved = 0;
  const SalvagedLog salvaged = salvage_log(memory.path(), kLayout, last, [&](LogRecord& record) {
    require(record.number == last);
    ++saved;
  });
  require(salvaged.records == saved && salvaged.skipped <= bytes.size());
  try {
    const LogRead read = read_log(memory.path(), kLayout, 1, 0, [&](LogRecord&) { ++records; });
    require(read.bytes + read.torn == bytes.size() || bytes.size() < 8);
    require(read.next_number == 1 + records);
    require(saved >= records);
  } catch (const Error& error) {
    // The bytes may also look like a later version.
    require(error.code() == ErrorCode::kCorrupt || error.code() == ErrorCode::kInvalidArgument);
  }
}

}  // namespace

// The first byte chooses what the others are read as.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] % 3) {
    case 0:
      check_log(bytes);
      break;
    case 1:
      check_segment(bytes, 0);
      break;
    case 2: {
      std::uint64_t fingerprint = 0;
      constexpr std::size_t kHead = 8 * segment_bytes::kHeadNumbers;
      if (bytes.size() >= kHead)
        std::memcpy(&fingerprint, bytes.data() + bytes.size() - kHead + 8, sizeof fingerprint);
      check_segment(sealed(bytes), fingerprint);
      break;
    }
  }
  return 0;
}
