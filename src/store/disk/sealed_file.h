// Writes files once, with a checksum for each page, and reads them.
//
//   content     any bytes, then zeros up to a whole page
//   checksums   XXH3-64 of every page, its number as seed (u64 each)
//   seal        32 bytes: the magic "BENZSEAL", the length of the content (u64), XXH3-64 of the
//               checksums (u64), XXH3-64 of the 24 bytes before (u64)
//
// All numbers are little-endian. Opening the file finds what was cut off, added or put in another
// order; damage in a page is found when that page is first read.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "store/disk/mapped_file.h"

namespace benzer {

inline constexpr std::size_t kSealBytes = 32;

// Tells a sealed file from every other one.
struct Seal {
  std::uint64_t bytes = 0;  // of the whole file; 0: not known
  std::uint64_t checksum = 0;
  bool is_known() const noexcept { return bytes != 0; }
  friend bool operator==(const Seal&, const Seal&) = default;
};
// Reads the seal of a file; not known if there is no file, or its seal is not sound. Throws
// Error(kStorageFailed).
Seal read_seal(const std::string& path);
// Returns whether the file had this seal, which may itself be damaged or cut off. It is recognised
// as long as either all pages or all their checksums are as they were. Throws
// Error(kStorageFailed).
bool had_seal(const std::string& path, const Seal& seal);

// Errors: Error(kStorageFailed) that names the file.
class SealedFileWriter {
 public:
  // The file must not be there yet.
  explicit SealedFileWriter(std::string path);
  ~SealedFileWriter();  // deletes a file that was not sealed
  SealedFileWriter(const SealedFileWriter&) = delete;
  SealedFileWriter& operator=(const SealedFileWriter&) = delete;

  std::uint64_t size() const noexcept { return size_; }
  // Replaces what is in `out` by the bytes [offset, offset + size) of what was appended.
  void read(std::uint64_t offset, std::size_t size, std::string& out) const;
  void append(const void* bytes, std::size_t size);
  // Appends zeros until the size is a multiple of this.
  void align(std::size_t multiple);
  // Completes the content: writes the rest, and syncs.
  Seal seal();

 private:
  void end_page();
  void flush();
  [[noreturn]] void fail(int error) const;

  std::string path_;
  FileHandle file_;
  std::uint64_t size_ = 0;
  std::string page_;
  std::string out_;  // whole pages to be written
  std::vector<std::uint64_t> checksums_;
  bool sealed_ = false;
};

// The file is mapped, so that what was read once stays in the system's memory and not in this
// process's. A page that was checked may have to be read again, and fail then: see failures().
// Threads: any number. Errors: Error(kCorrupt) that names the file and the byte, UnreadablePage,
// Error(kStorageFailed).
class SealedFile {
 public:
  explicit SealedFile(std::string path);

  const std::string& path() const noexcept { return file_.path(); }
  std::uint64_t size() const noexcept { return size_; }  // of the content
  const Seal& seal() const noexcept { return seal_; }

  // Bytes [offset, offset + length), which must be in the content; checked when first read.
  std::span<const std::byte> bytes(std::uint64_t offset, std::uint64_t length) const {
    if (offset > size_ || length > size_ - offset) fail_outside(offset, length);
    if (length == 0) return {};
    const std::uint64_t last = (offset + length - 1) / kPageBytes;
    for (std::uint64_t page = offset / kPageBytes; page <= last; ++page)
      if (!file_.is_sound(page)) [[unlikely]]
        check(page);
    return {content_ + offset, static_cast<std::size_t>(length)};
  }

  template <class Number>
  Number number(std::uint64_t offset) const {
    Number value;
    std::memcpy(&value, bytes(offset, sizeof value).data(), sizeof value);
    return value;
  }

  // Starts to load the bytes there.
  void prefetch(std::uint64_t offset) const noexcept {
    if (offset < size_) __builtin_prefetch(content_ + offset);
  }

  // Starts to load the bytes at `place`, if their page was read before. Otherwise the system starts
  // to load [begin, end), which has them. Whoever does that for several places waits once for all
  // of them, and not for one after the other. A page that the system has dropped since it was read
  // is loaded when it is touched.
  void load(std::uint64_t place, std::uint64_t begin, std::uint64_t end) const noexcept {
    if (place >= size_) return;
    if (file_.is_sound(place / kPageBytes)) return prefetch(place);
    file_.load(begin / kPageBytes, (std::min(end, size_) + kPageBytes - 1) / kPageBytes);
  }

  // Reads every page again. Throws for the first that is not as it was written, and
  // Error(kInterrupted) if it is stopped.
  void check_pages(const std::atomic<bool>* stop = nullptr) const;

  // How often a page could not be read. If this has grown when the result of bytes() was used, that
  // may have been zeros: throw_if_more() then throws UnreadablePage.
  std::uint64_t failures() const noexcept { return file_.failures(); }
  void throw_if_more(std::uint64_t failures_before) const { file_.throw_if_more(failures_before); }

  // Throws Error(kCorrupt), or UnreadablePage if a page could not be read: its zeros may look like
  // damage.
  [[noreturn]] void fail(std::uint64_t offset, std::string_view what) const;

 private:
  void check(std::uint64_t page) const;
  void check_bytes(std::uint64_t page) const;
  [[noreturn]] void fail_outside(std::uint64_t offset, std::uint64_t length) const;

  MappedFile file_;
  std::uint64_t size_ = 0;
  std::uint64_t pages_ = 0;
  Seal seal_;
  const std::byte* content_ = nullptr;
};

}  // namespace benzer
