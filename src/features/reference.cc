#include "features/reference.h"

#include <algorithm>
#include <set>
#include <span>
#include <unordered_map>

#include "base/secret.h"
#include "features/dictionary_words.h"
#include "features/extension.h"
#include "features/stemmer.h"
#include "features/stop_words.h"
#include "features/text_rules.h"
#include "features/unicode.h"

namespace benzer::internal {
namespace {

using Kind = TextFeatures::Kind;
using Origins = std::vector<std::vector<Origin>>;

// Collects the bytes of a word and the origin of each.
class WordBuilder {
 public:
  explicit WordBuilder(ReferenceText& out) : out_(out) {}

  const std::string& word() const { return word_; }
  void add(char32_t c, Origin origin) {
    append_utf8(c, word_);
    origins_.resize(word_.size(), origin);
  }
  void add(char byte, std::size_t at) {
    word_ += byte;
    origins_.push_back({at, at + 1});
  }
  void finish() {
    if (!word_.empty()) {
      out_.words.push_back(word_);
      out_.origins.push_back(origins_);
    }
    drop();
  }
  void drop() {
    word_.clear();
    origins_.clear();
  }

 private:
  ReferenceText& out_;
  std::string word_;
  std::vector<Origin> origins_;
};

std::string lower_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool is_truth_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
}

std::string join(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

// Returns the origins of the bytes of the words joined by blanks. A blank comes from what is
// between the two words, or from the one character that became the end of the first and the
// beginning of the second.
std::vector<Origin> join_origins(const Origins& words) {
  std::vector<Origin> out;
  for (const std::vector<Origin>& word : words) {
    if (!out.empty()) {
      const auto [begin, end] = std::minmax(out.back().end, word.front().begin);
      out.push_back({begin, end});
    }
    out.insert(out.end(), word.begin(), word.end());
  }
  return out;
}

// Joins the units of scripts with a dictionary that touch one another, and cuts what they are into
// words.
ReferenceText by_dictionary(const ReferenceText& units) {
  ReferenceText out;
  out.normalised = units.normalised;
  out.replaced = units.replaced;
  DictionaryCutter cutter;
  for (std::size_t i = 0; i < units.words.size();) {
    std::string run;
    std::vector<std::size_t> ends;
    std::size_t next = i;
    while (next < units.words.size() && has_dictionary(units.words[next]) &&
           (next == i ||
            (units.touches[next] && run.size() + units.words[next].size() <= kMostRunBytes))) {
      run += units.words[next++];
      ends.push_back(run.size());
    }
    if (ends.empty()) {
      out.words.push_back(units.words[i]);
      out.origins.push_back(units.origins[i++]);
      continue;
    }
    for (const std::size_t end : cutter.cut(run, ends)) {
      std::string& word = out.words.emplace_back();
      std::vector<Origin>& origins = out.origins.emplace_back();
      for (; i < next - ends.size() + end; ++i) {
        word += units.words[i];
        origins.insert(origins.end(), units.origins[i].begin(), units.origins[i].end());
      }
    }
  }
  return out;
}

// A piece has one place, whatever its bytes are.
ReferenceText by_rule(std::string_view text, const FeatureSpec& spec) {
  ReferenceText out;
  out.normalised = text;
  cut_by_rule(*text_rule(spec.text()->rule, spec.str()), text, nullptr,
              [&](std::string_view piece, std::size_t begin, std::size_t end) {
                out.words.emplace_back(piece);
                out.origins.push_back({{begin, end}});
              });
  return out;
}

void shingle_words(const TextFeatures& features, const HashKeys& keys, const Origins& origins,
                   TextTrace& trace) {
  const std::span<const std::string> all_words = features.stem.empty() ? trace.words : trace.stems;
  std::vector<std::uint64_t> hashes;
  for (const std::string& word : all_words) hashes.push_back(hash_unit(word, keys));
  const std::span all_hashes(hashes);
  const auto units = all_words.size();
  const auto wanted = static_cast<std::size_t>(features.shingle);
  trace.is_short = units > 0 && units < wanted;
  const std::size_t n = trace.is_short ? units : wanted;
  for (std::size_t i = 0; n > 0 && i + n <= units; ++i) {
    const std::uint64_t sum = combine(all_hashes.subspan(i, n));
    trace.shingles.push_back({join(all_words.subspan(i, n)), finish(sum + keys.of_count(n)),
                              origins[i].front().begin, origins[i + n - 1].back().end});
  }
}

void shingle_chars(const TextFeatures& features, const HashKeys& keys, const Origins& origins,
                   TextTrace& trace) {
  const std::string text = join(trace.words);
  const std::vector<Origin> from = join_origins(origins);
  const std::vector<std::size_t> at = starts_of_code_points(text);
  const std::size_t units = at.size() - 1;
  const auto wanted = static_cast<std::size_t>(features.shingle);
  trace.is_short = units > 0 && units < wanted;
  if (trace.is_short) {
    trace.shingles.push_back({text, finish(hash_unit(text, keys) + keys.of_count(units)),
                              from.front().begin, from.back().end});
    return;
  }
  for (std::size_t i = 0; i + wanted <= units; ++i) {
    const std::string shingle = text.substr(at[i], at[i + wanted] - at[i]);
    trace.shingles.push_back({shingle, finish(hash_unit(shingle, keys) + keys.of_count(wanted)),
                              from[at[i]].begin, from[at[i + wanted] - 1].end});
  }
}

void count_occurrences(const HashKeys& keys, TextTrace& trace) {
  std::unordered_map<std::uint64_t, std::uint64_t, SecretHash> seen;
  for (TextTrace::Shingle& shingle : trace.shingles) {
    shingle.feature = occurrence(shingle.feature, ++seen[shingle.feature], keys);
  }
}

}  // namespace

std::vector<std::size_t> starts_of_code_points(std::string_view text) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xC0) != 0x80) out.push_back(i);
  }
  out.push_back(text.size());
  return out;
}

ReferenceText reference_words(std::string_view text) {
  ReferenceText out;
  std::u16string utf16;
  for (std::size_t at = 0; at < text.size();) {
    append_utf16(next_code_point(text, at, out.replaced), utf16);
  }
  const std::vector<Origin> origins = origins_of_normalised(text);
  WordBuilder word(out);
  bool cut = false;  // the word is a code point of a script without spaces, with its marks
  bool is_gap = true;
  const auto end_word = [&] {
    const std::size_t words = out.words.size();
    word.finish();
    if (out.words.size() > words) {
      out.touches.push_back(!is_gap);
      is_gap = false;
    }
    cut = false;
  };
  std::size_t place = 0;
  for (const char32_t c : to_utf32(nfkc_casefold(utf16))) {
    const Origin origin = origins.at(place++);
    append_utf8(c, out.normalised);
    const CharClass kind = char_class(c);
    if (kind == CharClass::kOther || kind == CharClass::kCut) end_word();
    if (kind == CharClass::kWord && cut) end_word();
    if (kind != CharClass::kOther) word.add(c, origin);
    if (kind == CharClass::kOther) is_gap = true;
    if (kind == CharClass::kCut) cut = true;
  }
  end_word();
  return out;
}

ReferenceText reference_truth_runs(std::string_view text) {
  ReferenceText out;
  out.normalised = lower_ascii(text);
  WordBuilder word(out);
  for (std::size_t i = 0; i < out.normalised.size(); ++i) {
    if (is_truth_word_byte(out.normalised[i])) {
      word.add(out.normalised[i], i);
    } else {
      word.finish();
    }
  }
  word.finish();
  return out;
}

ReferenceText reference_truth_terms(std::string_view text) {
  ReferenceText out;
  WordBuilder word(out);
  const auto end_word = [&word] {
    if (word.word().size() >= 3 && word.word() != "the") word.finish();
    word.drop();
  };
  const std::string lower = lower_ascii(text);
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const char c = lower[i];
    if (std::string_view(".,:;'").find(c) != std::string_view::npos) continue;
    out.normalised += c;
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      end_word();
    } else {
      word.add(c, i);
    }
  }
  end_word();
  return out;
}

TextTrace reference_trace(std::string_view text, const FeatureSpec& spec, const HashKeys& keys) {
  const TextFeatures& features = *spec.text();
  if (features.kind == Kind::kShingles) {
    TextTrace trace = extension_for("features " + spec.str()).raw_text_rules(spec)->trace(text);
    if (features.bag) count_occurrences(keys, trace);
    return trace;
  }
  ReferenceText read;
  switch (features.kind) {
    case Kind::kTerms004:
    case Kind::kTruthW1:
      read = reference_truth_terms(text);
      break;
    case Kind::kTruthW3:
    case Kind::kTruthC5:
      read = reference_truth_runs(text);
      break;
    case Kind::kDictionaryWords:
      read = by_dictionary(reference_words(text));
      break;
    case Kind::kOwn:
      read = by_rule(text, spec);
      break;
    case Kind::kWords:
    case Kind::kChars:
    case Kind::kShingles:  // above
      read = reference_words(text);
  }
  TextTrace trace;
  trace.normalised = std::move(read.normalised);
  trace.replaced = read.replaced;
  std::set<std::string> dropped;
  for (std::string& word : stop_words(features.stop)) dropped.insert(std::move(word));
  Origins origins;
  for (std::size_t i = 0; i < read.words.size(); ++i) {
    if (dropped.contains(read.words[i])) continue;
    trace.words.push_back(std::move(read.words[i]));
    origins.push_back(std::move(read.origins[i]));
  }
  if (!features.stem.empty()) {
    Stemmer stemmer(features.stem);
    for (const std::string& word : trace.words) trace.stems.emplace_back(stemmer.stem(word));
  }
  if (features.kind == Kind::kChars || features.kind == Kind::kTruthC5) {
    shingle_chars(features, keys, origins, trace);
  } else {
    shingle_words(features, keys, origins, trace);
  }
  if (features.bag) count_occurrences(keys, trace);
  return trace;
}

}  // namespace benzer::internal
