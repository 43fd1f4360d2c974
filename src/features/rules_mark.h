// Marks the version of rules that come from a library or a list, in the spelling of features: the
// part after the @ of "+stem:en@1a2b3c4d". Features that were made by other rules have another
// spelling, so they are refused and never compared with these.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace benzer::internal {

// Returns the mark of rules that are known by their results: 8 hexadecimal digits of the XXH3 of
// `results`.
std::string mark_of(std::string_view results);

// Takes "@MARK" off the end of a name, and returns the mark without its "@", or nothing if the name
// has none.
std::optional<std::string_view> take_mark(std::string_view& name) noexcept;

// Throws Error(kInvalidArgument) if a mark was found that is not `own`, the one of the rules that
// this program has. whole: the spelling of the features; rules: what the mark is of, for the
// message.
void check_mark(std::optional<std::string_view> found, std::string_view own, std::string_view rules,
                std::string_view whole);

}  // namespace benzer::internal
