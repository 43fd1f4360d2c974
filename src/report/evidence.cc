#include "report/evidence.h"

#include <algorithm>
#include <string_view>

#include "benzer/similarity.h"

#include "base/json_text.h"

namespace benzer::report {
namespace {

using Mark = ReportedText::Mark;

constexpr std::string_view kBlanks = " \t\n\r";

bool is_continuation(char c) { return (c & 0xC0) == 0x80; }

// The nearest place at or before `at` where a character begins.
std::size_t boundary_before(std::string_view text, std::size_t at) {
  for (int step = 0; step < 3 && at > 0 && at < text.size() && is_continuation(text[at]); ++step)
    --at;
  return at;
}

// The first so many bytes of a text, cut behind a blank if there is one near.
std::string_view first_part(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  const std::size_t blank = text.substr(0, bytes).find_last_of(kBlanks);
  if (blank != std::string_view::npos && blank + 4096 > bytes) return text.substr(0, blank);
  return text.substr(0, boundary_before(text, bytes));
}

void follow_text(std::string_view text, const FeatureExtractor& extractor, Evidence& out) {
  out.text = text;
  const std::string_view part = first_part(text, kFollowedBytes);
  out.followed = part.size();
  for (const TextTrace::Shingle& shingle : extractor.trace(part).shingles)
    out.places.push_back({shingle.feature, shingle.begin, shingle.end});
}

void follow_values(std::span<const std::string_view> values,
                   std::span<const std::uint64_t> features, Evidence& out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t begin = out.text.size();
    out.text += values[i];
    if (out.text.size() <= kFollowedBytes) {
      out.places.push_back({features[i], begin, out.text.size()});
      out.followed = out.text.size();
    }
    out.text += '\n';
  }
}

// How many features from the beginning are the same in both.
std::size_t common_beginning(const Evidence& a, const Evidence& b) {
  const auto differs =
      std::mismatch(a.places.begin(), a.places.end(), b.places.begin(), b.places.end(),
                    [](const auto& x, const auto& y) { return x.feature == y.feature; });
  return static_cast<std::size_t>(differs.first - a.places.begin());
}

// Where to begin with the excerpt of a long text, of which so many first features are common.
std::size_t excerpt_begin(const Evidence& evidence, std::size_t common, bool equal) {
  if (equal || evidence.places.empty() || common == 0) return 0;
  const std::size_t first = std::min(common, evidence.places.size() - 1);
  const std::size_t difference = evidence.places[first].begin;
  const std::string_view text = evidence.text;
  std::size_t begin = std::min(difference - std::min(difference, kLeadBytes),
                               text.size() - std::min(text.size(), kExcerptBytes));
  if (begin == 0) return 0;
  // Behind a blank if one is near, so that it begins with a whole word.
  const std::size_t blank = text.find_first_of(kBlanks, begin);
  if (blank != std::string_view::npos && blank < begin + 40) return blank + 1;
  return boundary_before(text, begin);
}

// Blanks are marked like what is on both sides of them. Else, and around line ends, they would only
// look like bars.
void unmark_blanks(std::string_view text, std::vector<Mark>& marks) {
  for (std::size_t begin = 0; begin < text.size();) {
    begin = std::min(text.find_first_of(kBlanks, begin), text.size());
    const std::size_t end = std::min(text.find_first_not_of(kBlanks, begin), text.size());
    const bool inside = begin > 0 && end < text.size() && marks[begin - 1] == marks[end] &&
                        text.substr(begin, end - begin).find('\n') == std::string_view::npos;
    const Mark mark = inside ? marks[end] : Mark::kNone;
    std::fill(marks.begin() + static_cast<std::ptrdiff_t>(begin),
              marks.begin() + static_cast<std::ptrdiff_t>(end), mark);
    begin = end;
  }
}

ReportedText excerpt(const Evidence& evidence, const Evidence& other, std::size_t common,
                     bool equal) {
  const std::string_view text = evidence.text;
  ReportedText out;
  out.size = text.size();
  std::size_t begin = 0, end = text.size();
  if (text.size() > kExcerptBytes + kExcerptBytes / 4) {
    begin = excerpt_begin(evidence, common, equal);
    end = boundary_before(text, std::min(text.size(), begin + kExcerptBytes));
  }
  out.begin = begin;
  out.end = end;
  out.marked = end <= evidence.followed || evidence.followed == text.size();

  // What any common shingle covers is shared, whatever else covers it: so a changed word is its
  // own, and not the four words on both sides too.
  std::vector<Mark> marks(end - begin, Mark::kNone);
  for (const Evidence::Place& place : evidence.places) {
    if (place.end <= begin || place.begin >= end) continue;
    const bool shared = other.lookup.contains(place.feature);
    for (std::size_t i = std::max(begin, place.begin); i < std::min(end, place.end); ++i)
      if (shared || marks[i - begin] == Mark::kNone)
        marks[i - begin] = shared ? Mark::kShared : Mark::kOwn;
  }
  unmark_blanks(text.substr(begin, end - begin), marks);
  for (std::size_t i = begin; i < end;) {
    std::size_t next = i;
    while (next < end && marks[next - begin] == marks[i - begin]) ++next;
    out.pieces.push_back({marks[i - begin], ""});
    append_valid_utf8(out.pieces.back().text, text.substr(i, next - i));
    i = next;
  }
  return out;
}

}  // namespace

ReportedDocument reported_document(const Corpus& corpus, std::uint32_t document) {
  const DocumentLabel label = corpus.label(document);
  return {document, label.id_json, std::string(label.source), label.line, 0};
}

Evidence read_evidence(const Corpus& corpus, Corpus::Reader& reader,
                       const FeatureExtractor& extractor, std::uint32_t document) {
  Evidence out;
  out.document = reported_document(corpus, document);
  const DocumentView view = reader.read(document);
  out.document.bytes = view.bytes;
  out.numbers.assign(view.numbers.begin(), view.numbers.end());
  FeatureBuffer buffer;
  if (extractor.spec().is_text()) {
    extractor.extract(view.text, buffer);
    follow_text(view.text, extractor, out);
  } else {
    extractor.extract_values(view.values, buffer);
    follow_values(view.values, buffer.features(), out);
  }
  out.set = FeatureSet(buffer.features());
  out.lookup.insert(out.set.features().begin(), out.set.features().end());
  return out;
}

ReportedPair compare(const Evidence& a, const Evidence& b) {
  ReportedPair out;
  out.a = a.document;
  out.b = b.document;
  const Overlap common = overlap(a.set, b.set);
  out.score = common.jaccard();
  out.shared = common.intersection;
  out.only_a = a.set.size() - common.intersection;
  out.only_b = b.set.size() - common.intersection;
  out.same_text = a.text == b.text;
  const std::size_t beginning = common_beginning(a, b);
  out.text_a = excerpt(a, b, beginning, out.same_text);
  out.text_b = excerpt(b, a, beginning, out.same_text);
  return out;
}

}  // namespace benzer::report
