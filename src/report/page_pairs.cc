#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "benzer/internal/text.h"

#include "report/html_text.h"
#include "report/page.h"
#include "report/page_parts.h"
#include "report/words.h"

namespace benzer::report {
namespace {

using Mark = ReportedText::Mark;

// Returns whether a text may be higher than its box, which then scrolls.
bool may_scroll(const ReportedText& text) {
  constexpr std::size_t kLines = 8, kBytes = 300;
  std::size_t lines = 0, bytes = 0;
  for (const ReportedText::Piece& piece : text.pieces) {
    bytes += piece.text.size();
    lines += static_cast<std::size_t>(std::count(piece.text.begin(), piece.text.end(), '\n'));
  }
  return lines > kLines || bytes > kBytes;
}

void append_text(const ReportedDocument& document, const ReportedText& text, std::string& out) {
  if (text.begin > 0 || text.end < text.size)
    out += fmt::format("<div class=\"part\">{}bytes {} to {} of {}{}</div>\n",
                       text.begin > 0 ? "from shortly before the first difference: " : "",
                       with_separators(text.begin), with_separators(text.end),
                       with_separators(text.size),
                       text.marked ? "" : "; so far into a text nothing is marked");
  const std::string id = name_text(document);
  out += fmt::format("<div {} dir=\"auto\" translate=\"no\">",
                     may_scroll(text) ? scroll_region("text", "Text of " + id) : "class=\"text\"");
  for (const ReportedText::Piece& piece : text.pieces) {
    const std::string shown = html_text(piece.text, Lines::kKept);
    switch (piece.mark) {
      case Mark::kShared:
        out += "<span class=\"s\">" + shown + "</span>";
        break;
      case Mark::kOwn:
        out += "<mark>" + shown + "</mark>";
        break;
      case Mark::kNone:
        out += shown;
        break;
    }
  }
  out += text.pieces.empty() ? "<span class=\"quiet\">(empty)</span></div>\n" : "</div>\n";
}

void append_side(const ReportedDocument& document, const ReportedText& text, std::string_view tag,
                 std::string& out) {
  out += "<div class=\"side\"><h4>";
  if (!tag.empty()) out += fmt::format("<span class=\"tag {}\">{}</span> ", tag, tag);
  const std::string place = shown_place(document);
  out +=
      fmt::format("<b>{}</b><br><span class=\"quiet\">{}{}{}</span></h4>\n", shown_name(document),
                  place, place.empty() ? "" : "; ", shown_bytes(document.bytes));
  append_text(document, text, out);
  out += "</div>\n";
}

std::string score_sentence(const ReportedField& field) {
  if (field.same_text)
    return field.readable ? "Without markup the two texts are the same, byte for byte."
                          : "The two texts are the same, byte for byte.";
  if (field.score == 1)
    return fmt::format(
        "Score 1: all {} are common; the texts differ in what is not compared, such as case, "
        "punctuation and repeats.",
        counted(field.shared, "feature", "features"));
  if (field.all_weight > 0)
    return fmt::format(
        "Score <b>{}</b>: both share a weight of {:.6g} of {:.6g}; {} {} common, {} only in the "
        "first, {} only in the second.",
        shown_score(field.score), field.shared_weight, field.all_weight,
        counted(field.shared, "feature", "features"), field.shared == 1 ? "is" : "are",
        with_separators(field.only_a), with_separators(field.only_b));
  return fmt::format(
      "Score <b>{}</b>: {} of {} are common; {} only in the first, {} only in the "
      "second.",
      shown_score(field.score), with_separators(field.shared),
      counted(field.shared + field.only_a + field.only_b, "feature", "features"),
      with_separators(field.only_a), with_separators(field.only_b));
}

// The same for containment.
std::string shares_sentence(const ReportedField& field) {
  const auto share = [&](std::uint64_t own) {
    const std::uint64_t size = field.shared + own;
    return fmt::format("{} of {}", with_separators(field.shared),
                       counted(size, "feature", "features"));
  };
  return fmt::format(
      "Score <b>{}</b>: the second has {} of the first, and the first has {} of the second.",
      shown_score(field.score), share(field.only_a), share(field.only_b));
}

std::string score_sentence(const Report& report, const ReportedField& field) {
  return report.measure == Measure::kContainment && !field.same_text ? shares_sentence(field)
                                                                     : score_sentence(field);
}

bool has_several_fields(const Report& report) {
  return report.schema && report.schema->fields.size() > 1;
}

constexpr EnumName<ScoreRule> kRules[] = {{ScoreRule::kMean, "the mean of the fields, by weight"},
                                          {ScoreRule::kAll, "that of the least similar field"},
                                          {ScoreRule::kAny, "that of the most similar field"}};

std::string score_sentence(const Report& report, const ReportedPair& pair) {
  if (has_several_fields(report))
    return fmt::format("Score <b>{}</b>: {}.", shown_score(pair.score),
                       name_in(kRules, report.score_rule));
  if (pair.fields.empty())
    return fmt::format("Score <b>{}</b>{}.", shown_score(pair.score),
                       report.distance
                           ? fmt::format(" ({})", shown_likeness(report, pair.score, pair.distance))
                           : "");
  // Documents of an index may be replaced while the report is made.
  if (pair.fields[0].score != pair.score)
    return fmt::format("Score <b>{}</b> when they were compared; they have changed since.",
                       shown_score(pair.score));
  return score_sentence(report, pair.fields[0]);
}

std::string tag_of(std::string_view tag) {
  return tag.empty() ? "" : fmt::format("<span class=\"tag {}\">{}</span>", tag, tag);
}

// Writes two columns for each field, or one if the texts are the same.
void append_pair(const Report& report, const ReportedPair& pair, std::string_view tag_a,
                 std::string_view tag_b, std::string& out) {
  for (const ReportedField& field : pair.fields) {
    if (pair.fields.size() > 1)
      out += fmt::format("<p class=\"small\">Field <b>{}</b>. {}</p>\n", html_text(field.name),
                         score_sentence(report, field));
    if (field.same_text) {
      out += fmt::format("<p class=\"small\">{} <b>{}</b>{}</p>\n", tag_of(tag_b),
                         shown_name(pair.b), bracketed_place(pair.b));
      out += "<div class=\"pair one\">\n";
      append_side(pair.a, field.text_a, tag_a, out);
    } else {
      out += "<div class=\"pair\">\n";
      append_side(pair.a, field.text_a, tag_a, out);
      append_side(pair.b, field.text_b, tag_b, out);
    }
    out += "</div>\n";
  }
}

std::string cluster_title(const Report& report, const ReportedCluster& cluster) {
  if (report.pictures) return picture_title(report, cluster);
  std::string out = fmt::format("<b>{}</b>: {} removed", shown_name(cluster.keeper),
                                with_separators(cluster.removed));
  if (cluster.equal == cluster.removed)
    return out + (cluster.equal == 1 ? ", equal" : ", all equal");
  if (cluster.equal > 0) out += fmt::format(", {} of them equal", with_separators(cluster.equal));
  return out + fmt::format(", {} {}", cluster.removed == 1 ? "score" : "lowest score",
                           shown_score(cluster.weakest));
}

void append_cluster(const Report& report, const ReportedCluster& cluster, std::size_t number,
                    bool unfolded, std::string& out) {
  const bool two = report.pictures && cluster.members.size() == 1;
  out += fmt::format(
      "<details id=\"cluster-{}\" class=\"{}{}\"><summary>{}</summary><div "
      "class=\"inside\">\n",
      number, two ? "two" : "one", unfolded || report.pictures ? " unfolded" : "",
      cluster_title(report, cluster));
  if (report.pictures) {
    append_picture_cluster(report, cluster, out);
    out += "</div></details>\n";
    return;
  }
  out += fmt::format("<p><b>Why {} is kept:</b> {}</p>\n", shown_name(cluster.keeper),
                     html_text(cluster.why_kept));
  if (cluster.members.size() < cluster.removed)
    out += fmt::format(
        "<p class=\"small quiet\">Shown are the least, the middle and the most "
        "similar of {} removed documents; {} not shown.</p>\n",
        with_separators(cluster.removed),
        counted(cluster.removed - cluster.members.size(), "is", "are"));
  for (const ReportedMember& member : cluster.members) {
    if (member.pair.fields.empty())
      out += fmt::format("<p>{} <b>{}</b>. {}</p>\n", tag_of("removed"), shown_name(member.pair.b),
                         score_sentence(report, member.pair));
    else
      out += fmt::format("<p>{}</p>\n", score_sentence(report, member.pair));
    if (member.link) {
      const bool chain = member.pair.score < report.threshold.value();
      out += fmt::format(
          "<p class=\"small\">{} It is linked by <b>{}</b>{}, with "
          "which its score is {}.</p>\n",
          chain ? "Below the threshold: it is here by a chain of similar documents." : "",
          shown_name(*member.link), bracketed_place(*member.link), shown_score(member.link_score));
    }
    append_pair(report, member.pair, "kept", "removed", out);
  }
  out += "</div></details>\n";
}

void append_list(const Report& report, const std::vector<std::uint32_t>& list,
                 std::unordered_set<std::uint32_t>& seen, std::string& out) {
  constexpr std::size_t kFirst = 5;  // the others are folded on narrow screens
  const std::string_view begin = report.pictures ? "<div class=\"clusters\">\n" : "<div>\n";
  bool unfolded = true;  // the first of each list, as an example of what is in it
  out += begin;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i == kFirst)
      out += fmt::format("</div>\n<details class=\"more unfolded\"><summary>{}</summary>\n{}",
                         counted(list.size() - kFirst, "more cluster", "more clusters"), begin);
    const ReportedCluster& cluster = report.shown[list[i]];
    if (seen.insert(list[i]).second) {
      append_cluster(report, cluster, list[i] + 1, unfolded, out);
      unfolded = false;
    } else {
      out += fmt::format("<p class=\"small\">{} <a href=\"#cluster-{}\">(shown above)</a></p>\n",
                         cluster_title(report, cluster), list[i] + 1);
    }
  }
  out += list.size() > kFirst ? "</div></details>\n" : "</div>\n";
}

void append_titled_pair(const Report& report, const ReportedPair& pair, std::string_view tag_a,
                        std::string_view tag_b, bool unfolded, std::string& out) {
  const std::string title = fmt::format("{}: <b>{}</b> and <b>{}</b>",
                                        report.pictures || report.distance
                                            ? shown_likeness(report, pair.score, pair.distance)
                                            : shown_score(pair.score),
                                        shown_name(pair.a), shown_name(pair.b));
  if (!report.pictures && pair.fields.empty()) {  // nothing to unfold
    out += "<p>" + title + "</p>\n";
    return;
  }
  out += fmt::format("<details{}><summary>{}</summary><div class=\"inside\">\n",
                     unfolded || report.pictures ? " class=\"unfolded\"" : "", title);
  if (report.pictures) {
    append_picture_pair(report, pair, out);
  } else {
    out += fmt::format("<p>{}</p>\n", score_sentence(report, pair));
    append_pair(report, pair, tag_a, tag_b, out);
  }
  out += "</div></details>\n";
}

void append_border_side(const Report& report, const std::vector<ReportedPair>& pairs,
                        std::string_view title, std::string_view none, std::string& out) {
  out += fmt::format("<h3>{}</h3>\n", title);
  if (pairs.empty()) out += fmt::format("<p>{}</p>\n", none);
  for (const ReportedPair& pair : pairs)
    append_titled_pair(report, pair, "", "", &pair == &pairs.front(), out);
}

void append_sample(const Report& report, std::string& out) {
  if (report.sample.empty()) return;
  const std::uint64_t all = report.equal + report.near;
  out += fmt::format(
      "<h3>Picked at random</h3>\n<p class=\"quiet\">{} of {}, the kept {} first. All were equally "
      "likely to be picked, so the share of copies among these is an estimate of that among "
      "all.{}</p>\n",
      with_separators(report.sample.size()), counted(all, "removal", "removals"),
      noun_of(report).one, report.schema ? "" : " <code>benzer review</code> asks about them.");
  for (const ReportedPair& pair : report.sample)
    append_titled_pair(report, pair, "kept", "removed", &pair == &report.sample.front(), out);
}

// Pairs with the highest score are not among those above the threshold.
std::string none_above(const Report& report) {
  if (report.equal_pairs == 0)
    return fmt::format("No pair of different {} reaches the threshold{}.", noun_of(report).many,
                       except_set_apart(report));
  const bool is_contained = report.measure == Measure::kContainment;
  return fmt::format("Every compared pair that reaches the threshold{} has {}{}. {}",
                     report.set_apart > 0 ? except_set_apart(report) + "," : "",
                     report.distance ? "distance 0" : "score 1",
                     is_contained ? ": one document is wholly contained in the other" : "",
                     "Such pairs are not listed here.");
}

bool shows_texts(const Report& report) {
  return std::any_of(report.shown.begin(), report.shown.end(), [](const ReportedCluster& cluster) {
    return std::any_of(cluster.members.begin(), cluster.members.end(),
                       [](const ReportedMember& member) { return !member.pair.fields.empty(); });
  });
}

}  // namespace

void append_clusters(const Report& report, std::string& out) {
  append_heading("clusters", "Clusters side by side", out);
  if (report.shown.empty()) {
    out += "<p>There are none.</p>\n";
    return;
  }
  if (report.pictures) {
    append_picture_key(report, out);
  } else if (!shows_texts(report)) {
    out += report.distance
               ? "<p>The page shows no pictures of an index, so here are ids and scores.</p>\n"
               : "<p>An index keeps no texts, so here are ids and scores.</p>\n";
  } else {
    out += fmt::format(
        "<p>First the kept document, then one that {} removed because of it. Of long texts a part "
        "is shown.</p>\n",
        report.run.dry_run ? "would be" : "was");
    out +=
        "<ul class=\"key\">\n<li><span class=\"s\">in both</span>: a shared shingle "
        "covers it</li>\n<li><mark>only here</mark>: no shared shingle covers it</li>\n<li>plain: "
        "not compared (blanks, punctuation)</li>\n</ul>\n";
  }
  std::unordered_set<std::uint32_t> seen;
  const auto all = [&](std::size_t shown) {
    return fmt::format("{} of {}", with_separators(shown),
                       counted(report.clusters, "cluster", "clusters"));
  };
  out +=
      fmt::format("<h3>The largest</h3>\n<p class=\"quiet\">{}.</p>\n", all(report.largest.size()));
  append_list(report, report.largest, seen, out);
  if (!report.weakest.empty()) {
    out += fmt::format(
        "<h3>The weakest</h3>\n<p class=\"quiet\">{}: those with {} between a removed {} and its "
        "keeper. If these convince, the others do.</p>\n",
        all(report.weakest.size()), report.distance ? "the largest distance" : "the lowest score",
        noun_of(report).one);
    append_list(report, report.weakest, seen, out);
  }
  if (!report.any.empty()) {
    out += fmt::format(
        "<h3>Any others</h3>\n<p class=\"quiet\">{}, chosen by a hash of their numbers and by "
        "nothing else.</p>\n",
        all(report.any.size()));
    append_list(report, report.any, seen, out);
  }
  append_sample(report, out);
}

void append_border(const Report& report, std::string& out) {
  append_heading("border", "Just above and below the line", out);
  const std::string_view one = noun_of(report).one;
  if (report.distance) {
    out += fmt::format(
        "<p>The pairs nearest to the distance {}, so that you can judge it: if those below the "
        "line "
        "are copies too, allow a larger one{}; if those above are not, a smaller one. Each {} "
        "appears once as long as there are enough.</p>\n",
        *report.distance, report.schema ? "" : " with <code>--distance</code>", one);
  } else {
    out += fmt::format(
        "<p>The pairs nearest to the threshold {}, so that you can judge it: if those below are "
        "copies too, lower it; if those above are not, raise it. Each {} appears once as long as "
        "there are enough.</p>\n",
        html_text(report.threshold.str()), one);
  }
  append_border_side(report, report.above, "Just above: these count as similar", none_above(report),
                     out);
  append_border_side(report, report.under, "Just below: these do not",
                     "No pair below the threshold was compared.", out);
}

}  // namespace benzer::report
