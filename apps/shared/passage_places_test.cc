#include "passage_places.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/index.h"

namespace benzer::apps {
namespace {

Document with(std::string id, std::vector<std::pair<std::string, std::string>> fields) {
  Document out{std::move(id), {}};
  for (auto& [name, text] : fields) out.fields.push_back(Field::of_text(name, std::move(text)));
  return out;
}

std::string w(int first, int end) {
  std::string out;
  for (int i = first; i < end; ++i) out += (i > first ? " w" : "w") + std::to_string(i);
  return out;
}

// The passages of the query that the document has, each with its pieces as "first_word text".
std::vector<std::vector<std::string>> places(std::string_view schema, const Document& document,
                                             const Document& query, std::uint32_t min_words = 6) {
  Index index = Index::in_memory(Schema::parse(schema));
  index.index_documents({document});
  SharedPassagesOptions options;
  options.min_words = min_words;
  const auto found = index.find_shared_passages({query}, options, 1);
  EXPECT_EQ(found[0].size(), 1);
  std::vector<std::vector<std::string>> out;
  if (found[0].size() != 1) return out;
  const PassageMatch& match = found[0][0];
  const auto pieces = find_places(index.schema(), query, document, match, nullptr);
  EXPECT_EQ(pieces.size(), match.passages.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::vector<std::string>& of_passage = out.emplace_back();
    for (const PassagePlace& place : pieces[i]) {
      std::string text;
      for (const Field& field : document.fields)
        if (field.name == match.passages[i].field)
          text = field.text.substr(place.run.begin, place.run.end - place.run.begin);
      of_passage.push_back(std::to_string(place.first_word) + ' ' + text);
    }
  }
  return out;
}

constexpr std::string_view kOneField = "text=text:word3 | measure:containment";

TEST(PassagePlaces, OneForAPassageThatStandsInOnePiece) {
  EXPECT_EQ(places(kOneField, with("d", {{"text", "Ä ö, " + w(0, 40)}}),
                   with("q", {{"text", "x y " + w(10, 20) + " z"}})),
            (std::vector<std::vector<std::string>>{{"0 " + w(10, 20)}}));
}

TEST(PassagePlaces, ThePiecesOfOneThatIsPutTogether) {
  // All shingles of w0 to w9 are there, but never in one piece.
  const std::string text = w(4, 10) + " and " + w(0, 6) + " or " + w(3, 6);
  EXPECT_EQ(places(kOneField, with("d", {{"text", text}}), with("q", {{"text", w(0, 10)}})),
            (std::vector<std::vector<std::string>>{{"0 " + w(0, 6), "4 " + w(4, 10)}}));
}

TEST(PassagePlaces, RunsThatAreTooShortHaveNone) {
  const std::string text = w(0, 10) + " - " + w(20, 24) + " - " + w(30, 40);
  const std::string asked = w(0, 10) + " a " + w(20, 24) + " b " + w(32, 40);
  EXPECT_EQ(places(kOneField, with("d", {{"text", text}}), with("q", {{"text", asked}})),
            (std::vector<std::vector<std::string>>{{"0 " + w(0, 10)}, {"0 " + w(32, 40)}}));
}

TEST(PassagePlaces, FieldByField) {
  const Document document = with("d", {{"title", w(0, 8)}, {"body", w(10, 30)}});
  const Document query = with("q", {{"title", w(0, 8)}, {"body", "a " + w(12, 20)}});
  EXPECT_EQ(places("title=text:word2 | body=text:word4 | measure:containment", document, query),
            (std::vector<std::vector<std::string>>{{"0 " + w(0, 8)}, {"0 " + w(12, 20)}}));
}

TEST(PassagePlaces, OfTheFirstOfEqualPlaces) {
  const std::string text = w(0, 8) + " a " + w(0, 8);
  EXPECT_EQ(places(kOneField, with("d", {{"text", text}}),
                   with("q", {{"text", w(0, 8) + " b " + w(0, 8)}})),
            (std::vector<std::vector<std::string>>{{"0 " + w(0, 8)}, {"0 " + w(0, 8)}}));
}

TEST(PassagePlaces, NoneInADocumentThatHasChanged) {
  const Document document = with("d", {{"text", w(0, 20)}});
  Index index = Index::in_memory(Schema::parse(kOneField));
  index.index_documents({document});
  const auto found = index.find_shared_passages({with("q", {{"text", w(0, 20)}})}, {10}, 1);
  ASSERT_EQ(found[0].size(), 1);
  const Document query = with("q", {{"text", w(0, 20)}});
  const auto in = [&](const Document& changed) {
    return find_places(index.schema(), query, changed, found[0][0], nullptr);
  };
  EXPECT_TRUE(in(with("d", {{"text", w(30, 50)}}))[0].empty());
  EXPECT_TRUE(in(with("d", {}))[0].empty());
  EXPECT_EQ(in(with("d", {{"text", w(5, 12)}}))[0].size(), 1);
}

}  // namespace
}  // namespace benzer::apps
