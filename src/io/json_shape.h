// Recognises JSON that is not one object a line by the beginning of a file, so that one sentence
// refuses it and not one for each of its lines.
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

// How many first bytes of a file json_shape() needs.
inline constexpr std::size_t kShapeBytes = 1u << 16;

// `begin`: the first bytes of a file; `is_all`: there are no more.
JsonShape json_shape(std::string_view begin, bool is_all);

// The error for a file that is not lines, which ends the run; nothing for lines.
std::optional<Error> shape_refusal(const InputFile& file, std::string_view begin, bool is_all);

// Throws Error(kBadInput) for files that are not lines, before any is read to its end. Skips
// streams and files that cannot be read: the scan will report those.
void check_json_shapes(const InputOptions& options, const InputFiles& files);

}  // namespace benzer
