#include "passage_places.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace benzer::apps {
namespace {

const std::string* text_of(const Document& document, std::string_view field) {
  for (const Field& one : document.fields)
    if (one.name == field) return &one.text;
  return nullptr;
}

}  // namespace

PassageOptions options_for_words_of(const TextFeatures& text) {
  PassageOptions out;
  out.threads = 1;
  out.features = FeatureSpec::parse("text:word1");
  TextFeatures& words = std::get<TextFeatures>(out.features.kind);
  if (text.kind == TextFeatures::Kind::kDictionaryWords) words.kind = text.kind;
  words.html = text.html;
  words.stop = text.stop;
  words.stem = text.stem;
  return out;
}

std::vector<std::vector<PassagePlace>> find_places(const Schema& schema, const Document& query,
                                                   const Document& document,
                                                   const PassageMatch& match,
                                                   const std::atomic<bool>* stop) {
  std::vector<std::vector<PassagePlace>> out(match.passages.size());
  for (std::size_t begin = 0, end = 0; begin < out.size(); begin = end) {  // field by field
    const std::string& field = match.passages[begin].field;
    while (end < out.size() && match.passages[end].field == field) ++end;
    const std::string* const in_query = text_of(query, field);
    const std::string* const in_document = text_of(document, field);
    if (in_query == nullptr || in_document == nullptr) continue;
    const TextFeatures& features = *schema.fields[*schema.find(field)].features.text();
    PassageOptions options = options_for_words_of(features);
    options.min_words = static_cast<std::uint32_t>(features.shingle);
    options.stop = stop;
    MemoryCorpus corpus;
    corpus.add_text("document", *in_document);
    corpus.add_text("query", *in_query);
    std::size_t place = begin;
    std::uint64_t first_word = 0;  // of that passage
    find_passages(corpus, options, [&](const Passage& piece) {
      while (place < end && match.passages[place].end < piece.place.end) ++place;
      if (place == end || piece.place.begin < match.passages[place].begin)
        return;  // of a short run
      if (out[place].empty()) first_word = piece.place.first_word;
      out[place].push_back({piece.place.first_word - first_word, piece.words, piece.first});
    });
  }
  return out;
}

}  // namespace benzer::apps
