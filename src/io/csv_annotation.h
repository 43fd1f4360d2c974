// Fields added to a record of CSV.
#pragma once

#include <span>
#include <string>

namespace benzer {

// Inserts the fields behind the last one, in front of the line end. The values are JSON tokens: of
// a string its text is written, of null nothing.
void add_csv_fields(std::string& record, std::span<const std::string> json_values, char delimiter);

}  // namespace benzer
