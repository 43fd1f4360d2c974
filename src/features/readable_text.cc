#include "features/readable_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "features/html_references.h"
#include "features/unicode.h"

namespace benzer::internal {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

// Returns a name of up to ten letters and digits as a number, the same for capitals and small
// letters; 0 for any other name.
constexpr std::uint64_t packed(std::string_view name) {
  if (name.size() > 10) return 0;
  std::uint64_t out = 0;
  for (const char c : name) {
    unsigned code = 0;
    if (c >= 'a' && c <= 'z') code = static_cast<unsigned>(c - 'a') + 1;
    if (c >= 'A' && c <= 'Z') code = static_cast<unsigned>(c - 'A') + 1;
    if (c >= '0' && c <= '9') code = static_cast<unsigned>(c - '0') + 27;
    if (code == 0) return 0;
    out = out << 6 | code;
  }
  return out;
}

template <std::size_t N>
constexpr std::array<std::uint64_t, N> sorted_names(const std::string_view (&names)[N]) {
  std::array<std::uint64_t, N> out{};
  for (std::size_t i = 0; i < N; ++i) out[i] = packed(names[i]);
  std::sort(out.begin(), out.end());
  return out;
}

// The elements that browsers show as boxes of their own: a word ends at their tags.
constexpr auto kSeparating = sorted_names(
    {"address",  "article",   "aside",    "blockquote", "body",     "br",     "button",   "caption",
     "center",   "col",       "colgroup", "dd",         "details",  "dialog", "dir",      "div",
     "dl",       "dt",        "fieldset", "figcaption", "figure",   "footer", "form",     "frame",
     "frameset", "h1",        "h2",       "h3",         "h4",       "h5",     "h6",       "head",
     "header",   "hgroup",    "hr",       "html",       "iframe",   "input",  "legend",   "li",
     "listing",  "main",      "menu",     "nav",        "object",   "ol",     "optgroup", "option",
     "p",        "plaintext", "pre",      "rp",         "rt",       "search", "section",  "select",
     "summary",  "table",     "tbody",    "td",         "textarea", "tfoot",  "th",       "thead",
     "title",    "tr",        "ul",       "xmp"});

// Elements that contain no tags up to their end tag, and whose content is left out.
constexpr auto kLeftOut =
    sorted_names({"iframe", "noembed", "noframes", "noscript", "script", "style"});
// Elements that contain no tags up to their end tag either, but whose content is text.
constexpr auto kTextOnly = sorted_names({"textarea", "title"});

constexpr std::uint64_t kScript = packed("script");
constexpr std::uint64_t kTemplate = packed("template");

template <std::size_t N>
bool contains(const std::array<std::uint64_t, N>& sorted, std::uint64_t name) {
  return std::binary_search(sorted.begin(), sorted.end(), name);
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Bytes that are not simply copied.
constexpr auto kSpecial = [] {
  std::array<bool, 256> out{};
  for (const char c : {'<', '&', ' ', '\n', '\t', '\r', '\f'})
    out[static_cast<unsigned char>(c)] = true;
  return out;
}();

class Stripper {
 public:
  Stripper(std::string_view html, char* out) : html_(html), begin_(out), out_(out) {}

  std::string_view run() {
    while (at_ < html_.size()) {
      const char c = html_[at_];
      if (c == '<') {
        read_markup();
      } else if (c == '&') {
        add_reference();
      } else if (is_blank(c)) {
        ++at_;
        see_blank();
      } else {
        add_plain();
      }
    }
    return {begin_, static_cast<std::size_t>(out_ - begin_)};
  }

 private:
  // Text

  // A run of blanks of the page becomes one blank, or one line end if an element separates there.
  void write_blank() {
    if ((blank_ || separated_) && out_ != begin_) *out_++ = separated_ ? '\n' : ' ';
    blank_ = separated_ = false;
  }

  void see_blank() { blank_ |= hidden_ == 0; }

  void add(std::string_view text) {
    if (hidden_ > 0) return;
    write_blank();
    std::memcpy(out_, text.data(), text.size());
    out_ += text.size();
  }

  // Copies words with one blank between them in one go, since they do not change.
  void add_plain() {
    const auto is_special = [this](std::size_t at) {
      return kSpecial[static_cast<unsigned char>(html_[at])];
    };
    const std::size_t start = at_;
    const std::size_t size = html_.size();
    while (at_ < size &&
           (!is_special(at_) || (html_[at_] == ' ' && at_ + 1 < size && !is_special(at_ + 1))))
      ++at_;
    add(html_.substr(start, at_ - start));
  }

  void add_reference() {
    const CharacterReference found = read_reference(html_.substr(at_));
    if (found.size == 0) {
      add("&");
      ++at_;
      return;
    }
    at_ += found.size;
    if (found.code_point < 0x80 && is_blank(static_cast<char>(found.code_point))) {
      see_blank();
      return;
    }
    std::string utf8;
    append_utf8(found.code_point, utf8);
    add(utf8);
  }

  // Markup

  // Reads what begins with "<".
  void read_markup() {
    const std::string_view rest = html_.substr(at_);
    if (rest.size() > 1 && is_letter(rest[1])) {
      read_tag(at_ + 1, false);
    } else if (rest.size() > 2 && rest[1] == '/' && is_letter(rest[2])) {
      read_tag(at_ + 2, true);
    } else if (rest.starts_with("<!--")) {
      skip_comment();
    } else if (rest.size() > 1 && (rest[1] == '!' || rest[1] == '?')) {
      skip_behind(html_.find('>', at_));
    } else if (rest.size() > 2 && rest[1] == '/') {
      skip_behind(html_.find('>', at_ + 2));
    } else {
      add("<");
      ++at_;
    }
  }

  // Continues after this place; kNowhere: skips the rest of the page.
  void skip_behind(std::size_t place) { at_ = place == kNowhere ? html_.size() : place + 1; }

  void skip_comment() {
    const std::string_view inside = html_.substr(at_ + 4);
    if (inside.starts_with(">") || inside.starts_with("->")) {
      skip_behind(html_.find('>', at_));
      return;
    }
    for (std::size_t place = at_ + 4;; ++place) {
      place = html_.find("--", place);
      if (place == kNowhere) break;
      const std::string_view end = html_.substr(place + 2, 2);
      if (end.starts_with('>') || end == "!>") {
        skip_behind(place + 1 + end.find('>') + 1);
        return;
      }
    }
    at_ = html_.size();
  }

  void read_tag(std::size_t name_at, bool is_end) {
    std::size_t end = name_at;
    while (end < html_.size() && !ends_name(html_[end])) ++end;
    const std::string_view written = html_.substr(name_at, end - name_at);
    const std::uint64_t name = packed(written);
    at_ = behind_attributes(end);
    if (at_ == kNowhere) {  // a tag that does not end takes the rest of the page with it
      at_ = html_.size();
      return;
    }
    separated_ |= hidden_ == 0 && contains(kSeparating, name);
    if (name == kTemplate) {
      hidden_ = is_end ? hidden_ - (hidden_ > 0) : hidden_ + 1;
    } else if (!is_end && contains(kLeftOut, name)) {
      at_ = name == kScript ? end_of_script() : end_of_element(written);
    } else if (!is_end && contains(kTextOnly, name)) {
      read_text_only(written);
    }
  }

  static bool ends_name(char c) { return is_blank(c) || c == '/' || c == '>'; }

  // Returns the place after the ">" of the tag whose name ends at `at`, or kNowhere. Only values
  // can be quoted.
  std::size_t behind_attributes(std::size_t at) const {
    const std::size_t size = html_.size();
    const auto skip_blanks = [&] {
      while (at < size && is_blank(html_[at])) ++at;
    };
    for (;;) {
      while (at < size && (is_blank(html_[at]) || html_[at] == '/')) ++at;
      if (at == size) return kNowhere;
      if (html_[at] == '>') return at + 1;
      ++at;  // the first character of a name may be "="
      while (at < size && !ends_name(html_[at]) && html_[at] != '=') ++at;
      skip_blanks();
      if (at == size || html_[at] != '=') continue;
      ++at;
      skip_blanks();
      if (at == size) return kNowhere;
      if (html_[at] == '"' || html_[at] == '\'') {
        at = html_.find(html_[at], at + 1);
        if (at == kNowhere) return kNowhere;
        ++at;
      } else {
        while (at < size && !is_blank(html_[at]) && html_[at] != '>') ++at;
      }
    }
  }

  // Returns true if a tag "<name" or "</name" is at this place: a blank, "/" or ">" must follow the
  // name.
  bool is_tag(std::size_t at, std::string_view begin, std::string_view name) const {
    const std::string_view rest = html_.substr(at);
    if (!rest.starts_with(begin)) return false;
    const std::string_view there = rest.substr(begin.size());
    return there.size() > name.size() && packed(there.substr(0, name.size())) == packed(name) &&
           ends_name(there[name.size()]);
  }

  // Returns the place of the next end tag of this name, or the end of the page.
  std::size_t end_of_element(std::string_view name) const {
    for (std::size_t at = html_.find('<', at_); at != kNowhere; at = html_.find('<', at + 1))
      if (is_tag(at, "</", name)) return at;
    return html_.size();
  }

  // Returns the place of the end tag of a script. Old pages hide scripts in comments; inside of
  // such a comment "<script>" ... "</script>" is a part of the script.
  std::size_t end_of_script() const {
    bool comment = false, inner = false;
    for (std::size_t at = at_; at < html_.size(); ++at) {
      if (html_[at] == '-') {
        if (comment && html_.substr(at, 3) == "-->") comment = inner = false;
      } else if (html_[at] == '<') {
        if (is_tag(at, "</", "script")) {
          if (!inner) return at;
          inner = false;
        } else if (comment && is_tag(at, "<", "script")) {
          inner = true;
        } else if (!comment && html_.substr(at, 4) == "<!--") {
          comment = true;
          ++at;  // the two dashes may be those of "-->", too
        }
      }
    }
    return html_.size();
  }

  // Text with references, but without tags.
  void read_text_only(std::string_view name) {
    const std::size_t end = end_of_element(name);
    while (at_ < end) {
      const char c = html_[at_];
      if (c == '&') {
        // A reference cannot reach beyond the end, which begins with "<".
        add_reference();
      } else if (is_blank(c)) {
        ++at_;
        see_blank();
      } else if (c == '<') {
        add("<");
        ++at_;
      } else {
        add_plain();
      }
    }
  }

  std::string_view html_;
  std::size_t at_ = 0;
  char* begin_;
  char* out_;
  bool blank_ = false;        // blanks since the last text
  bool separated_ = false;    // elements that separate since then
  std::uint64_t hidden_ = 0;  // depth of templates
};

}  // namespace

std::string_view readable_text(std::string_view html, RawBuffer<char>& room) {
  room.reserve(html.size());
  return Stripper(html, room.data()).run();
}

}  // namespace benzer::internal
