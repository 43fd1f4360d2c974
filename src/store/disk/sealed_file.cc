#include "store/disk/sealed_file.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <xxhash.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

namespace benzer {
namespace {

constexpr std::string_view kSealMagic = "BENZSEAL";
constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

void append_number(std::string& out, std::uint64_t number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::uint64_t pages_of(std::uint64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes; }

std::uint64_t checksum_of_page(const std::byte* bytes, std::uint64_t page) {
  return XXH3_64bits_withSeed(bytes, kPageBytes, page);
}

// Makes the seal of a file with `content` bytes, the checksums of whose pages have the checksum
// `of_checksums`. Sets `checksum` to that of the seal.
std::string make_seal(std::uint64_t content, std::uint64_t of_checksums, std::uint64_t& checksum) {
  std::string out(kSealMagic);
  append_number(out, content);
  append_number(out, of_checksums);
  checksum = XXH3_64bits(out.data(), out.size());
  append_number(out, checksum);
  return out;
}

}  // namespace

SealedFileWriter::SealedFileWriter(std::string path) : path_(std::move(path)) {
  if (const int error = open_file(path_, O_RDWR | O_CREAT | O_EXCL, 0644, file_)) fail(error);
  page_.reserve(kPageBytes);
}

SealedFileWriter::~SealedFileWriter() {
  if (!file_ || sealed_) return;
  // Another folder may have been put in the place of its own.
  struct stat own{}, named{};
  if (file_system().fstat(file_.get(), &own) == 0 &&
      file_system().stat(path_.c_str(), &named) == 0 && is_same_file(own, named))
    file_system().unlink(path_.c_str());
}

void SealedFileWriter::fail(int error) const {
  throw Error(ErrorCode::kStorageFailed, Subject::file(path_),
              fmt::format("it cannot be written: {}", system_message(error)));
}

void SealedFileWriter::append(const void* bytes, std::size_t size) {
  const char* next = static_cast<const char*>(bytes);
  size_ += size;
  while (size > 0) {
    const std::size_t part = std::min(size, kPageBytes - page_.size());
    page_.append(next, part);
    next += part;
    size -= part;
    if (page_.size() == kPageBytes) end_page();
  }
}

void SealedFileWriter::read(std::uint64_t offset, std::size_t size, std::string& out) const {
  out.resize(size);
  char* next = out.data();
  std::size_t left = size;
  const std::uint64_t in_file = size_ - page_.size() - out_.size();
  if (offset < in_file) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(left, in_file - offset));
    std::size_t got = 0;
    const int error = pread_fully(file_.get(), next, part, offset, &got);
    if (error != 0 || got < part)
      throw Error(ErrorCode::kStorageFailed, Subject::file(path_),
                  fmt::format("what was written to it cannot be read: {}",
                              error != 0 ? system_message(error) : "it ends before"));
    next += part;
    offset += part;
    left -= part;
  }
  std::uint64_t begin = in_file;
  for (const std::string* held : {&out_, &page_}) {
    const std::uint64_t end = begin + held->size();
    if (left > 0 && offset < end) {
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(left, end - offset));
      std::memcpy(next, held->data() + (offset - begin), part);
      next += part;
      offset += part;
      left -= part;
    }
    begin = end;
  }
}

void SealedFileWriter::align(std::size_t multiple) {
  constexpr char kZeros[64] = {};
  while (size_ % multiple != 0)
    append(kZeros, std::min<std::size_t>(sizeof kZeros, multiple - size_ % multiple));
}

void SealedFileWriter::end_page() {
  checksums_.push_back(
      checksum_of_page(reinterpret_cast<const std::byte*>(page_.data()), checksums_.size()));
  out_ += page_;
  page_.clear();
  if (out_.size() >= kFlushBytes) flush();
}

void SealedFileWriter::flush() {
  if (const int error = write_fully(file_.get(), out_.data(), out_.size())) fail(error);
  out_.clear();
}

Seal SealedFileWriter::seal() {
  const std::uint64_t content = size_;
  if (!page_.empty()) {
    page_.resize(kPageBytes);
    end_page();
  }
  const std::size_t begin = out_.size();
  for (const std::uint64_t checksum : checksums_) append_number(out_, checksum);
  const std::uint64_t of_checksums = XXH3_64bits(out_.data() + begin, out_.size() - begin);
  std::uint64_t checksum = 0;
  out_ += make_seal(content, of_checksums, checksum);
  flush();
  if (file_system().fsync(file_.get()) != 0) fail(errno);
  sealed_ = true;
  file_.reset();
  const std::uint64_t pages = checksums_.size();
  return {pages * (kPageBytes + sizeof(std::uint64_t)) + kSealBytes, checksum};
}

Seal read_seal(const std::string& path) {
  FileHandle file;
  struct stat status{};
  int error = open_to_read(path, file);
  if (error == ENOENT) return {};
  if (!error && file_system().fstat(file.get(), &status) != 0) error = errno;
  const auto size = error ? 0 : static_cast<std::uint64_t>(status.st_size);
  if (!error && size < kSealBytes) return {};
  char seal[kSealBytes];
  std::size_t got = 0;
  // A seal that cannot be read is not known; whoever opens the file gets the error.
  if (!error && pread_fully(file.get(), seal, sizeof seal, size - sizeof seal, &got) != 0)
    return {};
  if (error)
    throw Error(ErrorCode::kStorageFailed, Subject::file(path),
                fmt::format("it cannot be read: {}", system_message(error)));
  std::uint64_t checksum = 0;
  constexpr std::size_t kChecked = kSealBytes - sizeof checksum;
  std::memcpy(&checksum, seal + kChecked, sizeof checksum);
  if (got < sizeof seal || std::memcmp(seal, kSealMagic.data(), kSealMagic.size()) != 0 ||
      checksum != XXH3_64bits(seal, kChecked))
    return {};
  return {size, checksum};
}

bool had_seal(const std::string& path, const Seal& seal) {
  constexpr std::uint64_t kPage = kPageBytes + sizeof(std::uint64_t);
  if (seal.bytes < kSealBytes || (seal.bytes - kSealBytes) % kPage != 0) return false;
  const std::uint64_t pages = (seal.bytes - kSealBytes) / kPage;
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  if (bytes.size() / kPageBytes < pages) return false;
  const auto fits = [&](std::uint64_t of_checksums) {
    // The content ends somewhere in the last page.
    for (std::uint64_t zeros = 0; zeros < (pages > 0 ? kPageBytes : 1); ++zeros) {
      std::uint64_t checksum = 0;
      make_seal(pages * kPageBytes - zeros, of_checksums, checksum);
      if (checksum == seal.checksum) return true;
    }
    return false;
  };
  const std::size_t size = pages * sizeof(std::uint64_t);
  const std::span<const std::byte> behind = bytes.subspan(pages * kPageBytes);
  if (behind.size() >= size && fits(XXH3_64bits(behind.data(), size))) return true;
  std::vector<std::uint64_t> checksums;
  for (std::uint64_t page = 0; page < pages; ++page)
    checksums.push_back(checksum_of_page(bytes.data() + page * kPageBytes, page));
  return fits(XXH3_64bits(checksums.data(), size));
}

SealedFile::SealedFile(std::string path) : file_(std::move(path)) {
  const std::uint64_t total = file_.bytes().size();
  if (total < kSealBytes) fail(total, "is the end of a file that must have a seal of 32 bytes");
  content_ = file_.bytes().data();
  char seal[kSealBytes];
  std::memcpy(seal, content_ + total - kSealBytes, kSealBytes);
  std::uint64_t numbers[3];
  std::memcpy(numbers, seal + kSealMagic.size(), sizeof numbers);
  if (std::memcmp(seal, kSealMagic.data(), kSealMagic.size()) != 0 ||
      numbers[2] != XXH3_64bits(seal, kSealBytes - sizeof numbers[2]))
    fail(total - kSealBytes, "is not a seal: the file is damaged, cut off or not whole");
  const std::uint64_t pages = pages_of(numbers[0]);
  if (numbers[0] > total || pages * (kPageBytes + sizeof(std::uint64_t)) + kSealBytes != total)
    fail(total - kSealBytes, "is a seal that does not fit the size of the file");
  const std::byte* checksums = content_ + pages * kPageBytes;
  if (numbers[1] != XXH3_64bits(checksums, pages * sizeof(std::uint64_t)))
    fail(pages * kPageBytes, "is where damaged checksums begin");
  throw_if_more(0);
  size_ = numbers[0];
  pages_ = pages;
  seal_ = {total, numbers[2]};
}

void SealedFile::fail(std::uint64_t offset, std::string_view what) const {
  throw_if_more(0);
  throw Error(ErrorCode::kCorrupt, Subject::file(path()), fmt::format("byte {} {}", offset, what));
}

void SealedFile::fail_outside(std::uint64_t offset, std::uint64_t length) const {
  fail(offset, fmt::format("is where {} bytes should be, but the content has {}", length, size_));
}

void SealedFile::check_bytes(std::uint64_t page) const {
  const std::uint64_t at = pages_ * kPageBytes + page * sizeof(std::uint64_t);
  std::uint64_t wanted = 0;
  std::memcpy(&wanted, content_ + at, sizeof wanted);
  const bool fits = checksum_of_page(content_ + page * kPageBytes, page) == wanted;
  file_.throw_if_unreadable(page);
  file_.throw_if_unreadable(at / kPageBytes);
  if (!fits) fail(page * kPageBytes, "begins a damaged page");
}

void SealedFile::check(std::uint64_t page) const {
  check_bytes(page);
  file_.set_sound(page);
}

void SealedFile::check_pages(const std::atomic<bool>* stop) const {
  for (std::uint64_t page = 0; page < pages_; ++page) {
    throw_if_stopped(stop);
    check_bytes(page);
  }
}

}  // namespace benzer
