// Leaves passwords out of the addresses of indexes in Redis, for messages.
#pragma once

#include <string>
#include <string_view>

namespace benzer {

// Returns the name of a file or an index; without its password if it is an address such as
// redis://user:password@host/name, also a malformed one.
std::string without_password(std::string_view name);

// Returns a sentence without the passwords of the addresses in it. An address ends at a blank, or
// at the quote that encloses it.
std::string without_passwords(std::string_view text);

}  // namespace benzer
