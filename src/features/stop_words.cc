#include "features/stop_words.h"

#include <algorithm>
#include <sstream>

#include "features/rules_mark.h"
#include "features/stop_lists.h"
#include "features/unicode.h"

namespace benzer::internal {
namespace {

const StopList* find_list(std::string_view language) noexcept {
  for (const StopList& list : stop_lists()) {
    if (list.language == language) return &list;
  }
  return nullptr;
}

}  // namespace

std::string stop_word_languages() {
  std::string names;
  for (const StopList& list : stop_lists()) {
    names += (names.empty() ? "" : ", ") + std::string(list.language);
  }
  return names;
}

bool has_stop_words(std::string_view language) noexcept { return find_list(language) != nullptr; }

std::vector<std::string> stop_words(std::string_view language) {
  std::vector<std::string> folded;
  const StopList* list = find_list(language);
  if (list == nullptr) return folded;
  std::u16string text;
  std::uint64_t replaced = 0;
  const std::string_view words = list->words;
  for (std::size_t at = 0; at < words.size();) {
    append_utf16(next_code_point(words, at, replaced), text);
  }
  const std::u16string result = nfkc_casefold(text);
  std::string word;
  std::istringstream parts(to_utf8(result));
  while (parts >> word) folded.push_back(word);
  std::sort(folded.begin(), folded.end());
  folded.erase(std::unique(folded.begin(), folded.end()), folded.end());
  return folded;
}

std::string stop_words_mark(std::string_view language) {
  std::string words;
  for (const std::string& word : stop_words(language)) words += word + '\n';
  return words.empty() ? "" : mark_of(words);
}

StopFilter::StopFilter(std::string_view language, const HashKeys& keys) {
  const std::vector<std::string> words = stop_words(language);
  bool fits = words.empty();
  for (std::size_t size = 128; !fits; size *= 2) {
    mask_ = size - 1;
    buckets_.resize(size);
    // The hash ~i belongs to the bucket size - 1 - i, which is not i because size is even.
    for (std::size_t i = 0; i < size; ++i) buckets_[i].fill(~std::uint64_t{i});
    fits = true;
    for (const std::string& word : words) fits = fits && insert(hash_unit(word, keys));
  }
}

bool StopFilter::insert(std::uint64_t hash) {
  const std::size_t number = hash & mask_;
  for (std::uint64_t& place : buckets_[number]) {
    if (place == ~std::uint64_t{number}) {
      place = hash;
      return true;
    }
  }
  return false;
}

}  // namespace benzer::internal
