// Writes clusters and pairs of images as cards in a grid, with the kept image first.
#include <fmt/format.h>

#include "benzer/internal/base64.h"
#include "benzer/internal/text.h"
#include "benzer/similarity.h"

#include "report/html_text.h"
#include "report/page.h"
#include "report/picture_evidence.h"

namespace benzer::report {
namespace {

// An image of which the other one shows this share counts as shown completely.
constexpr double kAllOfIt = 0.95;

constexpr std::size_t kNameLetters = 90;

std::string data_url(const std::string& jpeg) {
  return "data:image/jpeg;base64," + encode_base64(jpeg);
}

struct Name {
  std::string folder, file;  // as HTML
};

// Paths of images are long and alike, and differ at the end.
Name name_of(const ReportedDocument& document) {
  const std::string_view id = shown_id(document.id_json);
  const std::size_t slash = document.line > 0 ? std::string_view::npos : id.rfind('/');
  const std::size_t at = slash == std::string_view::npos ? 0 : slash + 1;
  return {html_text(shortened(id.substr(0, at), kNameLetters)),
          html_text(shortened(id.substr(at), kNameLetters))};
}

// beside: the document that this one is shown with; its folder is not repeated.
std::string facts(const ReportedDocument& document, const ReportedDocument* beside) {
  const Name name = name_of(document);
  std::string out = fmt::format("<div><bdi title=\"{}{}\"><b>{}</b></bdi></div>", name.folder,
                                name.file, name.file);
  const ReportedPicture& picture = *document.picture;
  if (picture.width > 0)
    out += fmt::format("{} \u00d7 {} <span class=\"quiet\">\u00b7</span> ", picture.width,
                       picture.height);
  out += fmt::format("<span class=\"quiet\">{} \u00b7 {}</span>", shown_bytes(document.bytes),
                     html_text(picture.format));
  if (!picture.problem.empty())
    out += fmt::format("<div class=\"note\">{}: {}</div>",
                       picture.jpeg.empty() ? "cannot be shown" : "shown in grey",
                       html_text(picture.problem));
  if (document.line > 0) {
    out += fmt::format("<div class=\"quiet\">{}, line {}</div>",
                       html_text(shortened(document.source, kNameLetters)),
                       with_separators(document.line));
  } else if (!name.folder.empty() &&
             (beside == nullptr || name_of(*beside).folder != name.folder)) {
    out += fmt::format("<div class=\"quiet\"><bdi>in {}</bdi></div>", name.folder);
  }
  return out;
}

// Begins the cards of pictures that `first` is laid over when the pointer is on one.
void append_grid(std::string_view classes, const ReportedDocument& first, std::string& out) {
  out += fmt::format("<ul class=\"{}\"", classes);
  if (!first.picture->jpeg.empty())
    out += fmt::format(" style=\"--other:url({})\"", data_url(first.picture->jpeg));
  out += ">\n";
}

// The name of a picture for the pictures that it is laid over; empty if it cannot be shown.
std::string_view name_over_others(const ReportedDocument& first, std::string_view name) {
  return first.picture->jpeg.empty() ? std::string_view() : name;
}

// other: the name of the image that is laid over this one when the pointer is on it; empty: none
// is.
void append_frame(const ReportedDocument& document, std::string_view other, std::string& out) {
  out += "<div class=\"frame\"";
  if (!other.empty()) out += fmt::format(" tabindex=\"0\" data-other=\"{}\"", other);
  out += '>';
  if (!document.picture->jpeg.empty())
    out += fmt::format("<img alt=\"{}\" src=\"{}\">", name_of(document).file,
                       data_url(document.picture->jpeg));
  out += "</div>\n";
}

void append_kept(const ReportedCluster& cluster, std::string& out) {
  out += "<li class=\"card kept\">";
  append_frame(cluster.keeper, "", out);
  out += fmt::format(
      "<div class=\"facts\"><div class=\"row\"><span class=\"tag "
      "kept\">kept</span></div>{}<p><span class=\"quiet\">Why it is kept:</span> "
      "{}</p></div></li>\n",
      facts(cluster.keeper, &cluster.keeper), html_text(cluster.why_kept));
}

void append_difference(const ReportedPair& pair, std::string& out) {
  if (pair.difference.empty()) return;
  out += fmt::format("<div class=\"difference\"><img alt=\"{}\" src=\"{}\"></div>",
                     pair.shown ? "where one is in the other" : "where they differ",
                     data_url(pair.difference));
}

std::optional<int> distance(const Report& report, double score) {
  return distance_of_score(report.counts.config.features, score);
}

std::uint64_t pixels(const ReportedDocument& document) {
  return std::uint64_t{document.picture->width} * document.picture->height;
}

// Returns what should make people look twice before they remove an image.
std::string notes(const Report& report, const ReportedMember& member) {
  const ReportedPair& pair = member.pair;
  std::string out;
  if (pair.turned) out += "<div>turned or mirrored</div>";
  if (pixels(pair.a) > 0 && pixels(pair.b) > pixels(pair.a))
    out += "<div class=\"note\">more pixels than the kept one</div>";
  if (pair.shown && pair.shown->of_b < kAllOfIt)
    out += fmt::format("<div class=\"note\">the kept one shows {:.0f} % of it</div>",
                       100 * pair.shown->of_b);
  if (pair.shown && pair.shown->of_a < kAllOfIt)
    out += fmt::format("<div class=\"quiet\">shows {:.0f} % of the kept one</div>",
                       100 * pair.shown->of_a);
  if (member.link)
    out += fmt::format(
        "<div class=\"quiet\">{}linked by {} ({})</div>",
        pair.score < report.threshold.value() ? "here by a chain of similar ones: " : "",
        name_of(*member.link).file,
        shown_likeness(report, member.link_score, distance(report, member.link_score)));
  return out;
}

void append_removed(const Report& report, const ReportedMember& member, std::string& out) {
  const ReportedPair& pair = member.pair;
  out += "<li class=\"card\">";
  append_frame(pair.b, name_over_others(pair.a, "kept"), out);
  out += fmt::format(
      "<div class=\"facts\"><div class=\"row\"><span class=\"tag removed\">removed</span>"
      "<span class=\"bits\">{}</span></div>{}{}</div>",
      pair.same_file ? "same file" : shown_likeness(report, pair.score, pair.distance),
      facts(pair.b, &pair.a), notes(report, member));
  append_difference(pair, out);
  out += "</li>\n";
}

}  // namespace

std::string picture_title(const Report& report, const ReportedCluster& cluster) {
  const Name name = name_of(cluster.keeper);
  std::string out =
      fmt::format("<b><bdi>{}</bdi></b>: {} removed", name.file, with_separators(cluster.removed));
  const std::string_view what = report.distance ? "with the same hash" : "equal";
  if (cluster.equal == cluster.removed) {
    out += fmt::format(", {}{}", cluster.equal == 1 ? "" : "all ", what);
  } else {
    if (cluster.equal > 0)
      out += fmt::format(", {} of them {}", with_separators(cluster.equal), what);
    const std::string_view which = report.distance ? "the farthest " : "the lowest ";
    out += fmt::format(", {}{}", cluster.removed == 1 ? "" : which,
                       shown_likeness(report, cluster.weakest, distance(report, cluster.weakest)));
  }
  if (name.folder.empty()) return out;
  return out + fmt::format(" <span class=\"quiet small\"><bdi>{}</bdi></span>", name.folder);
}

std::string shown_likeness(const Report& report, double score, std::optional<int> bits_apart) {
  if (!report.distance) return "score " + shown_score(score);
  const int bits = report.counts.config.features.hash_bits();
  if (!bits_apart) return fmt::format("over {} bits", bits / 2 - 1);
  return *bits_apart == 0 ? "same hash" : fmt::format("{} of {} bits", *bits_apart, bits);
}

void append_picture_key(const Report& report, std::string& out) {
  const Comparison comparison = report.counts.config.features.comparison();
  out +=
      "<p>First the kept picture, then those that were removed because of it, the least similar "
      "first. <b>Point at a removed one, or tap it, and the kept one takes its place</b>: the "
      "differences jump.</p>\n<ul class=\"key\">\n";
  if (report.distance) {
    const int bits = report.counts.config.features.hash_bits();
    out += fmt::format(
        "<li><b>{} of {} bits</b>: how many bits of the two hashes differ; the fewer, the more "
        "alike</li>\n",
        *report.distance, bits);
  } else {
    out +=
        comparison == Comparison::kSets
            ? "<li><b>score</b>: common cells of grey / cells of both; 1 is the most alike</li>\n"
        : comparison == Comparison::kDetails
            ? "<li><b>score</b>: how many details of what both show are in the same places, beyond "
              "what chance does; strangers have less than 0.1, and 1 is the most</li>\n"
            : "<li><b>score</b>: how well two pictures agree where they are laid over each other; "
              "1 is the most</li>\n";
  }
  out += fmt::format(
      "<li><b>same file</b>: byte for byte</li>\n"
      "<li><b>the dark picture</b>: {}</li>\n</ul>\n",
      comparison == Comparison::kDetails
          ? std::string("the one that shows more, with the area of the other one bright")
          : fmt::format(
                "the difference in grey, {} times as strong, both brought to one size: black is "
                "the "
                "same, bright is different. Of a copy that was cropped, or turned by some degrees, "
                "all edges are bright, which says no more than that.",
                kContrast));
}

void append_picture_cluster(const Report& report, const ReportedCluster& cluster,
                            std::string& out) {
  append_grid("grid", cluster.keeper, out);
  append_kept(cluster, out);
  for (const ReportedMember& member : cluster.members) append_removed(report, member, out);
  out += "</ul>\n";
  const std::uint64_t hidden = cluster.removed - cluster.members.size();
  if (hidden > 0)
    out += fmt::format(
        "<p class=\"small quiet\">{} more removed {} not shown; {} at least as "
        "similar as these.</p>\n",
        with_separators(hidden), hidden == 1 ? "picture is" : "pictures are",
        hidden == 1 ? "it is" : "they are");
}

void append_picture_pair(const Report& report, const ReportedPair& pair, std::string& out) {
  append_grid("grid two", pair.a, out);
  out += "<li class=\"card\">";
  append_frame(pair.a, "", out);
  out += fmt::format("<div class=\"facts\">{}</div></li>\n<li class=\"card\">",
                     facts(pair.a, nullptr));
  append_frame(pair.b, name_over_others(pair.a, "the first"), out);
  out += fmt::format("<div class=\"facts\">{}</div></li>\n", facts(pair.b, &pair.a));
  if (!pair.difference.empty())
    out += fmt::format(
        "<li class=\"card\"><div class=\"frame black\"><img alt=\"{0}\" src=\"{1}\"></div><div "
        "class=\"facts\"><b>{2}</b><br><span class=\"quiet\">{0}{3}</span></div></li>\n",
        pair.shown ? "where one is in the other" : "where they differ", data_url(pair.difference),
        shown_likeness(report, pair.score, pair.distance),
        pair.turned ? ", one turned or mirrored" : "");
  out += "</ul>\n";
}

}  // namespace benzer::report
