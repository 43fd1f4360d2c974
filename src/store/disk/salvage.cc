#include "store/disk/salvage.h"

#include <array>
#include <cstring>
#include <utility>

#include <xxhash.h>

#include "store/disk/record_tries.h"
#include "store/disk/sealed_file.h"

namespace benzer {
namespace {

using segment_bytes::kAlignment;
using segment_bytes::ReadRecord;

// Returns 0 if the bytes end before the number does.
std::uint64_t number_at(std::span<const std::byte> bytes, std::uint64_t at) noexcept {
  std::uint64_t out = 0;
  if (at <= bytes.size() && bytes.size() - at >= sizeof out)
    std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}

// The number of the document whose record begins the bytes; 0 if they end before.
DocumentNumber number_of_record(std::span<const std::byte> bytes) noexcept {
  DocumentNumber out = 0;
  if (bytes.size() >= segment_bytes::kRecordHead)
    std::memcpy(&out, bytes.data() + segment_bytes::kRecordChecksum, sizeof out);
  return out;
}

// Gives a copy the fields of its original, which is at that place. Returns false if the original
// cannot be read any more, or is a copy itself.
bool take_content(const MappedFile& file, std::uint64_t place, const HashLayout& layout,
                  ReadRecord& copy) {
  const std::uint64_t failures = file.failures();
  std::optional<ReadRecord> original =
      segment_bytes::read_record(file.bytes().subspan(place), place, layout);
  if (!original || original->original || file.failures() != failures) return false;
  copy.document.fields = std::move(original->document.fields);
  return true;
}

}  // namespace

SalvagedSegment salvage_segment(const std::string& path, const HashLayout& layout,
                                const std::function<void(ReadRecord&)>& visit) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  SalvagedSegment out;
  std::uint64_t end = kAlignment;     // of the last record
  std::vector<std::uint64_t> places;  // of each document that was found
  // Those where a record has ended are counted apart, since what an id holds is seldom there: an id
  // must not hide the long records.
  RecordTries tries, next_tries;
  for (std::uint64_t at = kAlignment; at < bytes.size();) {
    const std::uint64_t failures = file.failures();
    const std::span<const std::byte> rest = bytes.subspan(at);
    std::optional<ReadRecord> record;
    // Each record before it had a head, which limits its number.
    const std::uint64_t number = number_of_record(rest);
    const bool is_possible =
        number >= out.found.size() && number <= (at - kAlignment) / segment_bytes::kRecordHead;
    const std::uint64_t length = is_possible ? segment_bytes::length_of_record(rest, layout) : 0;
    if (length != 0 && (at == end ? next_tries : tries).take(length, bytes.size()))
      record = segment_bytes::read_record(rest, at, layout);
    // A page that cannot be read is zeros from now on, but may not have been when the checksum was
    // compared: try again.
    if (file.failures() != failures) continue;
    if (!record) {
      ++at;  // after a damaged record, the next one may begin anywhere
      continue;
    }
    out.found.resize(record->number);
    places.resize(record->number);
    places.push_back(at);
    at += record->bytes;
    end = at;
    bool is_whole = true;
    if (record->original) {
      const DocumentNumber original = *record->original;
      is_whole = original < out.found.size() && out.found[original] &&
                 take_content(file, places[original], layout, *record);
      if (!is_whole) out.lost_copies.emplace(record->number, record->document.id);
    }
    out.found.push_back(is_whole);
    if (is_whole) visit(*record);
  }
  // The list of the places of all records follows the last record, and ends with the end of that.
  const std::uint64_t starts = (end + kAlignment - 1) / kAlignment * kAlignment;
  const auto end_of = [&](std::size_t documents) {
    return number_at(bytes, starts + 8 * documents);
  };
  out.has_end = !out.found.empty() && end_of(0) == kAlignment && end_of(out.found.size()) == end;
  if (!out.has_end) return out;
  // If the last records are damaged, but so short that the list begins where it would without them,
  // the list goes on with their ends.
  for (std::uint64_t next = end_of(out.found.size() + 1); next > end && next <= starts;
       next = end_of(out.found.size() + 1)) {
    out.found.push_back(false);
    end = next;
  }
  return out;
}

SalvagedList salvage_removed(const std::string& path) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  const std::size_t size = bytes.size();
  constexpr std::size_t kPage = kPageBytes + sizeof(std::uint64_t);
  constexpr std::string_view kOld = RemovedList::kMagicOfVersion1;
  SalvagedList out;
  if (size < kSealBytes + kPage || (size - kSealBytes) % kPage != 0) return out;
  const std::size_t pages = (size - kSealBytes) / kPage;
  std::vector<std::uint32_t>& documents = out.list.documents;
  std::uint64_t missing = 0;
  std::size_t head = RemovedList::kHead;
  for (std::size_t page = 0; page < pages; ++page) {
    // Checks a copy of the page: what could be read once may not be readable again.
    std::array<std::byte, kPageBytes> copy;
    std::memcpy(copy.data(), bytes.data() + page * kPageBytes, kPageBytes);
    if (page == 0 && std::memcmp(copy.data(), kOld.data(), kOld.size()) == 0)
      head = RemovedList::kHeadOfVersion1;
    const std::size_t skipped = page == 0 ? head : 0;
    if (XXH3_64bits_withSeed(copy.data(), kPageBytes, page) !=
        number_at(bytes, pages * kPageBytes + page * sizeof(std::uint64_t))) {
      missing += (kPageBytes - skipped) / sizeof(std::uint32_t);
      continue;
    }
    if (page == 0) {
      out.list.segment = number_at(copy, RemovedList::kMagic.size());
      if (head == RemovedList::kHead)
        out.list.segment_checksum = number_at(copy, RemovedList::kMagic.size() + 8);
    }
    for (std::size_t at = skipped; at < kPageBytes; at += sizeof(std::uint32_t)) {
      std::uint32_t document = 0;
      std::memcpy(&document, copy.data() + at, sizeof document);
      // After the end of the list there are zeros.
      if (!documents.empty() && document <= documents.back()) break;
      documents.push_back(document);
    }
  }
  out.missing = missing;
  return out;
}

}  // namespace benzer
