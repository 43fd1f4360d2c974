// JSON that is not one object a line: known by the begin of a file, so that it is refused in one
// sentence and not in one for each of its lines.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "io/input_list.h"

namespace benzer {

enum class JsonShape {
  kLines,   // a JSON value a line, as far as one can tell
  kArray,   // one array of objects
  kSpread,  // objects over several lines
};

// How many bytes of a file json_shape() wants to see.
inline constexpr std::size_t kShapeBytes = 1u << 16;

// `begin`: the first bytes of a file; `is_all`: there are no more.
JsonShape json_shape(std::string_view begin, bool is_all);

// The sentence why the run cannot go on; empty for lines.
std::optional<Error> shape_refusal(const InputFile& file, std::string_view begin, bool is_all);

// Throws Error(kBadInput) for files that are no lines, before any is read to its end. Streams are
// left alone, and so is what cannot be read: the scan will say so.
void check_json_shapes(const InputOptions& options, const InputFiles& files);

}  // namespace benzer
