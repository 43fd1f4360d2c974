// Recognises files that are not text by their first bytes or by their names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace benzer {

// How many of the first bytes the functions look at.
inline constexpr std::size_t kLookedAtBytes = std::size_t{64} << 10;

// Returns an empty string if a file whose unpacked content begins with these bytes may hold
// records; otherwise a sentence without its full stop: what the file is, and what to do. It knows
// the usual formats of data files, packed bytes, and text in UTF-16 or UTF-32.
std::string why_no_records(std::string_view first_bytes);
// The same for a file that should be one text, with one more reason: the bytes are of no known
// kind, one of them is NUL, and more than one in ten are control characters or invalid UTF-8. A
// text may have a NUL byte alone.
std::string why_no_text(std::string_view first_bytes);

// Returns an empty string if an output may have the name; otherwise a sentence without its full
// stop. Refuses endings of formats that are not written, such as .parquet or .xz, also with .gz or
// .zst after them, since other programs would take the file for that format.
std::string why_no_output(std::string_view path);

}  // namespace benzer
