// Pictures as people look at them: cards in a grid, the one that stays first.
#include <cstdint>

#include <fmt/format.h>

#include "benzer/image.h"

#include "report/html_text.h"
#include "report/page.h"

namespace benzer::report {
namespace {

constexpr std::size_t kNameLetters = 90;

// RFC 4648, section 4.
std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (i + j < bytes.size() ? static_cast<std::uint8_t>(bytes[i + j]) : 0);
    for (std::size_t j = 0; j < 4; ++j)
      out += i + j <= bytes.size() ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

std::string data_url(const std::string& jpeg) { return "data:image/jpeg;base64," + base64(jpeg); }

struct Name {
  std::string folder, file;  // as HTML
};

// Paths of pictures are long and alike; what tells them apart is the end.
Name name_of(const ReportedDocument& document) {
  const std::string_view id = shown_id(document.id_json);
  const std::size_t slash = document.line > 0 ? std::string_view::npos : id.rfind('/');
  const std::size_t at = slash == std::string_view::npos ? 0 : slash + 1;
  return {html_text(shortened(id.substr(0, at), kNameLetters)),
          html_text(shortened(id.substr(at), kNameLetters))};
}

std::string facts(const ReportedDocument& document) {
  const Name name = name_of(document);
  std::string out =
      fmt::format("<bdi title=\"{}{}\"><b>{}</b></bdi>", name.folder, name.file, name.file);
  if (document.line > 0)
    out += fmt::format("<br><span class=\"quiet\">{}, line {}</span>",
                       html_text(shortened(document.source, kNameLetters)),
                       with_separators(document.line));
  const ReportedPicture& picture = *document.picture;
  return out + fmt::format("<br>{} \u00d7 {} <span class=\"quiet\">\u00b7 {} \u00b7 {}</span>",
                           picture.width, picture.height, shown_bytes(document.bytes),
                           html_text(picture.format));
}

// `other`: what is laid over it where one points at it; empty: nothing.
void append_frame(const ReportedDocument& document, std::string_view other, std::string& out) {
  out += "<div class=\"frame\"";
  if (!other.empty()) out += fmt::format(" tabindex=\"0\" data-other=\"{}\"", other);
  out += fmt::format("><img alt=\"{}\" src=\"{}\"></div>\n", name_of(document).file,
                     data_url(document.picture->jpeg));
}

void append_kept(const ReportedDocument& document, std::string& out) {
  out += "<li class=\"card kept\">";
  append_frame(document, "", out);
  out += fmt::format("<div class=\"facts\"><span class=\"tag kept\">kept</span> {}</div></li>\n",
                     facts(document));
}

void append_difference(const ReportedPair& pair, std::string& out) {
  if (pair.difference.empty()) return;
  out += fmt::format("<div class=\"difference\"><img alt=\"where they differ\" src=\"{}\"></div>",
                     data_url(pair.difference));
}

std::uint64_t pixels(const ReportedDocument& document) {
  return std::uint64_t{document.picture->width} * document.picture->height;
}

// What should make people look twice before a picture goes.
std::string notes(const Report& report, const ReportedMember& member) {
  const ReportedPair& pair = member.pair;
  std::string out;
  if (pair.turned) out += "<br>turned or mirrored";
  if (pixels(pair.b) > pixels(pair.a))
    out += "<br><span class=\"note\">more pixels than the kept one</span>";
  if (member.link)
    out += fmt::format(
        "<br>{}linked by <b>{}</b> ({})",
        pair.score < report.threshold.value() ? "here by a chain of similar ones: " : "",
        name_of(*member.link).file,
        shown_likeness(report, member.link_score,
                       distance_of_score(report.counts.config.features, member.link_score)));
  return out;
}

void append_removed(const Report& report, const ReportedMember& member, std::string& out) {
  const ReportedPair& pair = member.pair;
  out += "<li class=\"card\">";
  append_frame(pair.b, "kept", out);
  out += fmt::format(
      "<div class=\"facts\"><span class=\"bits\">{}</span><span class=\"tag "
      "removed\">removed</span> "
      "{}{}</div>",
      pair.same_text ? "same file" : shown_likeness(report, pair.score, pair.distance),
      facts(pair.b), notes(report, member));
  append_difference(pair, out);
  out += "</li>\n";
}

std::string_view order_of_members(const ReportedCluster& cluster) {
  return cluster.equal == cluster.removed ? "" : " The least similar come first.";
}

}  // namespace

std::string shown_likeness(const Report& report, double score, std::optional<int> distance) {
  if (!report.distance) return "score " + shown_score(score);
  const int bits = report.counts.config.features.hash_bits();
  if (!distance) return fmt::format("over {} bits", bits / 2 - 1);
  return *distance == 0 ? "same hash" : fmt::format("{} of {} bits", *distance, bits);
}

void append_picture_key(std::string& out) {
  out +=
      "<p>First the picture that stays, then those that were removed because of it. <b>Point at a "
      "removed one, or tap it, and the one that stays takes its place</b>: what differs "
      "jumps.</p>\n<ul class=\"key\">\n"
      "<li><b>12 of 256 bits</b>: how many bits of the two hashes differ; the fewer, the more "
      "alike</li>\n"
      "<li><b>same file</b>: byte for byte</li>\n"
      "<li><b>the dark picture below</b>: the difference in grey, three times as strong, both "
      "brought to one size: black is the same, bright is different. Where a copy was cropped or "
      "turned by some degrees the edges are bright everywhere, which says no more than "
      "that.</li>\n</ul>\n";
}

void append_picture_cluster(const Report& report, const ReportedCluster& cluster,
                            std::string& out) {
  out += fmt::format("<p class=\"why\"><b>Why {} stays:</b> {}{}</p>\n", shown_name(cluster.keeper),
                     html_text(cluster.why_kept),
                     cluster.members.size() > 1 ? order_of_members(cluster) : "");
  out += fmt::format("<ul class=\"grid\" style=\"--other:url({})\">\n",
                     data_url(cluster.keeper.picture->jpeg));
  append_kept(cluster.keeper, out);
  for (const ReportedMember& member : cluster.members) append_removed(report, member, out);
  out += "</ul>\n";
  const std::uint64_t hidden = cluster.removed - cluster.members.size();
  if (hidden > 0)
    out += fmt::format("<p class=\"small quiet\">{} more removed {} not shown{}.</p>\n",
                       with_separators(hidden), hidden == 1 ? "picture is" : "pictures are",
                       cluster.equal == cluster.removed ? "" : ", more similar than these");
}

void append_picture_pair(const Report& report, const ReportedPair& pair, std::string& out) {
  out += fmt::format("<ul class=\"grid two\" style=\"--other:url({})\">\n",
                     data_url(pair.a.picture->jpeg));
  out += "<li class=\"card\">";
  append_frame(pair.a, "", out);
  out += fmt::format("<div class=\"facts\">{}</div></li>\n<li class=\"card\">", facts(pair.a));
  append_frame(pair.b, "the first", out);
  out += fmt::format("<div class=\"facts\">{}</div></li>\n", facts(pair.b));
  if (!pair.difference.empty())
    out += fmt::format(
        "<li class=\"card\"><div class=\"frame dark\"><img alt=\"where they differ\" "
        "src=\"{}\"></div><div class=\"facts\"><b>{}</b><br><span class=\"quiet\">where they "
        "differ{}</span></div></li>\n",
        data_url(pair.difference), shown_likeness(report, pair.score, pair.distance),
        pair.turned ? ", one turned or mirrored" : "");
  out += "</ul>\n";
}

}  // namespace benzer::report
