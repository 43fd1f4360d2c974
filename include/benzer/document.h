// What goes into an index: an id and named fields.
#pragma once

#include <string>
#include <vector>

namespace benzer {

// A field is a text or a value set; the schema says which, and what becomes of it.
struct Field {
  std::string name;
  std::string text;                 // any bytes
  std::vector<std::string> values;  // strings as they are

  static Field of_text(std::string name, std::string text) {
    return {std::move(name), std::move(text), {}};
  }
  static Field of_values(std::string name, std::vector<std::string> values) {
    return {std::move(name), {}, std::move(values)};
  }
};

struct Document {
  std::string id;             // any bytes, 1 to 65,535 of them
  std::vector<Field> fields;  // any order; those that a document lacks are left out
};

}  // namespace benzer
