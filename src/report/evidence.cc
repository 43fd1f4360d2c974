#include "report/evidence.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "benzer/internal/json.h"
#include "benzer/similarity.h"

#include "base/weight.h"
#include "dedup/document.h"
#include "features/mark_text.h"
#include "report/html_text.h"

namespace benzer::report {
namespace {

constexpr std::size_t kLongestId = 4096;
constexpr std::string_view kBlanks = " \t\n\r";

bool is_continuation(char c) { return (c & 0xC0) == 0x80; }

// Returns the nearest place at or before `at` where a character begins.
std::size_t boundary_before(std::string_view text, std::size_t at) {
  for (int step = 0; step < 3 && at > 0 && at < text.size() && is_continuation(text[at]); ++step)
    --at;
  return at;
}

// Returns the first `bytes` bytes of a text, or fewer, so that it is cut at a blank if one is near.
std::string_view first_part(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  const std::size_t blank = text.substr(0, bytes).find_last_of(kBlanks);
  if (blank != std::string_view::npos && blank + 4096 > bytes) return text.substr(0, blank);
  return text.substr(0, boundary_before(text, bytes));
}

// Takes the places of the first features from the shingles of the first `bytes` bytes. Shingles
// that the extractor drops are not among the features.
void follow(const FeatureExtractor& extractor, std::span<const TextTrace::Shingle> shingles,
            std::size_t bytes, Evidence& out) {
  out.places.clear();
  out.followed = bytes;
  for (const TextTrace::Shingle& shingle : shingles) {
    // The last shingles may end in the middle of a word.
    const std::size_t i = out.places.size();
    if (i == out.features.size() || shingle.feature != out.features[i]) {
      if (extractor.drops(shingle.feature)) continue;
      break;
    }
    out.places.push_back({shingle.feature, shingle.begin, shingle.end});
  }
}

void follow_text(const FeatureExtractor& extractor, std::size_t bytes, Evidence& out) {
  const std::string_view part = first_part(out.text, bytes);
  follow(extractor, extractor.trace_readable(part).shingles, part.size(), out);
}

// How two texts begin.
struct Beginning {
  std::size_t features = 0;     // that are the same in both
  std::size_t bytes = 0;        // that are the same in both
  bool has_difference = false;  // whether different features follow
};

Beginning common_beginning(const Evidence& a, const Evidence& b) {
  const auto differs =
      std::mismatch(a.features.begin(), a.features.end(), b.features.begin(), b.features.end());
  const auto other_byte = std::mismatch(a.text.begin(), a.text.end(), b.text.begin(), b.text.end());
  return {static_cast<std::size_t>(differs.first - a.features.begin()),
          static_cast<std::size_t>(other_byte.first - a.text.begin()),
          differs.first != a.features.end() || differs.second != b.features.end()};
}

// Returns where a text differs from the other one: at the first other feature if there is one and
// its place is known, else at the first other byte.
std::size_t first_difference(const Evidence& evidence, const Beginning& common) {
  if (!common.has_difference) return common.bytes;
  if (common.features < evidence.places.size()) return evidence.places[common.features].begin;
  // The other text goes on where this one ends.
  const bool is_known = evidence.places.size() == evidence.features.size();
  return is_known && !evidence.places.empty() ? evidence.places.back().begin : common.bytes;
}

// Returns where the excerpt of a long text begins.
std::size_t excerpt_begin(const Evidence& evidence, const Beginning& common) {
  const std::string_view text = evidence.text;
  if (common.features == 0) return 0;
  const std::size_t difference = first_difference(evidence, common);
  std::size_t begin = std::min(difference - std::min(difference, kLeadBytes),
                               text.size() - std::min(text.size(), kExcerptBytes));
  if (begin == 0) return 0;
  // Begins after a blank if one is near, so that the excerpt has a whole word first.
  const std::size_t blank = text.find_first_of(kBlanks, begin);
  if (blank != std::string_view::npos && blank < begin + 40) return blank + 1;
  return boundary_before(text, begin);
}

struct Part {
  std::size_t begin = 0, end = 0;
};

Part choose_part(const Evidence& evidence, const Beginning& common) {
  const std::string_view text = evidence.text;
  if (text.size() <= kExcerptBytes + kExcerptBytes / 4) return {0, text.size()};
  const std::size_t begin = excerpt_begin(evidence, common);
  return {begin, boundary_before(text, std::min(text.size(), begin + kExcerptBytes))};
}

// Returns the part to show. Traces the text, twice as far each time, until all of that part is
// known.
Part find_part(Evidence& evidence, const Beginning& common, const FeatureExtractor& extractor) {
  for (std::size_t bytes = 16 << 10;; bytes *= 2) {
    const std::size_t whole = evidence.text.size();
    const Part part = choose_part(evidence, common);
    const bool reached = !common.has_difference || evidence.places.size() > common.features;
    if (evidence.followed >= whole) return part;
    // The margin is for shingles that begin inside the part and end after it.
    if (reached && part.end + kLeadBytes <= evidence.followed) return part;
    if (evidence.followed > 0 && bytes > kFollowedBytes) return part;
    if (bytes > evidence.followed) follow_text(extractor, bytes, evidence);
  }
}

// words: whether the texts consist of words, or of values, every byte of which matters.
ReportedText excerpt(const Evidence& evidence, const Evidence& other, Part part, bool words) {
  const std::string_view text = evidence.text;
  const auto [begin, end] = part;
  ReportedText out;
  out.size = text.size();
  out.begin = begin;
  out.end = end;
  out.marked = end <= evidence.followed || evidence.followed == text.size();

  std::vector<MarkedShingle> shingles;
  for (const Evidence::Place& place : evidence.places) {
    if (place.end <= begin || place.begin >= end) continue;
    shingles.push_back({place.begin, place.end, other.lookup.contains(place.feature)});
  }
  out.pieces = mark_text(text, begin, end, shingles, words);
  return out;
}

// Writes the weight of each value after it. No shingle covers the weights, so they are not marked.
void show_weights(std::span<const double> weights, const FeatureExtractor& extractor,
                  TextTrace& trace) {
  std::string text;
  for (std::size_t i = 0; i < trace.shingles.size(); ++i) {
    TextTrace::Shingle& value = trace.shingles[i];
    value.begin = text.size();
    text += value.text;
    value.end = text.size();
    const double weight =
        weights.empty() ? in_units(extractor.occurrence_weight(value.feature)) : weights[i];
    text += fmt::format(" {}\n", weight);
  }
  trace.readable = std::move(text);
}

}  // namespace

std::string shown_id_json(std::string id_json) {
  return id_json.size() > kLongestId ? json_string(shortened(id_json, 200)) : std::move(id_json);
}

ReportedDocument reported_document(const Corpus& corpus, std::uint32_t document) {
  DocumentLabel label = corpus.label(document);
  return {document, shown_id_json(std::move(label.id_json)), std::move(label.source), label.line, 0,
          nullptr};
}

Evidence evidence_of(const DocumentView& view, const FeatureExtractor& extractor,
                     const std::atomic<bool>* stop) {
  Evidence out;
  FeatureBuffer buffer(stop);
  extract_features(extractor, view, buffer);
  out.weighting = weighting_of(extractor.spec());
  out.set = FeatureSet(buffer.features());
  out.lookup = OverlapCounter(out.weighting);
  out.lookup.load(out.set.features());
  out.features.assign(buffer.occurrences().begin(), buffer.occurrences().end());
  if (extractor.spec().text()) {
    out.text = extractor.readable(view.text);
  } else {
    TextTrace trace = extractor.trace_values(view.values);
    if (extractor.spec().is_weighted()) show_weights(view.weights, extractor, trace);
    out.text = std::move(trace.readable);
    follow(extractor, trace.shingles, out.text.size(), out);
  }
  return out;
}

Evidence read_evidence(const Corpus& corpus, Corpus::Reader& reader,
                       const FeatureExtractor& extractor, std::uint32_t document,
                       const std::atomic<bool>* stop) {
  const DocumentView view = reader.read(document);
  Evidence out = evidence_of(view, extractor, stop);
  out.document = reported_document(corpus, document);
  out.document.bytes = view.bytes;
  out.numbers.assign(view.numbers.begin(), view.numbers.end());
  return out;
}

ReportedField compare(Evidence& a, Evidence& b, const FeatureExtractor& extractor) {
  ReportedField out;
  const Overlap common = overlap(a.set, b.set, a.weighting);
  out.score = common.jaccard();
  if (a.weighting != Weighting::kNone) {
    out.shared_weight = in_units(common.intersection);
    out.all_weight = in_units(common.set_union);
  }
  out.shared = static_cast<std::uint64_t>(
      std::count_if(b.set.features().begin(), b.set.features().end(),
                    [&](std::uint64_t feature) { return a.lookup.contains(feature); }));
  out.only_a = a.set.size() - out.shared;
  out.only_b = b.set.size() - out.shared;
  out.same_text = a.text == b.text;
  out.readable = extractor.spec().reads_html();
  const Beginning beginning = out.same_text ? Beginning() : common_beginning(a, b);
  const bool words = extractor.spec().text() != nullptr;
  const Part part_a = find_part(a, beginning, extractor);
  const Part part_b = find_part(b, beginning, extractor);
  out.text_a = excerpt(a, b, part_a, words);
  out.text_b = excerpt(b, a, part_b, words);
  return out;
}

}  // namespace benzer::report
