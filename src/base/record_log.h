// A file of records that was cut off anywhere can be read up to the last whole one.
//
//   file     the eight bytes "BENZLOG1", then records
//   record   kind (u32), zero (u32), length (u64), XXH3-64 of the payload with the kind as seed
//            (u64), the payload; all numbers little-endian
//
// Nothing in such a file is trusted: lengths are held against the file's, payloads against their
// checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/file.h"

namespace benzer {

// The bytes of a log's beginning and of one record.
std::string_view record_log_magic() noexcept;
std::string record_head(std::uint32_t kind, std::string_view payload);
inline constexpr std::size_t kRecordHeadBytes = 24;
// Of the record that such bytes begin, with its head; 0: they begin none.
std::uint64_t record_length(std::string_view bytes) noexcept;

// Takes the record that begins the bytes off them. False if none does: they are at an end, torn or
// damaged.
bool take_record(std::string_view& bytes, std::uint32_t& kind, std::string_view& payload) noexcept;

class RecordLogReader {
 public:
  // False if there is no such file. Throws Error(kStorageFailed) if it cannot be read, and
  // Error(kCorrupt) if it does not begin like a log.
  bool open(const std::string& path);
  // False at the end, or where the file is torn or damaged.
  bool next(std::uint32_t& kind, std::string& payload);
  // Bytes of whole records so far; what follows them is damaged if they are not all.
  std::uint64_t whole() const noexcept { return whole_; }
  bool at_end() const noexcept { return whole_ == size_; }

 private:
  std::string path_;
  FileHandle file_;
  std::uint64_t size_ = 0;
  std::uint64_t whole_ = 0;
};

// Writes a log under a name of its own. Errors: Error(kStorageFailed) that names the file.
class RecordLogWriter {
 public:
  // Goes on behind so many bytes of a file that is there, or begins a new one (0).
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

// Fields of a payload, one behind the other.
class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : out_(out) {}
  void number(std::uint64_t value) { raw(&value, sizeof value); }
  void text(std::string_view value) {
    number(value.size());
    out_ += value;
  }
  // Of items without padding: what is written depends on nothing but their values.
  template <class List>
  void list(const List& items) {
    static_assert(std::has_unique_object_representations_v<std::decay_t<decltype(*items.data())>>);
    number(items.size());
    raw(items.data(), items.size() * sizeof *items.data());
  }
  // 16 bytes each: those of its value, then zeros.
  void list(const std::vector<long double>& items) {
    number(items.size());
    for (const long double item : items) {
      char bytes[kNumberBytes] = {};
      std::memcpy(bytes, &item, kValueBytes);
      raw(bytes, sizeof bytes);
    }
  }

 private:
  static constexpr std::size_t kNumberBytes = sizeof(long double);
  // The x87's has ten bytes, and in memory six more without meaning.
  static constexpr std::size_t kValueBytes =
      std::numeric_limits<long double>::digits == 64 ? 10 : kNumberBytes;

  void raw(const void* bytes, std::size_t size) {
    out_.append(static_cast<const char*>(bytes), size);
  }
  std::string& out_;
};

// Throws Error(kCorrupt) where a payload ends too early or says more than it holds.
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
