#include "research/experiments/course_texts.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/splitmix.h"
#include "research/classics/folder.h"
#include "research/experiments/draws.h"

namespace benzer::experiments {
namespace {

// The random numbers of one text or vocabulary.
Draws draws_of(std::uint64_t seed) { return Draws::from_state(splitmix64(seed)); }

// Generates words whose shares fall as 1 / rank. The first ones are shorter, as in natural
// languages.
class Vocabulary {
 public:
  Vocabulary(std::size_t size, std::uint64_t seed) {
    constexpr std::string_view kConsonants = "bdfgklmnprstvz";
    constexpr std::string_view kVowels = "aeiou";
    Draws random = draws_of(seed);
    std::unordered_set<std::string> seen;
    double sum = 0;
    while (words_.size() < size) {
      std::string word;
      const std::size_t syllables = 1 + words_.size() / 40 % 2 + random.below(3);
      for (std::size_t i = 0; i < syllables; ++i) {
        word += kConsonants[random.below(kConsonants.size())];
        word += kVowels[random.below(kVowels.size())];
      }
      word += kConsonants[random.below(kConsonants.size())];
      if (!seen.insert(word).second) continue;
      sum += 1.0 / static_cast<double>(words_.size() + 1);
      words_.push_back(std::move(word));
      sums_.push_back(sum);
    }
  }

  const std::string& draw(Draws& random) const {
    const double at = random.unit() * sums_.back();
    const auto place = std::upper_bound(sums_.begin(), sums_.end(), at);
    return words_[std::min<std::size_t>(static_cast<std::size_t>(place - sums_.begin()),
                                        words_.size() - 1)];
  }

 private:
  std::vector<std::string> words_;
  std::vector<double> sums_;
};

std::uint64_t seed_of_name(std::string_view name, std::uint64_t seed) {
  for (const char byte : name) seed = splitmix64(seed ^ static_cast<unsigned char>(byte));
  return seed;
}

}  // namespace

std::string_view original_of(std::string_view name) {
  const std::size_t dot = name.rfind(".copy");
  if (dot == name.npos || dot + 5 == name.size()) return name;
  for (const char byte : name.substr(dot + 5))
    if (byte < '0' || byte > '9') return name;
  return name.substr(0, dot);
}

std::string kind_of(std::string_view name) {
  std::string kind;
  for (const char byte : name.substr(0, name.find('.')))
    if (byte != '-' && (byte < '0' || byte > '9')) kind += byte;
  return kind;
}

std::vector<NamedText> Texts::last_kind() const {
  std::string last;
  for (const NamedText& text : originals) last = std::max(last, kind_of(text.name));
  std::vector<NamedText> out;
  for (const NamedText& text : originals)
    if (kind_of(text.name) == last) out.push_back(text);
  return out.size() < 2 ? originals : out;
}

Texts texts_for(const ExperimentOptions& options) {
  Texts texts;
  if (options.data.empty()) {
    texts.originals = made_up_texts(options.seed);
    texts.made_up = true;
    return texts;
  }
  for (NamedText& text : classics::read_folder(options.data)) {
    auto& to = original_of(text.name) == text.name ? texts.originals : texts.copies;
    to.push_back(std::move(text));
  }
  if (texts.originals.size() < 2) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{}: it has {}, and a pair needs two; give a folder of text files NAME.txt, "
                    "and perhaps near-copies of them, NAME.txt.copy1, NAME.txt.copy2, ...",
                    options.data,
                    texts.originals.empty()
                        ? "no text"
                        : fmt::format("one text, {}", texts.originals.front().name)));
  }
  return texts;
}

std::vector<NamedText> with_copies(Texts texts, std::uint64_t seed) {
  std::vector<NamedText> all = std::move(texts.copies);
  if (all.empty()) {
    for (const NamedText& original : texts.originals) {
      for (int copy = 1; copy <= kCopies; ++copy) {
        NamedText& made = all.emplace_back();
        made.name = fmt::format("{}.copy{}", original.name, copy);
        made.text = near_copy(original.text, seed_of_name(made.name, seed));
      }
    }
  }
  for (NamedText& original : texts.originals) all.push_back(std::move(original));
  std::sort(all.begin(), all.end(),
            [](const NamedText& a, const NamedText& b) { return a.name < b.name; });
  return all;
}

std::string near_copy(const std::string& text, std::uint64_t seed) {
  const std::vector<std::string> words = classics::course::words_processor(text);
  const std::size_t distinct = std::unordered_set<std::string>(words.begin(), words.end()).size();
  Draws random = draws_of(seed);
  std::string out = ">";
  for (std::size_t i = 0; i < std::max<std::size_t>(1, (distinct + 12) / 24); ++i) {
    out += ' ';
    for (int letter = 0; letter < 5; ++letter) out += static_cast<char>('a' + random.below(7));
  }
  return out + "\n" + text;
}

std::vector<NamedText> made_up_texts(std::uint64_t seed, std::size_t texts_per_kind) {
  constexpr std::size_t kVocabulary = 8000;  // words
  const Vocabulary common(kVocabulary, splitmix64(seed));
  std::vector<NamedText> texts;
  int number = 0;
  for (const char* kind : {"first", "second", "third"}) {
    const Vocabulary own(kVocabulary, splitmix64(seed + static_cast<std::uint64_t>(++number)));
    for (std::size_t i = 0; i < texts_per_kind; ++i) {
      NamedText& made = texts.emplace_back();
      made.name = fmt::format("{}-{}.txt", kind, i);
      Draws random = draws_of(seed_of_name(made.name, seed));
      const std::size_t size = 1000 + random.below(1000);
      for (std::size_t in_line = 1; made.text.size() < size; ++in_line) {
        made.text += random.below(3) < 2 ? common.draw(random) : own.draw(random);
        made.text += in_line % 12 == 0 ? ".\n" : " ";
      }
    }
  }
  std::sort(texts.begin(), texts.end(),
            [](const NamedText& a, const NamedText& b) { return a.name < b.name; });
  return texts;
}

}  // namespace benzer::experiments
