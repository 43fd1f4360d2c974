// What a file is, by its first bytes or by its name, where that is no kind of text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace benzer {

// How many of the first bytes are looked at.
inline constexpr std::size_t kLookedAtBytes = std::size_t{64} << 10;

// Empty if a file whose unpacked content begins with these bytes may be records; otherwise a
// sentence without its end: what the file is, and what to do. It knows the kinds of files that data
// often comes in, packed bytes, and text in UTF-16 or UTF-32.
std::string why_no_records(std::string_view first_bytes);
// The same of a text, with one more reason: bytes of no known kind of which one is NUL and more
// than one in ten are control characters or invalid UTF-8. A NUL byte alone may be in a text.
std::string why_no_text(std::string_view first_bytes);

// Empty if an output may have the name; otherwise a sentence without its end. Refused is what other
// programs would take for a kind of file that is not written, such as .parquet or .xz, also with
// .gz or .zst after it.
std::string why_no_output(std::string_view path);

}  // namespace benzer
