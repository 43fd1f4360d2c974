// Reads and writes the spellings of text features.
#include "features/config_text.h"
#include "features/dictionary_words.h"
#include "features/feature_grammar.h"
#include "features/rules_mark.h"
#include "features/stemmer.h"
#include "features/stop_words.h"
#include "features/text_rules.h"

namespace benzer::internal {
namespace {

using TextKind = TextFeatures::Kind;

struct TextRow {
  TextKind kind;
  std::string_view name;  // followed by N, if the kind has one
  int most;               // the largest N; 0: the kind fixes it
  int shingle;            // the N that the kind fixes
  std::string_view modifiers;
};

constexpr std::string_view kWordModifiers =
    "+html, +bag, +stop:LANGUAGE, +stem:LANGUAGE, +drop-common:SHARE or "
    "+tf-idf, and +seed:NUMBER";

constexpr TextRow kTextRows[] = {
    // In front of text:word, which it begins with.
    {TextKind::kDictionaryWords, "text:words", kMostWords, 0, kWordModifiers},
    {TextKind::kWords, "text:word", kMostWords, 0, kWordModifiers},
    {TextKind::kChars, "text:char", kMostChars, 0,
     "+html, +bag, +drop-common:SHARE or +tf-idf, and +seed:NUMBER"},
    {TextKind::kShingles, "text:shingle", kMostChars, 0,
     "+squeeze, +4bytes or +djb2a, +bag, +drop-common:SHARE and +seed:NUMBER"},
    {TextKind::kTerms004, "text:terms004", 0, 1, "+seed:NUMBER"},
    {TextKind::kTruthW1, "truth:w1", 0, 1, "+seed:NUMBER"},
    {TextKind::kTruthW3, "truth:w3", 0, 3, "+seed:NUMBER"},
    {TextKind::kTruthC5, "truth:c5", 0, 5, "+seed:NUMBER"},
    {TextKind::kOwn, "own:", kMostWords, 0,
     "+html, +bag, +drop-common:SHARE or +tf-idf, and +seed:NUMBER"}};

const TextRow& text_row(TextKind kind) noexcept {
  const TextRow* row = kTextRows;
  while (row->kind != kind) ++row;  // every kind has one
  return *row;
}

// Reads the N that follows the name of a row.
int read_shingle(std::string_view part, std::string_view digits, const TextRow& row) {
  const auto n = read_number(digits, 1, row.most);
  if (!n)
    fail("features {} need a number from 1 to {} behind {}, as in {}5", in_quotes(part), row.most,
         row.name, row.name);
  return *n;
}

// Reads the name of a rule, the N that may follow it, and its version. part: the whole spelling.
void read_own(std::string_view name, std::string_view part, TextFeatures& features) {
  const auto mark = take_mark(name);
  const std::size_t size = name.find_last_not_of("0123456789") + 1;
  const std::string_view digits = name.substr(size);
  name = name.substr(0, size);
  if (!is_text_rule_name(name))
    fail("features {} need the name of a text rule, as in own:line: {}", in_quotes(part),
         allowed_text_rule_names());
  const auto n = digits.empty() ? std::optional(1) : read_number(digits, 1, kMostWords);
  if (!n)
    fail("features {} have the number {}; allowed is one from 1 to {}, as in own:{}5",
         in_quotes(part), digits, kMostWords, name);
  const auto rule = text_rule(name, part);
  check_mark(mark, rule->version, fmt::format("the text rule {}", in_quotes(name)), part);
  features.rule = name;
  features.shingle = *n;
}

Modifier read_stop(std::string_view language, std::string_view whole, TextFeatures& features) {
  const bool is_repeated = !features.stop.empty();
  const auto mark = take_mark(language);
  features.stop = language;
  if (!has_stop_words(features.stop))
    fail("there is no list of stop words for the language {}; there is one for {}",
         in_quotes(language), stop_word_languages());
  check_mark(mark, stop_words_mark(language), fmt::format("the stop words for {}", language),
             whole);
  return is_repeated ? Modifier::kRepeated : Modifier::kRead;
}

Modifier read_stem(std::string_view language, std::string_view whole, TextFeatures& features) {
  const bool is_repeated = !features.stem.empty();
  const auto mark = take_mark(language);
  check_stem_language(language, whole);
  features.stem = language;
  check_mark(mark, stem_mark(language), fmt::format("Snowball's rules for {}", language), whole);
  return is_repeated ? Modifier::kRepeated : Modifier::kRead;
}

Modifier read_word_modifier(std::string_view modifier, std::string_view whole,
                            TextFeatures& features) {
  if (modifier == "html") return read_flag(features.html);
  if (take_prefix(modifier, "stop:")) return read_stop(modifier, whole, features);
  if (take_prefix(modifier, "stem:")) return read_stem(modifier, whole, features);
  return Modifier::kUnknown;
}

Modifier read_hash(TextFeatures::Hash hash, std::string_view whole, TextFeatures& features) {
  if (features.hash != TextFeatures::Hash::kFull)
    fail("features {} have two hashes; +4bytes or +djb2a is allowed once", in_quotes(whole));
  features.hash = hash;
  return Modifier::kRead;
}

Modifier read_shingles_modifier(std::string_view modifier, std::string_view whole,
                                TextFeatures& features) {
  if (modifier == "squeeze") return read_flag(features.squeeze);
  if (modifier == "4bytes") return read_hash(TextFeatures::Hash::kFourBytes, whole, features);
  if (modifier == "djb2a") return read_hash(TextFeatures::Hash::kDjb2a, whole, features);
  return Modifier::kUnknown;
}

// Returns false for the kinds of the ground truth and of the course report, whose rules others have
// fixed.
bool has_own_rules(TextKind kind) noexcept { return text_row(kind).most > 0; }

}  // namespace

std::optional<TextFeatures> read_text_kind(std::string_view part) {
  for (const TextRow& row : kTextRows) {
    std::string_view rest = part;
    if (!take_prefix(rest, row.name)) continue;
    TextFeatures out;
    out.kind = row.kind;
    if (row.kind == TextKind::kDictionaryWords) {
      const auto mark = take_mark(rest);
      check_mark(mark, dictionary_mark(), "ICU's dictionaries of words", part);
      check_dictionaries(part);
    }
    if (row.kind == TextKind::kOwn) {
      read_own(rest, part, out);
      return out;
    }
    if (row.most > 0) {
      out.shingle = read_shingle(part, rest, row);
      return out;
    }
    out.shingle = row.shingle;
    if (rest.empty()) return out;
  }
  return std::nullopt;
}

Modifier read_modifier(std::string_view modifier, std::string_view whole, TextFeatures& features) {
  if (modifier == "bag" && has_own_rules(features.kind)) return read_flag(features.bag);
  switch (features.kind) {
    case TextKind::kWords:
    case TextKind::kDictionaryWords:
      return read_word_modifier(modifier, whole, features);
    case TextKind::kChars:
    case TextKind::kOwn:
      return modifier == "html" ? read_flag(features.html) : Modifier::kUnknown;
    case TextKind::kShingles:
      return read_shingles_modifier(modifier, whole, features);
    case TextKind::kTerms004:
    case TextKind::kTruthW1:
    case TextKind::kTruthW3:
    case TextKind::kTruthC5:
      break;
  }
  return Modifier::kUnknown;
}

std::string spelling_of(const TextFeatures& features) {
  const TextRow& row = text_row(features.kind);
  std::string out(row.name);
  if (features.kind == TextKind::kOwn) {
    out += features.rule;
    if (features.shingle != 1) out += fmt::format("{}", features.shingle);
    if (const auto rule = find_text_rule(features.rule)) out += "@" + rule->version;
  } else if (row.most > 0) {
    out += fmt::format("{}", features.shingle);
  }
  if (features.kind == TextKind::kDictionaryWords) out += "@" + dictionary_mark();
  if (features.html) out += "+html";
  if (features.squeeze) out += "+squeeze";
  if (features.hash == TextFeatures::Hash::kFourBytes) out += "+4bytes";
  if (features.hash == TextFeatures::Hash::kDjb2a) out += "+djb2a";
  if (features.bag) out += "+bag";
  if (!features.stop.empty())
    out += fmt::format("+stop:{}@{}", features.stop, stop_words_mark(features.stop));
  if (!features.stem.empty())
    out += fmt::format("+stem:{}@{}", features.stem, stem_mark(features.stem));
  return out;
}

std::string_view allowed_modifiers(const TextFeatures& features) noexcept {
  return text_row(features.kind).modifiers;
}

bool can_drop_common(const TextFeatures& features) noexcept { return has_own_rules(features.kind); }

bool can_weigh(const TextFeatures& features) noexcept {
  return has_own_rules(features.kind) && !is_of_research(features);
}

bool is_of_research(const TextFeatures& features) noexcept {
  return features.kind == TextKind::kShingles || features.kind == TextKind::kTerms004;
}

}  // namespace benzer::internal
