// Writes and reads a file of records that, if it was cut off anywhere, can be read up to its last
// complete record.
//
//   file     the eight bytes "BENZLOG1", then records
//   record   kind (u32), zero (u32), length (u64), XXH3-64 of the payload with the kind as seed
//            (u64), the payload; all numbers little-endian
//
// The reader trusts nothing in such a file: it checks lengths against the size of the file, and
// payloads against their checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/file.h"

namespace benzer {

// The bytes with which a log begins, and the head of a record.
std::string_view record_log_magic() noexcept;
std::string record_head(std::uint32_t kind, std::string_view payload);
inline constexpr std::size_t kRecordHeadBytes = 24;
// The bytes of the record at the beginning of `bytes`, head included, as its head says; 0 if there
// is no head of a record.
std::uint64_t record_length(std::string_view bytes) noexcept;

// Takes the first record off `bytes`. Returns false if they do not begin with a record: they are
// empty, cut off or damaged.
bool take_record(std::string_view& bytes, std::uint32_t& kind, std::string_view& payload) noexcept;

class RecordLogReader {
 public:
  // False if there is no such file. Throws Error(kStorageFailed) if it cannot be read, and
  // Error(kCorrupt) if it does not begin like a log.
  bool open(const std::string& path);
  // Returns false at the end, or where the file is cut off or damaged.
  bool next(std::uint32_t& kind, std::string& payload);
  // Bytes from the beginning of the file to the end of the last record that was read. If next()
  // returned false and the file is not at_end(), the bytes after them are damaged.
  std::uint64_t whole() const noexcept { return whole_; }
  bool at_end() const noexcept { return whole_ == size_; }

 private:
  std::string path_;
  FileHandle file_;
  std::uint64_t size_ = 0;
  std::uint64_t whole_ = 0;
};

// Writes a log, and renames it when it is complete. Errors: Error(kStorageFailed) that names the
// file.
class RecordLogWriter {
 public:
  // Cuts the file off after `whole` bytes and appends there, or begins a new file if `whole` is 0.
  void open(const std::string& path, std::uint64_t whole);
  bool is_open() const noexcept { return static_cast<bool>(file_); }
  void append(std::uint32_t kind, std::string_view payload);
  // Syncs the file and gives it its final name.
  void close_as(const std::string& path);
  void close() noexcept { file_.reset(); }

 private:
  void check(int error) const;

  std::string path_;
  FileHandle file_;
};

// Appends fields to a payload, one after the other.
class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : out_(out) {}
  void number(std::uint64_t value) { raw(&value, sizeof value); }
  void text(std::string_view value) {
    number(value.size());
    out_ += value;
  }
  // For items without padding, so that the bytes depend on nothing but their values.
  template <class List>
  void list(const List& items) {
    static_assert(std::has_unique_object_representations_v<std::decay_t<decltype(*items.data())>>);
    number(items.size());
    raw(items.data(), items.size() * sizeof *items.data());
  }

 private:
  void raw(const void* bytes, std::size_t size) {
    out_.append(static_cast<const char*>(bytes), size);
  }
  std::string& out_;
};

// Reads the fields that FieldWriter wrote. Throws Error(kCorrupt) if the payload ends too early, or
// gives a list or a text more bytes than it has.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : left_(bytes) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    raw(&value, sizeof value);
    return value;
  }
  std::string_view text() { return take(number(), 1); }
  template <class List>
  void list(List& items) {
    const std::uint64_t count = number();
    const std::string_view bytes = take(count, sizeof *items.data());
    items.resize(static_cast<std::size_t>(count));
    bytes.copy(reinterpret_cast<char*>(items.data()), bytes.size());
  }
  bool at_end() const noexcept { return left_.empty(); }

 private:
  std::string_view take(std::uint64_t count, std::size_t width);
  void raw(void* out, std::size_t size) { take(size, 1).copy(static_cast<char*>(out), size); }
  std::string_view left_;
};

}  // namespace benzer
