// Tests an index whose features weigh by document frequencies, which it keeps.
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "benzer/compare.h"
#include "benzer/error.h"

#include "base/checked_text.h"
#include "engine/index_test_util.h"
#include "engine/stored_schema.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

// Frequencies of the words that some_text() has: the first ones are in nearly all texts.
std::shared_ptr<const DocumentFrequencies> some_frequencies(const char* features) {
  const FeatureExtractor plain(FeatureSpec::parse(features));
  FeatureBuffer buffer;
  plain.extract("w0 w1 w2 w3 w4 w5", buffer);
  std::vector<DocumentFrequencies::Entry> entries;
  for (const std::uint64_t feature : buffer.features())
    entries.push_back({feature, static_cast<std::uint32_t>(1000 >> entries.size())});
  return DocumentFrequencies::make(plain.spec(), 1000, 1, entries);
}

// Two fields weigh, by different frequencies; the third does not.
Schema some_schema() {
  Schema out = Schema::parse(
      "title=text:word1+tf-idf;w=2 | body=text:word2+tf-idf | tags=values;w=0.5 | fss:128 | "
      "bands:128x1 | min:0.3 | recall:0.999999");
  out.fields[0].features.frequencies = some_frequencies("text:word1");
  out.fields[1].features.frequencies = some_frequencies("text:word2");
  return out;
}

TEST(FrequenciesOfIndex, ASchemaIsStoredWithThem) {
  const Schema schema = some_schema().completed();
  const std::string stored = stored_schema(schema);
  EXPECT_EQ(stored.find('\n'), std::string::npos);
  EXPECT_EQ(std::count(stored.begin(), stored.end(), '\t'), 2);
  EXPECT_TRUE(stored.starts_with(schema.str() + '\t'));
  EXPECT_EQ(read_stored_schema(stored, "x"), schema);
  // `schema` holds the same frequencies in this process, which must not help.
  const std::string spelling = schema.str();
  const std::size_t second = stored.rfind('\t');
  const std::string first_table = stored.substr(spelling.size(), second - spelling.size());
  for (const std::string& other :
       {spelling, stored.substr(0, second), spelling + first_table + first_table,
        spelling + stored.substr(second) + first_table, stored + first_table,
        Schema::parse(kFields).completed().str() + first_table}) {
    try {
      read_stored_schema(other, "x");
      ADD_FAILURE() << other.substr(0, 200);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << error.what();
    }
  }
  // A name is no mark.
  Schema named = Schema::parse("x+tf-idf@0123456789abcdef=values").completed();
  EXPECT_EQ(read_stored_schema(stored_schema(named), "x"), named);
  const Schema plain = Schema::parse(kFields).completed();
  EXPECT_EQ(stored_schema(plain), plain.str());
  for (const std::string& damaged :
       {stored.substr(0, stored.size() - 8), stored + "\t", stored + "\tx y", stored + "\tAAAA"}) {
    try {
      read_stored_schema(damaged, "x");
      ADD_FAILURE() << damaged;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    }
  }
}

TEST(FrequenciesOfIndex, MatchesAreThoseOfTheDefinition) {
  const TestFolder folder;
  const std::string path = folder / "store";
  TestRandom random(11);
  std::map<std::string, Document> model;
  std::string spelling;
  for (int round = 0; round < 4; ++round) {
    OpenOptions options{.memtable_bytes = 20'000};
    // Later openings have nothing but the folder.
    if (round == 0) options.create_with = some_schema();
    if (round == 2) {
      const std::string moved = folder / "moved";
      std::filesystem::rename(path, moved);
      std::filesystem::rename(moved, path);
    }
    Index index = Index::open(path, options);
    if (round == 0) spelling = index.schema().str();
    EXPECT_EQ(index.schema().str(), spelling);
    const Oracle oracle(index.schema());
    index_batch(index, model, 60, [&] {
      return some_document("d" + std::to_string(random.below(100)), random, false);
    });
    if (round == 1) index.compact();
    index.verify();
    std::size_t matches = 0;
    for (int i = 0; i < 10; ++i) {
      const Document query = some_document("", random, false);
      const std::vector<Match> found = index.find_similar_documents(query);
      EXPECT_EQ(found, oracle.matches(model, query, {}));
      matches += found.size();
    }
    EXPECT_GT(matches, 10U);
  }
  // Another schema than that of the index is refused, also one with other frequencies.
  Schema other = some_schema();
  EXPECT_NO_THROW(Index::open(path, {.create_with = other}));
  other.fields[0].features.frequencies =
      DocumentFrequencies::make(FeatureSpec::parse("text:word1"), 1000, 1, {});
  EXPECT_THROW(Index::open(path, {.create_with = other}), Error);

  const std::string copy = folder / "copy";
  Index::open(path, {.read_only = true}).snapshot(copy);
  EXPECT_EQ(Index::open(copy, {.read_only = true}).schema().str(), spelling);
}

// The file with the schema is damaged or lost: a repair takes the given one, and keeps it whole.
TEST(FrequenciesOfIndex, ARepairWritesThemAgain) {
  const TestFolder folder;
  const std::string path = folder / "store", marker = path + "/BENZER";
  TestRandom random(12);
  std::string stored;
  {
    Index index = Index::open(path, {.create_with = some_schema()});
    std::map<std::string, Document> model;
    index_batch(index, model, 20, [&] {
      return some_document("d" + std::to_string(random.below(100)), random, false);
    });
    stored = read_file(marker);
  }
  std::string damaged = stored;
  damaged[damaged.size() / 2] ^= 1;
  std::ofstream(marker) << damaged;
  EXPECT_THROW(Index::open(path), Error);
  EXPECT_THROW(repair_index(path), Error);
  EXPECT_TRUE(repair_index(path, some_schema()).is_complete());
  EXPECT_EQ(read_file(marker), stored);

  // Sound by its checksum, but with frequencies that are not: they were damaged before.
  const std::size_t tab = stored.rfind('\t');
  std::string cut = stored.substr(0, tab + 9) + "\n";
  std::ofstream(marker) << with_checksum(cut);
  try {
    Index::open(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << error.what();
  }
  EXPECT_TRUE(repair_index(path, some_schema()).is_complete());
  EXPECT_EQ(read_file(marker), stored);
}

TEST(FrequenciesOfIndex, AComparisonShowsWhatValuesWeigh) {
  const FeatureExtractor plain(FeatureSpec::parse("values"));
  FeatureBuffer buffer;
  plain.extract_values(std::vector<std::string_view>{"menu"}, buffer);
  Schema schema = Schema::parse("tags=values+tf-idf | min:0.1");
  schema.fields[0].features.frequencies =
      DocumentFrequencies::make(plain.spec(), 3, 1, {{buffer.features()[0], 3}});
  const ComparedDocuments compared =
      compare_documents(schema, {"", {Field::of_values("tags", {"menu", "tent"})}},
                        {"", {Field::of_values("tags", {"tent", "menu", "rope"})}});
  EXPECT_EQ(compared.score, 0.6);  // (1 + 2) / (1 + 2 + 2)
  ASSERT_EQ(compared.fields.size(), 1U);
  const std::vector<MarkedPiece>& pieces = compared.fields[0].b;
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].weight, 2);
  EXPECT_EQ(pieces[1].weight, 1);
  EXPECT_EQ(pieces[1].mark, Mark::kShared);
  EXPECT_EQ(pieces[2].mark, Mark::kOwn);
  EXPECT_THROW(compare_documents(Schema::parse("tags=values+tf-idf"), {}, {}), Error);
}

}  // namespace
}  // namespace benzer
