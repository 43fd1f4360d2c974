#include "page.h"
namespace benzer::server {
std::optional<PageFile> page_file(std::string_view name) {
  if (!name.empty()) return std::nullopt;
  return PageFile{"text/html; charset=utf-8", "<!doctype html><title>Benzer</title>", false};
}
}  // namespace benzer::server
