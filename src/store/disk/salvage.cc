#include "store/disk/salvage.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>
#include <xxhash.h>

#include "benzer/error.h"

#include "store/disk/sealed_file.h"

namespace benzer {
namespace {

using segment_bytes::kAlignment;
using segment_bytes::ReadRecord;

// All bytes of a file, checked by nobody.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    FileHandle file;
    struct stat status{};
    int error = open_to_read(path, file);
    if (!error && file_system().fstat(file.get(), &status) != 0) error = errno;
    size_ = error ? 0 : static_cast<std::size_t>(status.st_size);
    if (size_ > 0) {
      memory_ = file_system().mmap(size_, file.get());
      if (memory_ == MAP_FAILED) error = errno;
    }
    if (error)
      throw Error(ErrorCode::kStorageFailed, fmt::format("{}: it cannot be read: {}",
                                                         shown_path(path), system_message(error)));
  }
  ~MappedFile() {
    if (size_ > 0) ::munmap(memory_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const noexcept {
    return {static_cast<const std::byte*>(memory_), size_};
  }
  // 0 where there is nothing.
  std::uint64_t number(std::uint64_t at) const noexcept {
    std::uint64_t out = 0;
    if (at <= size_ && size_ - at >= sizeof out) std::memcpy(&out, bytes().data() + at, sizeof out);
    return out;
  }

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

SalvagedSegment salvage_segment(const std::string& path, const HashLayout& layout,
                                const std::function<void(ReadRecord&)>& visit) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  SalvagedSegment out;
  std::uint64_t end = kAlignment;  // of the last record
  for (std::uint64_t at = kAlignment; at < bytes.size();) {
    std::optional<ReadRecord> record = segment_bytes::read_record(bytes.subspan(at), at, layout);
    // Behind a damaged one, the next may begin anywhere. Each of those before it had a head.
    if (!record || record->number < out.found.size() ||
        record->number > (at - kAlignment) / segment_bytes::kRecordHead) {
      ++at;
      continue;
    }
    out.found.resize(record->number);
    out.found.push_back(true);
    at += record->bytes;
    end = at;
    visit(*record);
  }
  // The list of all records' places follows the last one, and ends with the end of that.
  const std::uint64_t starts = (end + kAlignment - 1) / kAlignment * kAlignment;
  const std::uint64_t last = starts + 8 * out.found.size();
  out.has_end = !out.found.empty() && file.number(starts) == kAlignment && file.number(last) == end;
  return out;
}

SalvagedList salvage_removed(const std::string& path) {
  const MappedFile file(path);
  const std::size_t size = file.bytes().size();
  constexpr std::size_t kPage = kPageBytes + sizeof(std::uint64_t);
  constexpr std::string_view kOld = RemovedList::kMagicOfVersion1;
  SalvagedList out;
  if (size < kSealBytes + kPage || (size - kSealBytes) % kPage != 0) return out;
  const std::size_t pages = (size - kSealBytes) / kPage;
  std::vector<std::uint32_t>& documents = out.list.documents;
  std::uint64_t missing = 0;
  std::size_t head = RemovedList::kHead;
  for (std::size_t page = 0; page < pages; ++page) {
    const std::byte* begin = file.bytes().data() + page * kPageBytes;
    if (page == 0 && std::memcmp(begin, kOld.data(), kOld.size()) == 0)
      head = RemovedList::kHeadOfVersion1;
    const std::size_t skipped = page == 0 ? head : 0;
    if (XXH3_64bits_withSeed(begin, kPageBytes, page) !=
        file.number(pages * kPageBytes + page * sizeof(std::uint64_t))) {
      missing += (kPageBytes - skipped) / sizeof(std::uint32_t);
      continue;
    }
    if (page == 0) {
      out.list.segment = file.number(RemovedList::kMagic.size());
      if (head == RemovedList::kHead)
        out.list.segment_checksum = file.number(RemovedList::kMagic.size() + 8);
    }
    for (std::size_t at = skipped; at < kPageBytes; at += sizeof(std::uint32_t)) {
      std::uint32_t document = 0;
      std::memcpy(&document, begin + at, sizeof document);
      // Behind the end of the list there are zeros.
      if (!documents.empty() && document <= documents.back()) break;
      documents.push_back(document);
    }
  }
  out.missing = missing;
  return out;
}

}  // namespace benzer
