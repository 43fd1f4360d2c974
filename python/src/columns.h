// Columns of values, and their export over the Arrow C stream interface, so that every library of
// tables can take what the engine returns, without a copy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "benzer/arrow.h"
#include "benzer/similarity.h"

namespace benzer::python {

// A column while it is filled, and afterwards. Nulls are zeros with a bit.
class Column {
 public:
  // kGroupNames: texts that are names of groups, as benzer/arrow.h describes them.
  // kFixed: numbers of another type, which a format says.
  enum class Kind {
    kInteger,
    kNumber,
    kText,
    kBytes,
    kBoolean,
    kSlots,
    kTexts,
    kGroupNames,
    kFixed
  };

  // slots: of kSlots, the number of 64-bit integers of each value.
  Column(std::string name, Kind kind, std::size_t slots = 0);
  // Makes a column of texts ("U"), bytes ("Z") or numbers; the Arrow C data interface spells them
  // so.
  static Column of_format(std::string name, const std::string& format);

  void add(std::int64_t value);
  void add(double value);
  void add(std::string_view text);
  void add(bool value);
  void add_slots(const std::uint64_t* slots);
  // Of a format of numbers: adds the bytes of one.
  void add_number(std::string_view bytes);
  // Of kTexts: adds a list, whose texts are added to list() first.
  void end_list();
  Column& list() noexcept { return *list_; }
  void add_null();

  const std::string& name() const noexcept { return name_; }
  std::int64_t size() const noexcept { return size_; }
  // The type, as the Arrow C data interface spells it; empty for lists.
  std::string format() const;
  // The value as an object of Python.
  nanobind::object value(std::int64_t row) const;

  void export_schema(ArrowSchema* out) const;
  // The array keeps `owner` alive.
  void export_array(ArrowArray* out, std::shared_ptr<const void> owner) const;

 private:
  void note(bool is_valid);
  bool is_null(std::int64_t row) const noexcept;

  std::string name_;
  Kind kind_;
  std::size_t slots_;   // kFixed: the bytes of a number
  std::string format_;  // kFixed
  std::int64_t size_ = 0, nulls_ = 0;
  std::vector<std::uint8_t> valid_;     // bits; empty as long as nothing is null
  std::vector<std::int64_t> integers_;  // also offsets of texts, and slots
  std::vector<double> numbers_;
  std::string bytes_;
  std::vector<std::uint8_t> bits_;
  std::shared_ptr<Column> list_;  // kTexts: the texts of all lists
};

// Throws what a signal handler raises (KeyboardInterrupt), for loops that hold the GIL: looks once
// in thousands of rows.
void check_signals(std::int64_t row);

// Columns of the same length.
using Columns = std::vector<Column>;

// The two shares of pairs with containment; without it, no columns.
class ShareColumns {
 public:
  ShareColumns(const char* name_a, const char* name_b, bool is_contained)
      : of_a_(name_a, Column::Kind::kNumber),
        of_b_(name_b, Column::Kind::kNumber),
        is_contained_(is_contained) {}
  // Adds nulls if there are no shares.
  void add(const std::optional<Shares>& shares) {
    if (!is_contained_) return;
    shares ? of_a_.add(shares->of_a) : of_a_.add_null();
    shares ? of_b_.add(shares->of_b) : of_b_.add_null();
  }
  void append_to(Columns& out) {
    if (!is_contained_) return;
    out.push_back(std::move(of_a_));
    out.push_back(std::move(of_b_));
  }

 private:
  Column of_a_, of_b_;
  bool is_contained_;
};

// Makes an object of the Python class benzer.Table. Call it with the GIL.
nanobind::object make_table(Columns columns);

}  // namespace benzer::python
