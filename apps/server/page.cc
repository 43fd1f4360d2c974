#include "page.h"

#include "benzer/internal/embedded.h"

#ifdef BENZER_PAGE_FOLDER
BENZER_EMBED(index, BENZER_PAGE_FOLDER "/index.html.gz")
BENZER_EMBED(script, BENZER_PAGE_FOLDER "/page.js.gz")
BENZER_EMBED(style, BENZER_PAGE_FOLDER "/page.css.gz")
BENZER_EMBED(frame, BENZER_PAGE_FOLDER "/frame.html.gz")
#else
static std::string_view embedded_index() { return {}; }
static std::string_view embedded_script() { return {}; }
static std::string_view embedded_style() { return {}; }
static std::string_view embedded_frame() { return {}; }
#endif

namespace benzer::server {
namespace {

constexpr std::string_view kHtml = "text/html; charset=utf-8";

constexpr std::string_view kNotice = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Benzer</title>
</head>
<body>
<main>
<h1>Benzer is running, without its page</h1>
<p>This program was built without the web page. To get it, install Node.js 20.19 or newer with npm,
and build Benzer again with <code>-DBENZER_PAGE=ON</code>; the packages of the page are fetched
then, so a network is needed once.</p>
<p>The REST API does not need the page: <a href="../openapi.json">openapi.json</a> describes it.</p>
</main>
</body>
</html>
)html";

}  // namespace

std::optional<PageFile> page_file(std::string_view name) {
  const bool is_index = name.empty() || name == "index.html";
  // If npm fails, the build goes on with empty files.
  if (embedded_index().empty())
    return is_index ? std::optional(PageFile{kHtml, kNotice, false}) : std::nullopt;
  if (is_index) return PageFile{kHtml, embedded_index()};
  if (name == "page.js") return PageFile{"text/javascript; charset=utf-8", embedded_script()};
  if (name == "page.css") return PageFile{"text/css; charset=utf-8", embedded_style()};
  if (name == "frame.html") return PageFile{kHtml, embedded_frame(), true, kReportPolicy};
  return std::nullopt;
}

}  // namespace benzer::server
