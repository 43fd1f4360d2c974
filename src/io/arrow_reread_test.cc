// Checks that documents of Arrow tables are the same when they are read again, and what runs and
// indexes make of them.
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/arrow.h"
#include "benzer/dedup.h"
#include "benzer/error.h"
#include "benzer/index.h"

#include "base/error_test_util.h"
#include "io/arrow_test_util.h"

namespace benzer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t kTables = 4;

// Tables of random documents, many of which are similar: the first is a reference, and one is
// empty.
std::array<TestTable, kTables> random_tables() {
  std::mt19937 random(7);
  std::array<TestTable, kTables> tables;
  int id = 0;
  for (std::size_t i = 0; i < kTables; ++i) {
    const int batches = i == 2 ? 1 : 4;
    for (int b = 0; b < batches; ++b) {
      const int rows = i == 2 ? 0 : b == 1 ? 1500 : static_cast<int>(random() % 40);
      TextCells texts;
      std::vector<std::optional<std::int64_t>> ids;
      std::vector<std::optional<int>> groups;
      std::vector<std::optional<double>> scores;
      for (int row = 0; row < rows; ++row) {
        std::string text = "story " + std::to_string(random() % 700);
        for (int word = 0; word < 12; ++word) text += " w" + std::to_string(random() % 2);
        texts.emplace_back(std::move(text));
        if (random() % 20 == 0) texts.back().reset();
        ids.emplace_back(++id);
        groups.emplace_back(static_cast<int>(random() % 3));
        if (*groups.back() == 2) groups.back().reset();
        scores.emplace_back(0.5 * static_cast<double>(random() % 10));
      }
      tables[i].batches.push_back(
          batch_of({text_column(i == 1 ? "vu" : "u", "text", texts), number_column("l", "id", ids),
                    number_column("i", "lang", groups), number_column("g", "score", scores)}));
    }
  }
  return tables;
}

class ArrowRereadTest : public testing::Test {
 protected:
  ~ArrowRereadTest() override { EXPECT_EQ(unreleased_arrow_parts, 0); }

  // held: a bit for each table.
  ArrowOptions options_with(unsigned held, std::uint64_t memory_limit = 0) {
    ArrowOptions options;
    for (std::size_t i = 0; i < kTables; ++i) {
      opened_[i] = 0;
      (i == 0 ? options.references : options.inputs)
          .push_back(
              arrow_input(tables_[i], (held >> i & 1) != 0, "t" + std::to_string(i), &opened_[i]));
    }
    options.group_field = "lang";
    options.number_fields = {"score"};
    options.memory_limit = memory_limit;
    return options;
  }

  std::array<TestTable, kTables> tables_ = random_tables();
  std::array<std::atomic<int>, kTables> opened_{};
};

TEST_F(ArrowRereadTest, DocumentsAreTheSameWhicheverTablesAreHeld) {
  constexpr unsigned kAll = (1U << kTables) - 1;
  ScannedTables held(options_with(kAll), 1);
  ASSERT_GT(held.corpus.size(), 4'500u);
  std::vector<std::uint32_t> some;
  std::vector<SeenRow> wanted;
  for (std::uint32_t i = 1; i < held.corpus.size(); i += 1 + i % 5) {
    some.push_back(i);
    wanted.push_back(held.rows()[i]);
  }
  EXPECT_EQ(held.reread(some), wanted);
  EXPECT_EQ(held.scanned_again(), held.rows());
  for (const std::uint64_t limit : {0u, 64u << 20}) {
    for (const unsigned mask : {0u, 1u, 2u, 5u, 8u, 10u, kAll}) {
      SCOPED_TRACE(std::to_string(mask) + " of limit " + std::to_string(limit));
      ScannedTables scanned(options_with(mask, limit), 3);
      EXPECT_EQ(scanned.rows(), held.rows());
      EXPECT_EQ(scanned.labels(), held.labels());
      EXPECT_EQ(scanned.reread(some), wanted);
      EXPECT_EQ(scanned.scanned_again(), held.rows());
      for (std::size_t i = 0; i < kTables; ++i) {
        const bool is_spooled = i != 2;  // the empty table has nothing to prepare
        EXPECT_EQ(opened_[i], (mask >> i & 1) != 0 ? 1 : is_spooled ? 3 : 2) << i;
      }
      EXPECT_EQ(scanned.corpus.counts().bytes, held.corpus.counts().bytes);
      EXPECT_EQ(scanned.corpus.counts().without_group, held.corpus.counts().without_group);
    }
  }
}

TEST_F(ArrowRereadTest, PreparingOpensOnlyTheTablesOfTheDocuments) {
  ScannedTables scanned(options_with(0));
  const std::uint32_t last = scanned.corpus.size() - 1;
  EXPECT_EQ(scanned.reread({last}).at(0), scanned.rows()[last]);
  EXPECT_EQ(opened_[0], 1);
  EXPECT_EQ(opened_[3], 2);
  const auto reader = scanned.corpus.reader();
  EXPECT_EQ(error_of([&] { reader->read(0); }).code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(scanned.reread({}), IsEmpty());
}

TEST_F(ArrowRereadTest, FieldsAndWeightsAreReadAgain) {
  const TestColumn entries = struct_column(
      "entries", 3,
      {text_column("u", "key", {"a", "b", "c"}), number_column<double>("g", "value", {0.5, 2, 3})});
  ArrowOptions options;
  options.inputs.push_back(arrow_input(
      {{batch_of({text_column("u", "id", {"x", {}, "z"}), text_column("u", "text", {"A", {}, "C"}),
                  list_column("+m", "terms", {1, {}, 2}, entries),
                  bool_column("live", {true, {}, false})})}},
      false));
  ArrowOptions sets = options;
  sets.values_field = "terms";
  sets.has_weights = true;
  ScannedTables weighted(sets);
  EXPECT_EQ(weighted.reread({0, 1, 2}), weighted.rows());
  options.fields = {{.name = "text"},
                    {.name = "terms", .is_values = true, .has_weights = true},
                    {.name = "live", .is_attribute = true}};
  ScannedTables fields(options);
  EXPECT_THAT(fields.rows()[2].fields, ElementsAre("C", "[b=2][c=3]", "false"));
  EXPECT_EQ(fields.reread({0, 1, 2}), fields.rows());
}

TEST_F(ArrowRereadTest, ATableWithOtherRowsThanBeforeIsNoticed) {
  const auto table = [](std::size_t rows) {
    return TestTable{{batch_of({text_column("u", "text", TextCells(rows, "x"))})}};
  };
  // The second table has as many rows more as the first has less.
  for (const std::array<std::size_t, 2> later :
       {std::array<std::size_t, 2>{4, 3}, {6, 3}, {4, 4}, {5, 2}}) {
    ArrowOptions options;
    std::array<std::size_t, 2> rows = {5, 3};
    for (std::size_t i = 0; i < 2; ++i)
      options.inputs.push_back({.name = "t" + std::to_string(i),
                                .open =
                                    [&rows, table, i](ArrowArrayStream* out) {
                                      export_stream(std::make_shared<TestTable>(table(rows[i])),
                                                    out);
                                    },
                                .is_held = false});
    ScannedTables scanned(options);
    rows = later;
    const std::string changed = later[0] == 5 ? "t1" : "t0";
    const std::string sentence =
        "the table '" + changed + "' has other rows than when it was first read";
    EXPECT_EQ(error_sentence(ErrorCode::kBadInput, [&] { scanned.scanned_again(); }), sentence);
    EXPECT_EQ(
        error_sentence(ErrorCode::kBadInput, [&] { scanned.reread({0, 1, 2, 3, 4, 5, 6, 7}); }),
        sentence);
  }
}

TEST_F(ArrowRereadTest, RowsThatComeBackInAnotherOrderAreNoticed) {
  TextCells cells = {"a", "b", {}, "d"};
  ArrowOptions options;
  options.inputs.push_back({.open =
                                [&cells](ArrowArrayStream* out) {
                                  export_stream(std::make_shared<TestTable>(TestTable{
                                                    {batch_of({text_column("u", "text", cells)})}}),
                                                out);
                                },
                            .is_held = false});
  ScannedTables scanned(options);
  EXPECT_EQ(scanned.reread({1, 3}), (std::vector{scanned.rows()[1], scanned.rows()[3]}));
  std::swap(cells[0], cells[3]);
  const std::string sentence = "the table has other rows than when it was first read";
  EXPECT_EQ(error_sentence(ErrorCode::kBadInput, [&] { scanned.scanned_again(); }), sentence);
  EXPECT_EQ(error_sentence(ErrorCode::kBadInput, [&] { scanned.reread({1, 3}); }), sentence);
  // Only documents that are read again are checked.
  EXPECT_EQ(scanned.reread({1}), (std::vector{scanned.rows()[1]}));
}

TEST_F(ArrowRereadTest, AVisitorThatThrowsEndsTheReading) {
  class Throwing : public RowVisitor {
   public:
    void finish_block(std::unique_ptr<Block>) override { throw std::runtime_error("full"); }
  };
  for (const unsigned held : {0u, 15u}) {
    Throwing throwing;
    ArrowCorpus corpus(options_with(held));
    EXPECT_THROW(corpus.scan(throwing, 2), std::runtime_error);
  }
}

TEST_F(ArrowRereadTest, TheFlagStopsAlsoAmongEmptyBatchesAndTablesThatAreHeld) {
  const TestColumn empty = batch_of({text_column("u", "text", {})});
  std::atomic<bool> stop{false};
  int batches = 0;
  TestTable table{std::vector<TestColumn>(200, empty)};
  table.on_batch = [&] { stop = ++batches == 100; };
  ArrowOptions options;
  options.stop = &stop;
  options.inputs.push_back(arrow_input(std::move(table)));
  EXPECT_EQ(error_of([&] { ScannedTables scanned(options); }).code(), ErrorCode::kInterrupted);
  EXPECT_EQ(batches, 100);

  stop = false;
  for (const unsigned held : {0u, 15u}) {
    ArrowOptions tables = options_with(held);
    tables.stop = &stop;
    ScannedTables scanned(tables);
    stop = true;
    EXPECT_EQ(error_of([&] { scanned.scanned_again(); }).code(), ErrorCode::kInterrupted);
    stop = false;
  }
}

TEST_F(ArrowRereadTest, DeduplicatesLikeDocumentsInMemory) {
  ScannedTables scanned(options_with(0));
  MemoryCorpus memory;
  for (const SeenRow& row : scanned.rows()) {
    memory.add_text(row.id, row.text, {row.group, {Number::in(row.numbers[0])}});
    if (memory.size() == scanned.corpus.references()) memory.end_references();
  }
  DedupOptions options;
  options.config.features = FeatureSpec::parse("text:word2");
  options.threshold = Threshold::parse("0.7");
  options.keep = KeepOrder::parse("max:score,longest");
  options.threads = 2;
  const DedupResult wanted = deduplicate(memory, options);
  ASSERT_GT(wanted.removed.size(), 100u);
  for (const unsigned held : {0u, 6u, 15u}) {
    for (const std::uint64_t limit : {0u, 64u << 20}) {
      ArrowCorpus corpus(options_with(held, limit));
      options.memory_limit = limit;
      EXPECT_EQ(deduplicate(corpus, options).removed, wanted.removed) << held;
    }
    for (std::size_t i = 0; i < kTables; ++i) EXPECT_LE(opened_[i], (held >> i & 1) != 0 ? 1 : 3);
  }
}

TEST_F(ArrowRereadTest, AnIndexTakesTheDocuments) {
  const Schema schema = Schema::parse(
      "text=text:word2 | tags=values | seen=time | price=number | live=boolean | min:0.5");
  ArrowOptions options;
  options.inputs.push_back(arrow_input({{batch_of({
      number_column<std::int64_t>("l", "id", {7, 8}),
      text_column("u", "text", {"a storm hit the coast", "a storm hit the coast today"}),
      list_column("+l", "tags", {1, 2}, text_column("u", "", {"x", "x", "y"})),
      number_column<std::int64_t>("tsn:UTC", "seen", {-1'000'000'000, {}}),
      number_column<float>("f", "price", {0.1F, {}}),
      bool_column("live", {true, {}}),
  })}}));
  options.fields = input_fields(schema);
  ArrowCorpus corpus(options);
  Index index = Index::in_memory(schema);
  std::vector<Document> documents;
  read_documents(corpus, schema, 1, [&](std::vector<Document>& batch) {
    documents.insert(documents.end(), batch.begin(), batch.end());
    index.index_documents(batch);
  });
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[0].id, "7");
  EXPECT_EQ(documents[0].fields[0].text, "a storm hit the coast");
  EXPECT_THAT(documents[1].fields[1].values, ElementsAre("x", "y"));
  ASSERT_EQ(documents[0].attributes.size(), 3u);
  EXPECT_EQ(documents[0].attributes[0].value, "1969-12-31T23:59:59Z");
  EXPECT_EQ(documents[0].attributes[1].value, "0.1");
  EXPECT_EQ(documents[0].attributes[2].value, "true");
  EXPECT_THAT(documents[1].attributes, IsEmpty());
  EXPECT_EQ(index.find_similar_to("7").at(0).id, "8");
}

}  // namespace
}  // namespace benzer
