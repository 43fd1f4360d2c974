// Tests that an index of containment finds the passages that its documents share with a text.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/index.h"

#include "base/error_test_util.h"
#include "base/test_random.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

using Words = std::vector<std::string>;

// All features are keys, so that nothing is missed.
constexpr const char* kSchema =
    "text=text:word2 | lang=string | measure:containment | keys:1/20 | recall:0.999";

Words some_words(TestRandom& random, std::size_t count, std::uint64_t different) {
  Words out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(fmt::format("w{}", random.below(different)));
  return out;
}

Document text_document(std::string id, const Words& words) {
  return {std::move(id), {Field::of_text("text", fmt::format("{}", fmt::join(words, " ")))}};
}

// By the definition: the runs of `query` of at least min_words, as long as they are, all of whose
// shingles of n words are in `other`.
std::vector<std::pair<std::size_t, std::size_t>> runs_of(const Words& query, const Words& other,
                                                         std::size_t min_words, std::size_t n = 2) {
  const auto shingle = [n](const Words& words, std::size_t i) {
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(i);
    return Words(first, first + static_cast<std::ptrdiff_t>(n));
  };
  std::set<Words> shingles;
  for (std::size_t i = 0; i + n <= other.size(); ++i) shingles.insert(shingle(other, i));
  const auto is_shared = [&](std::size_t i) { return shingles.contains(shingle(query, i)); };
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t begin = 0; begin + n <= query.size(); ++begin) {
    if (!is_shared(begin) || (begin > 0 && is_shared(begin - 1))) continue;
    std::size_t end = begin;
    while (end + n <= query.size() && is_shared(end)) ++end;
    if (end + n - 1 - begin >= min_words) out.emplace_back(begin, end + n - 1);
  }
  return out;
}

TEST(SearchPassages, FindsWhatTheDefinitionFinds) {
  const TestFolder folder;
  for (const bool on_disk : {false, true}) {
    TestRandom random(on_disk ? 1 : 2);
    const Schema schema = Schema::parse(kSchema);
    Index index =
        on_disk ? Index::open(folder / "index", {.create_with = schema, .memtable_bytes = 20'000})
                : Index::in_memory(schema);
    std::map<std::string, Words> documents;
    for (int i = 0; i < 120; ++i) {
      const std::string id = std::to_string(random.below(100));
      documents[id] = random.below(5) == 0 && !documents.empty()
                          ? documents.begin()->second
                          : some_words(random, random.below(60), 8);
      index.index_documents({text_document(id, documents[id])});
    }
    for (int round = 0; round < 40; ++round) {
      const Words query = some_words(random, random.below(50), 8);
      const std::uint32_t min_words = 2 + static_cast<std::uint32_t>(random.below(9));
      const std::size_t limit = random.below(2) == 0 ? 1000 : 1 + random.below(8);
      std::vector<std::pair<std::int64_t, std::string>> expected;  // words, most first, and id
      for (const auto& [id, words] : documents) {
        std::set<std::size_t> covered;
        for (const auto& [begin, end] : runs_of(query, words, min_words))
          for (std::size_t i = begin; i < end; ++i) covered.insert(i);
        if (!covered.empty()) expected.emplace_back(-static_cast<std::int64_t>(covered.size()), id);
      }
      std::sort(expected.begin(), expected.end());
      expected.resize(std::min(expected.size(), limit));
      const Document asked = text_document("", query);
      const auto found =
          index.find_shared_passages({asked}, {.min_words = min_words, .limit = limit})[0];
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].id, expected[i].second);
        EXPECT_EQ(found[i].words, static_cast<std::uint64_t>(-expected[i].first));
        std::vector<std::string> texts;
        for (const auto& [begin, end] : runs_of(query, documents[found[i].id], min_words))
          texts.push_back(
              fmt::format("{}", fmt::join(query.begin() + static_cast<std::ptrdiff_t>(begin),
                                          query.begin() + static_cast<std::ptrdiff_t>(end), " ")));
        ASSERT_EQ(found[i].passages.size(), texts.size());
        for (std::size_t passage = 0; passage < texts.size(); ++passage) {
          const QueryPassage& one = found[i].passages[passage];
          EXPECT_EQ(one.text, texts[passage]);
          EXPECT_EQ(asked.fields[0].text.substr(one.begin, one.end - one.begin), one.text);
        }
      }
    }
  }
}

// The one shingle of a text with fewer words than a shingle is no run of words that were asked for.
TEST(SearchPassages, FindsWhatTheDefinitionFindsInShortTexts) {
  for (const std::size_t n : {1U, 3U, 5U}) {
    TestRandom random(n);
    Index index = Index::in_memory(Schema::parse(
        fmt::format("text=text:word{} | measure:containment | keys:1/20 | recall:0.999", n)));
    std::vector<Words> texts;
    for (std::size_t length = 0; length <= 6; ++length)
      for (const std::uint64_t different : {1U, 1U, 2U, 3U})
        texts.push_back(some_words(random, length, different));
    for (std::size_t i = 0; i < texts.size(); ++i)
      index.index_documents({text_document(std::to_string(i), texts[i])});
    const std::size_t usual = SharedPassagesOptions().min_words;
    for (const std::size_t min_words : {n, n + 1, std::size_t{6}, std::size_t{7}, usual}) {
      for (const Words& query : texts) {
        std::map<std::string, std::vector<std::uint64_t>> expected, found;
        for (std::size_t i = 0; i < texts.size(); ++i)
          for (const auto& [begin, end] : runs_of(query, texts[i], min_words, n))
            expected[std::to_string(i)].push_back(end - begin);
        const auto answer = index.find_shared_passages(
            {text_document("", query)},
            {.min_words = static_cast<std::uint32_t>(min_words), .limit = 100});
        for (const PassageMatch& match : answer[0])
          for (const QueryPassage& passage : match.passages)
            found[match.id].push_back(passage.words);
        EXPECT_EQ(found, expected) << n << " " << min_words << " " << query.size();
      }
    }
  }
}

TEST(SearchPassages, SaysWhereAPassageStandsInBytesAndCharacters) {
  Index index = Index::in_memory(Schema::parse(kSchema));
  Document stored = text_document("a", {"größe", "und", "maß", "der", "straße"});
  stored.attributes = {{"lang", "de"}};
  index.index_documents({stored, text_document("b", {"something", "else"})});
  const auto found = index.find_shared_passages(
      {text_document("", {"über", "Größe", "und", "Maß", "der", "Häuser"})}, {.min_words = 4});
  ASSERT_EQ(found[0].size(), 1U);
  EXPECT_EQ(found[0][0].id, "a");
  EXPECT_EQ(found[0][0].words, 4U);
  EXPECT_EQ(found[0][0].attributes[0].value, "de");
  EXPECT_EQ(found[0][0].passages,
            (std::vector<QueryPassage>{{"text", 6, 26, 5, 22, 4, "Größe und Maß der"}}));
  SimilarCounts counts;
  const auto none = index.find_shared_passages(
      {text_document("", {"größe", "und", "maß", "der"}), text_document("a", {"größe", "und"}),
       text_document("", {})},
      {.min_words = 2, .where = {Condition::parse("lang = en")}, .counts = &counts}, 2);
  EXPECT_THAT(none, testing::Each(testing::IsEmpty()));
  EXPECT_EQ(counts.queries, 3U);
  EXPECT_EQ(counts.similar, 0U);
}

TEST(SearchPassages, CountsAllCopiesHoweverLowTheLimit) {
  for (const char* const schema : {kSchema, "text=text:word2 | measure:containment"}) {
    Index index = Index::in_memory(Schema::parse(schema));
    const bool may_ask = std::string_view(schema) == kSchema;
    for (int i = 0; i < 30; ++i) {
      Document copy = text_document(std::to_string(10 + i), {"a", "few", "equal", "words"});
      if (may_ask) copy.attributes = {{"lang", i % 3 == 0 ? "de" : "en"}};
      index.index_documents({copy});
    }
    const auto similar = [&](const std::string& id, std::size_t limit, const char* where) {
      SimilarCounts counts;
      SharedPassagesOptions options{.min_words = 2, .limit = limit, .counts = &counts};
      if (where) options.where = {Condition::parse(where)};
      const auto found = index.find_shared_passages(
          {text_document(id, {"a", "few", "equal", "words"})}, options)[0];
      EXPECT_EQ(found.size(), std::min<std::size_t>(limit, counts.similar));
      for (std::size_t i = 1; i < found.size(); ++i) EXPECT_LT(found[i - 1].id, found[i].id);
      if (!found.empty()) EXPECT_EQ(found[0].id, where ? "11" : id == "10" ? "11" : "10");
      return counts.similar;
    };
    for (const std::size_t limit : {0, 1, 10, 1000}) {
      EXPECT_EQ(similar("", limit, nullptr), 30U);
      EXPECT_EQ(similar("10", limit, nullptr), 29U);
      EXPECT_EQ(similar("25", limit, nullptr), 29U);
      EXPECT_EQ(similar("strange", limit, nullptr), 30U);
      if (may_ask) EXPECT_EQ(similar("", limit, "lang = en"), 20U);
      if (may_ask) EXPECT_EQ(similar("12", limit, "lang = en"), 19U);
    }
  }
}

// With sampled keys: passages of 50 words in texts of 2,000 others.
TEST(SearchPassages, FindsQuotationsInLongTexts) {
  TestRandom random(3);
  Index index = Index::in_memory(Schema::parse("text=text:word5 | measure:containment"));
  std::vector<Document> stored, queries;
  for (int i = 0; i < 200; ++i) {
    const Words quoted = some_words(random, 50, 100'000);
    const auto with = [&](std::size_t before, std::size_t after) {
      Words out = some_words(random, before, 100'000);
      out.insert(out.end(), quoted.begin(), quoted.end());
      const Words rest = some_words(random, after, 100'000);
      out.insert(out.end(), rest.begin(), rest.end());
      return out;
    };
    stored.push_back(text_document(std::to_string(i), with(1000, 1000)));
    queries.push_back(text_document("", with(100, 70)));
  }
  index.index_documents(stored);
  const auto found = index.find_shared_passages(queries);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    ASSERT_EQ(found[i].size(), 1U);
    EXPECT_EQ(found[i][0].id, std::to_string(i));
    EXPECT_EQ(found[i][0].words, 50U);
  }
}

TEST(SearchPassages, RefusesWhatHasNoPassages) {
  const auto refusal = [](const char* schema, std::uint32_t min_words) {
    const Index index = Index::in_memory(Schema::parse(schema));
    return error_sentence(ErrorCode::kInvalidArgument,
                          [&] { index.find_shared_passages({}, {.min_words = min_words}); });
  };
  EXPECT_THAT(refusal("text=text:word5", 50), testing::HasSubstr("measure"));
  EXPECT_THAT(refusal("tags=values | measure:containment", 50),
              testing::HasSubstr("no field of the index has the features text:wordN"));
  EXPECT_THAT(refusal("text=text:char5 | measure:containment", 50),
              testing::HasSubstr("runs of words"));
  EXPECT_THAT(refusal("text=text:word5+bag | measure:containment", 50),
              testing::HasSubstr("runs of words"));
  EXPECT_THAT(refusal("text=text:word5 | measure:containment", 4),
              testing::HasSubstr("passages of 4 words are shorter than the shingles of the index"));
  const Index index = Index::in_memory(Schema::parse(kSchema));
  EXPECT_THROW(index.find_shared_passages({{"a", {Field::of_text("other", "x")}}}, {}), Error);
}

}  // namespace
}  // namespace benzer
