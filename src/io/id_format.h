// Finds the type of ids in results that are tables, in the terms of Corpus::id_format().
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "io/arrow_column.h"

namespace benzer {

// What the ids of records are. A record has no schema, so all ids together tell their type.
struct IdKinds {
  bool has_any = false;
  bool has_texts = false;  // also numbers that are not whole, or have more than 64 bits
  bool has_negative = false;
  bool has_large = false;  // at least 2^63

  // token: one JSON token.
  void add(std::string_view token);
  void add(const IdKinds& other) noexcept;
  std::string format() const;
};

// Returns the format of ids of a column of this type. Empty if it has no ids: without a column, or
// if all values are null by their type.
std::string id_format_of(const ArrowType* column);
// Returns the format that holds the ids of several tables; empty formats do not count.
std::string common_id_format(std::set<std::string> formats);
// Returns the format that holds the ids of two lists of tables, of which one may be without ids:
// the ids of its documents are their numbers.
std::string joint_id_format(const std::string& a, const std::string& b);

}  // namespace benzer
