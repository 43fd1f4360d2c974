// Which Benzer this is, and which libraries it was built with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace benzer {

// "0.1.0"
std::string_view version() noexcept;

// A library that Benzer uses and its version: what is loaded where the library can tell, else what
// it was compiled with.
struct Part {
  std::string name;
  std::string version;
};
std::vector<Part> parts();

}  // namespace benzer
