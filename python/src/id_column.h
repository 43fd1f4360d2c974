// Makes the columns of ids, which have the type of the ids of the inputs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "benzer/corpus.h"

#include "columns.h"

namespace benzer::python {

// Adds ids, or nothing. A number that the type does not hold, such as that of a document in a
// narrow column without any id, is null.
class IdColumn {
 public:
  explicit IdColumn(std::string name) : name_(std::move(name)) {}
  void add(const DocumentLabel& label);
  // token: a JSON token; empty or "null" for none.
  void add_token(std::string token);
  void add_null() { tokens_.emplace_back(); }
  // format: what Corpus::id_format() returns. Call it with the GIL.
  Column column(const std::string& format) const;

 private:
  std::string name_;
  std::vector<std::string> tokens_;  // with a mark in front of bytes that are not a token
};

// Of a format of numbers of a fixed width: the width in bytes; else 0.
std::size_t number_width(std::string_view format);
// The number in these bytes as an object of Python. Call it with the GIL.
nanobind::object python_number(std::string_view format, std::string_view bytes);

}  // namespace benzer::python
