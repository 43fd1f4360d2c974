// The web page below /ui/: files that the build put into the program.
#pragma once

#include <optional>
#include <string_view>

namespace benzer::server {

struct PageFile {
  std::string_view content_type;
  std::string_view content_encoding;  // "gzip", or empty: the bytes as they are
  std::string_view bytes;             // for the life of the program
};

// What the page needs of a browser: nothing from elsewhere, no inline script, style or eval.
inline constexpr std::string_view kPagePolicy =
    "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'";

// path: what follows "/ui/"; empty is the page itself. A program that was built without the page
// has a notice there that says so, and nothing else.
std::optional<PageFile> page_file(std::string_view path);

// Whether it is the page and not the notice.
bool has_page();

}  // namespace benzer::server
