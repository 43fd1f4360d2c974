// Returns the files of the web page, which the build has put into the program.
#pragma once

#include <optional>
#include <string_view>

namespace benzer::server {

inline constexpr std::string_view kPagePolicy =
    "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'";
// Of a report, and of the frame in which the page shows one: styles are part of it, nothing runs,
// and nothing is loaded.
inline constexpr std::string_view kReportPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; "
    "base-uri 'none'; form-action 'none'";

struct PageFile {
  std::string_view content_type;
  std::string_view bytes;
  bool is_gzip = true;
  std::string_view policy = kPagePolicy;  // Content-Security-Policy
};

// "" is the page itself. Returns nothing if there is no such file. In a build without the page, ""
// is a notice that says so.
std::optional<PageFile> page_file(std::string_view name);

}  // namespace benzer::server
