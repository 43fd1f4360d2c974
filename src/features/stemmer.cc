#include "features/stemmer.h"

#include <map>
#include <mutex>
#include <new>
#include <span>

#include <libstemmer.h>

#include "benzer/internal/embedded.h"

#include "features/config_text.h"
#include "features/rules_mark.h"

// Embeds the words that tools/make_stem_probe.py wrote: a line for each language, its code first.
BENZER_EMBED(stem_probe, BENZER_STEM_PROBE)

namespace benzer::internal {
namespace {

// One line of stem_probe.words.
struct Language {
  std::string_view code;
  std::vector<std::string_view> words;
};

// Returns where the last `count` code points of a word begin, or 0 if it has fewer.
std::size_t start_of_last(std::string_view word, int count) {
  std::size_t at = word.size();
  while (at > 0 && count > 0)
    if ((word[--at] & 0xC0) != 0x80) --count;
  return at;
}

// Returns the languages that both the file and the library have: other versions have others.
std::vector<Language> read_languages() {
  std::vector<Language> languages;
  for (const std::string_view line : split(embedded_stem_probe(), '\n')) {
    const std::vector<std::string_view> words = split(line, ' ');
    sb_stemmer* stemmer = sb_stemmer_new(std::string(words[0]).c_str(), nullptr);
    if (stemmer != nullptr) languages.push_back({words[0], {words.begin() + 1, words.end()}});
    sb_stemmer_delete(stemmer);
  }
  return languages;
}

std::span<const Language> languages() {
  static const std::vector<Language> all = read_languages();
  return all;
}

const Language* find_language(std::string_view code) {
  for (const Language& language : languages())
    if (language.code == code) return &language;
  return nullptr;
}

std::string mark_of_rules(const Language& language) {
  Stemmer stemmer(language.code);
  std::string results;
  const auto add = [&](std::string_view word) {
    results += stemmer.stem(word);
    results += '\n';
  };
  for (std::size_t i = 0; i < language.words.size(); ++i) {
    const std::string_view word = language.words[i];
    for (std::string_view rest = word; !rest.empty(); rest = rest.substr(0, start_of_last(rest, 1)))
      add(rest);
    const std::string_view next = language.words[(i + 1) % language.words.size()];
    add(std::string(word) + std::string(next.substr(start_of_last(next, 4))));
  }
  return mark_of(results);
}

}  // namespace

bool has_stemming() noexcept { return true; }

void check_stem_language(std::string_view language, std::string_view whole) {
  if (find_language(language) != nullptr) return;
  std::string names;
  for (const Language& known : languages())
    names += (names.empty() ? "" : ", ") + std::string(known.code);
  fail("features {} stem the language {}, which Snowball does not have; it has {}",
       in_quotes(whole), in_quotes(language), names);
}

std::string stem_mark(std::string_view language) {
  static std::mutex mutex;
  static std::map<std::string, std::string, std::less<>> marks;
  const Language* found = find_language(language);
  if (found == nullptr) return {};
  const std::scoped_lock lock(mutex);
  std::string& mark = marks[std::string(language)];
  if (mark.empty()) mark = mark_of_rules(*found);
  return mark;
}

Stemmer::Stemmer(std::string_view language) : stemmer_(nullptr) {
  check_stem_language(language, "+stem:" + std::string(language));
  stemmer_ = sb_stemmer_new(std::string(language).c_str(), nullptr);
  if (stemmer_ == nullptr) throw std::bad_alloc();
}

Stemmer::~Stemmer() { sb_stemmer_delete(stemmer_); }

std::string_view Stemmer::stem(std::string_view word) {
  if (word.size() > kMostStemBytes) return word;
  const sb_symbol* stem = sb_stemmer_stem(stemmer_, reinterpret_cast<const sb_symbol*>(word.data()),
                                          static_cast<int>(word.size()));
  if (stem == nullptr) throw std::bad_alloc();
  const int size = sb_stemmer_length(stemmer_);
  if (size <= 0) return word;
  return {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(size)};
}

}  // namespace benzer::internal
