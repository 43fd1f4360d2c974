#include "report/page_parts.h"

#include <fmt/format.h>

#include "benzer/internal/text.h"

#include "report/html_text.h"
#include "report/page_style.h"

namespace benzer::report {
namespace {

constexpr std::size_t kIdLetters = 120;

}  // namespace

std::string begin_page(const PageStart& start) {
  // A page with text of any origin in it may load nothing and run nothing, even if some markup is
  // not escaped. Images are part of the page.
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'{}\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<title>{}</title>\n<style>",
      start.has_pictures ? "; img-src data:" : "", start.title);
  out += kPageStyle;
  out += start.style;
  out += fmt::format("</style>\n</head>\n<body>\n<header>\n<h1>{}</h1>\n", start.title);
  return out;
}

void append_contents(std::span<const PageSection> sections, std::string& out) {
  out += "<nav aria-label=\"Contents\"><ul>\n";
  for (const PageSection& section : sections)
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, section.title);
  out += "</ul></nav>\n</header>\n<main>\n";
}

void end_page(std::string_view version, std::string_view what, std::string& out) {
  out += fmt::format(
      "</main>\n<footer>Made by Benzer {}. The same {} and options give this page again, byte "
      "for byte.</footer>\n</body>\n</html>\n",
      html_text(version), what);
}

Numbers::Numbers(std::string& out) : out_(out) { out_ += "<dl class=\"numbers\">\n"; }

Numbers::~Numbers() { out_ += "</dl>\n"; }

void Numbers::add(std::string_view name, const std::string& value, const std::string& note) {
  out_ += fmt::format("<div><dt>{}</dt><dd>{}</dd>", name, value);
  if (!note.empty()) out_ += fmt::format("<dd class=\"note\">{}</dd>", note);
  out_ += "</div>\n";
}

Settings::Settings(std::string& out) : out_(out) {
  out_ +=
      "<table class=\"settings\">\n<caption>Settings that decide the result, and what they "
      "gave</caption>\n<tbody>\n";
}

Settings::~Settings() { out_ += "</tbody>\n</table>\n"; }

void Settings::add(std::string_view name, const std::string& value, const std::string& explained) {
  out_ += fmt::format("<tr><th scope=\"row\">{}</th><td>{}", name, value);
  if (!explained.empty()) out_ += fmt::format("<br><small class=\"quiet\">{}</small>", explained);
  out_ += "</td></tr>\n";
}

std::string code(std::string_view text) { return fmt::format("<code>{}</code>", html_text(text)); }

std::string names(const std::vector<std::string>& list) {
  constexpr std::size_t kShown = 20;
  std::string out;
  for (std::size_t i = 0; i < list.size() && i < kShown; ++i)
    out += (i == 0 ? "" : ", ") + code(list[i]);
  if (list.size() > kShown)
    out += fmt::format(" and {} more", with_separators(list.size() - kShown));
  return out.empty() ? "none" : out;
}

std::string command_line(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    out += shell_word(word);
  }
  // A pattern may name thousands of inputs.
  return out.size() <= 4000 ? out : shortened(out, 4000);
}

void append_command(const std::vector<std::string>& words, std::string& out) {
  if (words.empty()) return;
  out += "<p>The command that gives this result again:</p>\n";
  out += fmt::format("<pre><code>{}</code></pre>\n", html_text(command_line(words)));
}

void append_problems(const std::vector<std::string>& problems, std::uint64_t all,
                     std::string& out) {
  if (problems.empty()) return;
  out += fmt::format("<details><summary>{}</summary><div class=\"inside\"><ul class=\"plain\">\n",
                     problems.size() < all
                         ? fmt::format("The first {} messages about bad input", problems.size())
                         : std::string("Messages about bad input"));
  for (const std::string& sentence : problems)
    out += fmt::format("<li><bdi>{}</bdi></li>\n", html_text(shortened(sentence, 600)));
  out += "</ul></div></details>\n";
}

std::string name_text(const ReportedDocument& document) {
  return html_text(shortened(shown_id(document.id_json), kIdLetters));
}

std::string shown_name(const ReportedDocument& document) {
  return fmt::format("<bdi>{}</bdi>", name_text(document));
}

std::string shown_place(const ReportedDocument& document) {
  if (document.line > 0)
    return fmt::format("{}, line {}", html_text(shortened(document.source, kIdLetters)),
                       with_separators(document.line));
  if (!document.source.empty()) return "file";
  return document.number ? fmt::format("document {}", with_separators(*document.number)) : "";
}

std::string bracketed_place(const ReportedDocument& document) {
  const std::string place = shown_place(document);
  return place.empty() ? "" : fmt::format(" <span class=\"quiet\">({})</span>", place);
}

}  // namespace benzer::report
