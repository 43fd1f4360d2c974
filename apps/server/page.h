// Returns the files of the web page, which the build has put into the program.
#pragma once

#include <optional>
#include <string_view>

namespace benzer::server {

struct PageFile {
  std::string_view content_type;
  std::string_view bytes;
  bool is_gzip = true;
};

// "" is the page itself. Returns nothing if there is no such file. In a build without the page, ""
// is a notice that says so.
std::optional<PageFile> page_file(std::string_view name);

}  // namespace benzer::server
