// Adds fields to a record of CSV.
#pragma once

#include <span>
#include <string>

namespace benzer {

// Inserts the fields after the last one, in front of the line end. The values are JSON tokens: a
// string is written as its text, and null as an empty field.
void add_csv_fields(std::string& record, std::span<const std::string> json_values, char delimiter);

}  // namespace benzer
