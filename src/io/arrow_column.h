// Reads values of Arrow arrays by their type, in the terms of documents: texts, value sets,
// numbers.
//
// https://arrow.apache.org/docs/format/CDataInterface.html has the spelling of types, and
// https://arrow.apache.org/docs/format/Columnar.html how arrays lie in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/arrow.h"
#include "benzer/number.h"

#include "base/utc_time.h"

namespace benzer {

// The type of a column.
struct ArrowType {
  enum class Kind {
    kNull,
    kBoolean,
    kInteger,    // `width` bytes, with or without a sign
    kFloat,      // 4 or 8 bytes
    kDecimal,    // an integer of `width` bytes, divided by 10^scale
    kText,       // string or binary with offsets of `width` bytes
    kTextView,   // string_view or binary_view
    kTime,       // a moment, or a date, as an integer of `width` bytes
    kList,       // with offsets of `width` bytes; a map is a list of structs
    kFixedList,  // of `width` values
    kStruct,
    kOther
  };
  Kind kind = Kind::kOther;
  std::size_t width = 0;
  bool has_sign = true;               // kInteger
  int scale = 0;                      // kDecimal
  bool is_map = false;                // kList
  std::int64_t ticks_per_second = 0;  // kTime; 0: days
  std::string name;                   // of the column
  std::string format;                 // as the C data interface spells the type
  std::string spelled;                // as people call the type: "large_string"
  bool has_group_names = false;       // the extension type kGroupNames
  std::vector<ArrowType> children;
  // The type of the values if the column has numbers of them; `kind` is then that of the numbers.
  std::unique_ptr<ArrowType> dictionary;

  // Reads a type. Types that no document can have are kOther, and errors name them.
  static ArrowType of(const ArrowSchema& schema);

  // The type of the values, behind a dictionary if there is one.
  const ArrowType& values() const noexcept { return dictionary ? *dictionary : *this; }
  bool is_text() const noexcept {
    if (kind == Kind::kOther) return false;  // its dictionary may be one of texts
    return values().kind == Kind::kText || values().kind == Kind::kTextView ||
           values().kind == Kind::kNull;
  }
  // A text without a rule what its bytes are.
  bool is_binary() const noexcept {
    return is_text() && values().spelled.find("binary") != std::string::npos;
  }
  bool is_number() const noexcept {
    return kind == Kind::kNull || (!dictionary && (kind == Kind::kInteger || kind == Kind::kFloat ||
                                                   kind == Kind::kDecimal));
  }
  bool is_boolean() const noexcept { return kind == Kind::kBoolean && !dictionary; }
  // A list of texts.
  bool is_value_set() const noexcept;
  // A map from texts to numbers.
  bool is_weighted_set() const noexcept;
};

// An array and its type, which must both outlive it. Rows are counted from the array's offset.
class ArrowColumn {
 public:
  ArrowColumn() = default;
  // Throws Error(kBadInput) for an array that has not the buffers of its type.
  ArrowColumn(const ArrowType& type, const ArrowArray& array);

  const ArrowType& type() const noexcept { return *type_; }
  bool is_null(std::int64_t row) const;
  // The bytes of a text; empty for null. Throws Error(kBadInput) for offsets that cannot be.
  std::string_view text(std::int64_t row) const;
  // A number as it is, or a time in seconds since 1970, so that times of all units compare; none
  // for null.
  Number number(std::int64_t row) const;
  // The nearest double of a number; NaN for null.
  double value(std::int64_t row) const;
  // Appends a text, number, boolean or moment as text, numbers with the fewest digits that give the
  // same double, decimals without zeros at their end.
  void append_plain(std::int64_t row, std::string& out) const;
  // Appends the same of a moment, but all of its digits and not only microseconds.
  void append_moment(std::int64_t row, std::string& out) const;

  // The rows of values() that are those of a list.
  struct Range {
    std::int64_t begin = 0, end = 0;
  };
  Range list(std::int64_t row) const;
  // A child, whose rows are those of list(), or for a struct those of the struct. Throws
  // Error(kBadInput) if a struct has a child with fewer rows than itself.
  ArrowColumn child(std::size_t i) const;

 private:
  bool is_unsigned_64() const noexcept { return type_->width == 8 && !type_->has_sign; }
  static bool bit(const void* buffer, std::int64_t at) noexcept {
    return (static_cast<const std::uint8_t*>(buffer)[at / 8] >> (at % 8) & 1) != 0;
  }
  template <class T>
  T at(std::size_t buffer, std::int64_t place) const noexcept;
  std::int64_t integer(std::int64_t row) const noexcept;
  std::string_view bytes(std::int64_t row) const noexcept;
  std::int64_t offset_at(std::int64_t place) const noexcept;
  UtcTime time(std::int64_t row) const;
  [[noreturn]] void throw_damaged(std::int64_t row) const;

  const ArrowType* type_ = nullptr;
  const ArrowArray* array_ = nullptr;
  // The offsets of the structs around it, which count for their children, too.
  std::int64_t shift_ = 0;
};

// Owns a stream, and what it has given out.
class ArrowReader {
 public:
  // Opens the input and reads its type. Throws what open() throws, and Error(kBadInput).
  explicit ArrowReader(const ArrowInput& input);

  const std::shared_ptr<const ArrowType>& type() const noexcept { return type_; }
  // The next batch, or null at the end. Throws Error(kBadInput) with the message of the stream.
  std::shared_ptr<const ArrowArray> next();

 private:
  // Releases a stream or a schema, unless it has been released or never filled.
  template <class T>
  struct Owned : T {
    Owned() : T{} {}
    ~Owned() {
      if (T::release) T::release(this);
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
  };
  [[noreturn]] void fail(const std::string& why) const;
  [[noreturn]] void fail(int error);

  std::string name_;
  Owned<ArrowArrayStream> stream_;
  std::shared_ptr<const ArrowType> type_;
};

// "the table", or "the table 'NAME'".
std::string table_named(const std::string& name);

}  // namespace benzer
