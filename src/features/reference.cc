#include "features/reference.h"

#include <set>
#include <span>
#include <unordered_map>

#include "features/stop_words.h"
#include "features/unicode.h"

namespace benzer::internal {
namespace {

using Kind = FeatureSpec::Kind;

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

// Where the code points of a text start, and its end. Bytes 10xxxxxx belong to the one before.
std::vector<std::size_t> starts(std::string_view text) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xC0) != 0x80) out.push_back(i);
  }
  out.push_back(text.size());
  return out;
}

void shingle_words(const FeatureSpec& spec, const HashKeys& keys, TextTrace& trace) {
  std::vector<std::uint64_t> hashes;
  for (const std::string& word : trace.words) hashes.push_back(hash_unit(word, keys));
  const std::span all_words(trace.words);
  const std::span all_hashes(hashes);
  const auto units = trace.words.size();
  const auto wanted = static_cast<std::size_t>(spec.shingle);
  trace.is_short = units > 0 && units < wanted;
  const std::size_t n = trace.is_short ? units : wanted;
  for (std::size_t i = 0; n > 0 && i + n <= units; ++i) {
    const std::uint64_t sum = combine(all_hashes.subspan(i, n));
    trace.shingles.push_back({join(all_words.subspan(i, n)), finish(sum + keys.of_count(n))});
  }
}

void shingle_chars(const FeatureSpec& spec, const HashKeys& keys, TextTrace& trace) {
  const std::string text = join(trace.words);
  const std::vector<std::size_t> at = starts(text);
  const std::size_t units = at.size() - 1;
  const auto wanted = static_cast<std::size_t>(spec.shingle);
  trace.is_short = units > 0 && units < wanted;
  if (trace.is_short) {
    trace.shingles.push_back({text, finish(hash_unit(text, keys) + keys.of_count(units))});
    return;
  }
  for (std::size_t i = 0; i + wanted <= units; ++i) {
    const std::string shingle = text.substr(at[i], at[i + wanted] - at[i]);
    trace.shingles.push_back({shingle, finish(hash_unit(shingle, keys) + keys.of_count(wanted))});
  }
}

void count_occurrences(const HashKeys& keys, TextTrace& trace) {
  std::unordered_map<std::uint64_t, std::uint64_t> seen;
  for (TextTrace::Shingle& shingle : trace.shingles) {
    shingle.feature = occurrence(shingle.feature, ++seen[shingle.feature], keys);
  }
}

}  // namespace

ReferenceText reference_words(std::string_view text) {
  ReferenceText out;
  std::u16string utf16;
  for (std::size_t at = 0; at < text.size();) {
    append_utf16(next_code_point(text, at, out.replaced), utf16);
  }
  std::string word;
  bool cut = false;  // the word is a code point of a script without spaces, with its marks
  const auto end_word = [&] {
    if (!word.empty()) out.words.push_back(word);
    word.clear();
    cut = false;
  };
  for (const char32_t c : to_utf32(nfkc_casefold(utf16))) {
    append_utf8(c, out.normalised);
    const CharClass kind = char_class(c);
    if (kind == CharClass::kOther || kind == CharClass::kCut) end_word();
    if (kind == CharClass::kWord && cut) end_word();
    if (kind != CharClass::kOther) append_utf8(c, word);
    if (kind == CharClass::kCut) cut = true;
  }
  end_word();
  return out;
}

ReferenceText reference_truth_runs(std::string_view text) {
  ReferenceText out;
  out.normalised = lower_ascii(text);
  std::string word;
  for (const char c : out.normalised + " ") {
    if (is_truth_word_byte(c)) {
      word += c;
    } else if (!word.empty()) {
      out.words.push_back(word);
      word.clear();
    }
  }
  return out;
}

ReferenceText reference_truth_terms(std::string_view text) {
  ReferenceText out;
  for (const char c : lower_ascii(text)) {
    if (std::string_view(".,:;'").find(c) == std::string_view::npos) out.normalised += c;
  }
  std::string word;
  for (const char c : out.normalised + " ") {
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      if (word.size() >= 3 && word != "the") out.words.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  }
  return out;
}

TextTrace reference_trace(std::string_view text, const FeatureSpec& spec, const HashKeys& keys) {
  ReferenceText read;
  switch (spec.kind) {
    case Kind::kTruthW1:
      read = reference_truth_terms(text);
      break;
    case Kind::kTruthW3:
    case Kind::kTruthC5:
      read = reference_truth_runs(text);
      break;
    default:
      read = reference_words(text);
  }
  TextTrace trace;
  trace.normalised = std::move(read.normalised);
  trace.replaced = read.replaced;
  std::set<std::string> dropped;
  for (std::string& word : stop_words(spec.stop)) dropped.insert(std::move(word));
  for (std::string& word : read.words) {
    if (!dropped.contains(word)) trace.words.push_back(std::move(word));
  }
  if (spec.kind == Kind::kChars || spec.kind == Kind::kTruthC5) {
    shingle_chars(spec, keys, trace);
  } else {
    shingle_words(spec, keys, trace);
  }
  if (spec.bag) count_occurrences(keys, trace);
  return trace;
}

}  // namespace benzer::internal
