// Extracts the terms of the course report: the words processor, and the sets of terms of all
// documents.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/research/classics/course.h"

#include "base/secret.h"
#include "base/splitmix.h"
#include "research/classics/folder.h"
#include "research/classics/jaccard.h"

namespace benzer::classics::course {
namespace {

constexpr char kDrop = 0, kWhite = 1;

// Maps each byte to its lower case, to kDrop or to kWhite. The two marks are control characters to
// which no other byte is mapped. Where they occur in a text they are kept: for_each_term() tests
// for them last.
constexpr std::array<unsigned char, 256> byte_table() {
  std::array<unsigned char, 256> table{};
  for (std::size_t i = 0; i < 256; ++i) {
    table[i] = static_cast<unsigned char>(i >= 'A' && i <= 'Z' ? i + 32 : i);
    if (i == ' ' || (i >= '\t' && i <= '\r')) table[i] = kWhite;
  }
  for (const char mark : {'.', ',', ':', ';', '\''})
    table[static_cast<unsigned char>(mark)] = kDrop;
  return table;
}
constexpr std::array<unsigned char, 256> kBytes = byte_table();

// Calls take(word) for each term of the text. The words are in `bytes`, and valid until it changes.
template <class Take>
void for_each_term(std::string_view text, std::string& bytes, Take&& take) {
  if (bytes.size() < text.size() + 8) bytes.resize(text.size() + 8);
  char* begin = bytes.data();  // start of the word
  char* end = begin;
  const auto is_term = [](std::string_view word) { return word.size() >= 3 && word != "the"; };
  for (const char byte : text) {
    const auto plain = static_cast<unsigned char>(byte);
    const unsigned char kept = kBytes[plain];
    *end = static_cast<char>(kept);
    end += kept > kWhite || plain <= kWhite;
    if (kept != kWhite || plain <= kWhite) continue;
    const std::string_view word(begin, end);
    if (is_term(word)) {
      take(word);
      begin = end;
    } else {
      end = begin;
    }
  }
  if (const std::string_view word(begin, end); is_term(word)) take(word);
}

// Hashes a word in the buffer of for_each_term(), where up to 8 bytes after it can be read. The
// hash is secret: texts could be made whose words have one place in the table.
std::uint64_t hash_of(std::string_view word) noexcept {
  std::uint64_t hash = process_secret().first ^ word.size();
  std::size_t i = 0;
  std::uint64_t piece = 0;
  for (; i + 8 < word.size(); i += 8) {
    std::memcpy(&piece, word.data() + i, 8);
    hash = splitmix64(hash ^ piece);
  }
  std::memcpy(&piece, word.data() + i, 8);
  if constexpr (std::endian::native == std::endian::little) {
    piece <<= 8 * (8 - (word.size() - i));
  } else {
    piece >>= 8 * (8 - (word.size() - i));
  }
  return splitmix64(hash ^ piece);
}

// Numbers terms in the order of their first occurrence, and stores for each in which document it
// was last seen.
class TermTable {
 public:
  TermTable() : places_(1 << 14) {}

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(last_docs_.size()); }

  // Starts to load the place that add() reads first: the table is larger than the nearest caches.
  void prefetch(std::uint64_t hash) const noexcept {
    __builtin_prefetch(&places_[hash & (places_.size() - 1)]);
  }

  // Returns the number of the term if this is its first occurrence in the document, else kNoTerm.
  std::uint32_t add(std::uint64_t hash, std::string_view word, std::uint32_t doc) {
    const auto size_of_word = static_cast<std::uint32_t>(word.size());
    std::size_t at = hash & (places_.size() - 1);
    for (; places_[at].term != kNoTerm; at = (at + 1) & (places_.size() - 1)) {
      const Place& place = places_[at];
      if (place.hash != hash || place.size != size_of_word) continue;
      // For up to 8 bytes the hash is a bijection, so equal hashes need no comparison of bytes.
      if (word.size() > 8 && bytes_.compare(begins_[place.term], word.size(), word) != 0) continue;
      return std::exchange(last_docs_[place.term], doc) == doc ? kNoTerm : place.term;
    }
    const std::uint32_t number = size();
    places_[at] = {hash, number, size_of_word};
    last_docs_.push_back(doc);
    begins_.push_back(bytes_.size());
    bytes_ += word;
    if (2 * last_docs_.size() > places_.size()) grow();
    return number;
  }

 private:
  struct Place {
    std::uint64_t hash = 0;
    std::uint32_t term = kNoTerm;
    std::uint32_t size = 0;  // bytes of the term
  };

  void grow() {
    const std::vector<Place> before =
        std::exchange(places_, std::vector<Place>(2 * places_.size()));
    for (const Place& place : before) {
      if (place.term == kNoTerm) continue;
      std::size_t at = place.hash & (places_.size() - 1);
      while (places_[at].term != kNoTerm) at = (at + 1) & (places_.size() - 1);
      places_[at] = place;
    }
  }

  std::vector<Place> places_;
  std::vector<std::uint32_t> last_docs_;
  std::vector<std::size_t> begins_;  // of the terms, in bytes_
  std::string bytes_;
};

void require_two(std::size_t found, const std::string& where, ErrorCode code) {
  if (found >= 2) return;
  throw Error(code, fmt::format("{} {}, but pairs need at least 2", where,
                                found == 0 ? "has no file" : "has only 1 file"));
}

}  // namespace

std::vector<std::string> words_processor(std::string_view line) {
  std::vector<std::string> words;
  std::string bytes;
  for_each_term(line, bytes, [&](std::string_view term) { words.emplace_back(term); });
  return words;
}

TermSets TermSets::of_folder(const std::string& folder) {
  const std::vector<NamedText> texts = read_folder(folder);
  require_two(texts.size(), fmt::format("the folder {}", folder), ErrorCode::kBadInput);
  return TermSets(texts);
}

TermSets::TermSets(std::span<const NamedText> texts) {
  require_two(texts.size(), "the collection", ErrorCode::kInvalidArgument);
  constexpr std::size_t kAhead = 8;
  TermTable table;
  std::string bytes;
  std::vector<std::pair<std::uint64_t, std::string_view>>
      words;  // of a document, with their hashes
  begins_.push_back(0);
  for (std::size_t doc = 0; doc < texts.size(); ++doc) {
    if (!index_.emplace(texts[doc].name, doc).second) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("two documents are called {}: give each its own name", texts[doc].name));
    }
    names_.push_back(texts[doc].name);
    words.clear();
    for_each_term(texts[doc].text, bytes,
                  [&](std::string_view term) { words.emplace_back(hash_of(term), term); });
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (i + kAhead < words.size()) table.prefetch(words[i + kAhead].first);
      const auto& [hash, term] = words[i];
      const std::uint32_t number = table.add(hash, term, static_cast<std::uint32_t>(doc));
      if (number != kNoTerm) terms_.push_back(number);
    }
    begins_.push_back(terms_.size());
  }
  num_terms_ = table.size();
}

std::size_t TermSets::index_of(std::string_view name) const {
  const auto found = index_.find(std::string(name));
  if (found != index_.end()) return found->second;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("there is no document {} among the {}: give a name that all_docs() has",
                          name, names_.size()));
}

double TermSets::exact_jaccard(std::size_t doc1, std::size_t doc2) const {
  std::vector<std::uint32_t> a(terms(doc1).begin(), terms(doc1).end());
  std::vector<std::uint32_t> b(terms(doc2).begin(), terms(doc2).end());
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return jaccard_of_sorted(a, b);
}

}  // namespace benzer::classics::course
