#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/arrow.h"
#include "benzer/error.h"

#include "base/error_test_util.h"
#include "io/arrow_test_util.h"

namespace benzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Texts = std::vector<std::string>;

// Checks that all that was handed out is released at the end of a test.
class ArrowCorpusTest : public testing::Test {
 protected:
  ~ArrowCorpusTest() override { EXPECT_EQ(unreleased_arrow_parts, 0); }
};

ArrowOptions options_of(std::vector<TestColumn> batches, bool is_held = true) {
  ArrowOptions options;
  options.inputs.push_back(arrow_input({std::move(batches)}, is_held));
  return options;
}
ArrowOptions options_of(const TestColumn& batch) { return options_of(std::vector{batch}); }

std::string scan_error(const ArrowOptions& options) {
  return error_sentence(ErrorCode::kBadInput, [&] { ScannedTables scanned(options); });
}

// Fifteen rows: with short, long, empty and null texts.
TextCells various_texts() {
  TextCells out;
  for (int i = 0; i < 15; ++i) {
    if (i % 5 == 3)
      out.emplace_back();
    else
      out.emplace_back(i % 5 == 4 ? ""
                                  : std::string(static_cast<std::size_t>(4 * i + 1), 'a') +
                                        std::to_string(i));
  }
  return out;
}

Texts plain(const TextCells& cells) {
  Texts out;
  for (const auto& cell : cells) out.push_back(cell.value_or(""));
  return out;
}

// The column of the texts in one format, or as a dictionary.
TestColumn column_of(const std::string& format, const TextCells& cells) {
  if (!format.starts_with("dictionary ")) return text_column(format, "text", cells);
  TextCells values = {"unused"};
  std::vector<std::optional<std::int16_t>> rows;
  for (const auto& cell : cells) {
    // Null rows and nulls among the values are both null.
    if (!cell && rows.size() > 5) {
      rows.emplace_back();
      continue;
    }
    rows.emplace_back(static_cast<std::int16_t>(values.size()));
    values.push_back(cell);
  }
  return dictionary_column("text", rows, text_column(format.substr(11), "", values));
}

TEST_F(ArrowCorpusTest, TextsOfEveryTypeWithNullsAndSlices) {
  const TextCells cells = various_texts();
  const Texts texts = plain(cells);
  for (const std::string format :
       {"u", "U", "z", "Z", "vu", "vz", "dictionary u", "dictionary vu"}) {
    SCOPED_TRACE(format);
    const TestColumn column = column_of(format, cells);
    EXPECT_EQ(ScannedTables(options_of(batch_of({column}))).texts(), texts);
    EXPECT_EQ(ScannedTables(options_of(column)).texts(), texts);  // without a struct
    // 3 rows before the slice of the column, and 2 before that of the struct.
    const TestColumn slice = struct_column("", 10, {column.sliced(3, 12)}).sliced(2, 9);
    const ScannedTables sliced(options_of(slice));
    EXPECT_EQ(sliced.texts(), Texts(texts.begin() + 5, texts.begin() + 14));
    EXPECT_EQ(sliced.corpus.label(3).line, 4u);
    EXPECT_EQ(sliced.corpus.label(3).id_json, "3");
  }
  EXPECT_EQ(ScannedTables(options_of(batch_of({null_column("text", 3)}))).texts(), Texts(3));
}

TEST_F(ArrowCorpusTest, InvalidUtf8IsToldAndCountsAreExact) {
  const ScannedTables scanned(options_of(batch_of(
      {text_column("z", "text", {"a\xFF", "ok"}), number_column<int>("i", "id", {7, 7})})));
  EXPECT_THAT(scanned.all(&SeenRow::replaced), ElementsAre(true, false));
  EXPECT_THAT(scanned.all(&SeenRow::bytes), ElementsAre(2, 2));
  EXPECT_EQ(scanned.corpus.counts().bytes, 4u);
  EXPECT_EQ(scanned.corpus.counts().duplicate_ids, 1u);
  EXPECT_EQ(scanned.corpus.counts().skipped, 0u);
}

TEST_F(ArrowCorpusTest, EmptyAndManyBatches) {
  const auto batch = [](const TextCells& cells) {
    return batch_of({text_column("u", "text", cells)});
  };
  const std::vector<TestColumn> batches = {batch({}), batch({"a", "b"}), batch({}),
                                           batch({}), batch({"c"}),      batch({})};
  ScannedTables scanned(options_of(batches));
  EXPECT_THAT(scanned.texts(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(scanned.corpus.label(2).line, 3u);
  ScannedTables empty(options_of(batch({})));
  EXPECT_EQ(empty.corpus.size(), 0u);
  EXPECT_THAT(empty.scanned_again(), IsEmpty());
  EXPECT_THAT(empty.reread({}), IsEmpty());
}

TEST_F(ArrowCorpusTest, TablesWithNamesAndReferences) {
  const auto table = [](const TextCells& cells) {
    return TestTable{{batch_of({text_column("u", "text", cells), text_column("u", "id", cells)})}};
  };
  ArrowOptions options;
  options.references = {arrow_input(table({"r"}), true, "old"),
                        arrow_input(table({}), true, "none")};
  options.inputs = {arrow_input(table({}), true), arrow_input(table({"r", "i"}), false, "new")};
  const ScannedTables scanned(options);
  EXPECT_THAT(scanned.texts(), ElementsAre("r", "r", "i"));
  EXPECT_THAT(scanned.corpus.sources(), ElementsAre("old", "none", "", "new"));
  EXPECT_EQ(scanned.corpus.references(), 1u);
  EXPECT_EQ(scanned.corpus.source_of(0), 0u);
  EXPECT_EQ(scanned.corpus.source_of(2), 3u);
  EXPECT_EQ(scanned.corpus.label(2).source, "new");
  EXPECT_EQ(scanned.corpus.label(2).line, 2u);
  EXPECT_EQ(scanned.corpus.counts().bytes, 2u);  // without the references
  EXPECT_EQ(scanned.corpus.counts().duplicate_ids, 1u);
  EXPECT_EQ(error_of([] { ArrowCorpus corpus({}); }).code(), ErrorCode::kInvalidArgument);
}

TEST_F(ArrowCorpusTest, IdsOfEveryType) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  struct Case {
    TestColumn id;
    Texts ids, labels;
  };
  const Case cases[] = {
      {text_column("u", "id", {"a\"", "", {}}), {"a\"", "", ""}, {"\"a\\\"\"", "\"\"", "null"}},
      {column_of("dictionary U", {"x", {}, "y"}), {"x", "", "y"}, {"\"x\"", "null", "\"y\""}},
      {number_column<std::int64_t>("l", "", {INT64_MIN, 7, {}}),
       {"-9223372036854775808", "7", ""},
       {"-9223372036854775808", "7", "null"}},
      {number_column<std::uint64_t>("L", "", {UINT64_MAX, 0, {}}),
       {"18446744073709551615", "0", ""},
       {"18446744073709551615", "0", "null"}},
      {number_column<std::uint8_t>("C", "", {255, 1, 2}), {"255", "1", "2"}, {"255", "1", "2"}},
      {number_column<std::int16_t>("s", "", {-3, 1, 2}), {"-3", "1", "2"}, {"-3", "1", "2"}},
      {number_column<double>("g", "", {1.5, 2, 1e300}),
       {"1.5", "2", "1e+300"},
       {"1.5", "2", "1e+300"}},
      {number_column<double>("g", "", {kNan, -kNan, -kInfinity}), {"", "", ""}, {"0", "1", "2"}},
      {number_column<float>("f", "", {0.1F, 1, {}}), {"0.1", "1", ""}, {"0.1", "1", "null"}},
      {null_column("", 3), {"", "", ""}, {"0", "1", "2"}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.id.format);
    ArrowOptions options =
        options_of(batch_of({text_column("u", "text", {"x", "y", "z"}), one.id.named("id")}));
    const ScannedTables scanned(options);
    EXPECT_EQ(scanned.all(&SeenRow::id), one.ids);
    EXPECT_EQ(scanned.labels(), one.labels);
    options =
        options_of(batch_of({text_column("u", "text", {"x", "y", "z"}), one.id.named("key")}));
    options.id_field = "key";
    EXPECT_EQ(ScannedTables(options).labels(), one.labels);
  }
}

// The groups of 1, 1.0, "1", true and null are those that JSON lines have.
TEST_F(ArrowCorpusTest, GroupsOfEveryType) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  struct Case {
    TestColumn group;
    Texts groups;
    std::uint64_t without;
  };
  const Case cases[] = {
      {text_column("u", "", {"1", "", {}}), {"\"1", "\"", ""}, 1},
      {column_of("dictionary u", {"x", {}, "x"}), {"\"x", "", "\"x"}, 1},
      {number_column<int>("i", "", {1, {}, -20}), {"1", "", "-20"}, 1},
      {number_column<std::uint64_t>("L", "", {10'000'000'000'000'000'000U, 0, 1}),
       {"10000000000000000000", "0", "1"},
       0},
      {number_column<double>("g", "", {1, 1e19, 0.25}), {"1", "10000000000000000000", "0.25"}, 0},
      {number_column<double>("g", "", {-0.0, kNan, -kNan}), {"0", "", ""}, 2},
      {number_column<float>("f", "", {1, 0.1F, {}}), {"1", "0.1", ""}, 1},
      {bool_column("", {true, false, {}}), {"true", "false", ""}, 1},
      {number_column<int>("tdD", "", {0, 1, {}}),
       {"1970-01-01T00:00:00Z", "1970-01-02T00:00:00Z", ""},
       1},
      {number_column<std::int64_t>("tsn:", "", {1, -1, 1'000}),
       {"1970-01-01T00:00:00.000000001Z", "1969-12-31T23:59:59.999999999Z",
        "1970-01-01T00:00:00.000001Z"},
       0},
      {number_column<std::int64_t>("tsn:UTC", "", {1'500'000'010, 60'000'000'000, {}}),
       {"1970-01-01T00:00:01.50000001Z", "1970-01-01T00:01:00Z", ""},
       1},
      {text_column("U", "", {"\"1", "1.50", {}}).extended(kGroupNames), {"\"1", "1.5", ""}, 1},
      {text_column("U", "", {"1E2", "true", "1970-01-01T00:00:00Z"}).extended(kGroupNames),
       {"100", "true", "1970-01-01T00:00:00Z"},
       0},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.group.format);
    ArrowOptions options =
        options_of(batch_of({text_column("u", "text", {"x", "y", "z"}), one.group.named("g")}));
    options.group_field = "g";
    const ScannedTables scanned(options);
    EXPECT_EQ(scanned.all(&SeenRow::group), one.groups);
    EXPECT_EQ(scanned.corpus.counts().without_group, one.without);
  }
}

TEST_F(ArrowCorpusTest, NumbersAndTimesInSeconds) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  ArrowOptions options = options_of(batch_of({
      text_column("u", "text", {"x", "y"}),
      number_column<std::uint64_t>("L", "big", {UINT64_MAX, {}}),
      number_column<double>("g", "double", {0.5, kNan}),
      number_column<std::int64_t>("tsm:UTC", "milli", {1500, -1500}),
      number_column<std::int64_t>("tsn:", "nano", {1'500'000'000, -1'500'000'000}),
      number_column<std::int32_t>("tdD", "days", {1, -1}),
      number_column<std::int64_t>("tdm", "date64", {86'400'000, {}}),
  }));
  options.number_fields = {"big", "double", "milli", "nano", "days", "date64"};
  const ScannedTables scanned(options);
  EXPECT_THAT(scanned.rows()[0].numbers,
              ElementsAre("18446744073709551615", "0.5", "1.5", "1.5", "86400", "86400"));
  EXPECT_THAT(scanned.rows()[1].numbers,
              ElementsAre("none", "none", "-1.5", "-1.5", "-86400", "none"));
  EXPECT_EQ(scanned.corpus.counts().without_number, 1u);
}

// Slices of structs in structs, each with rows before it, and null ones.
TEST_F(ArrowCorpusTest, NamesLeadIntoStructs) {
  const TextCells cells = various_texts();
  const TestColumn text = text_column("u", "te/xt", cells);
  std::vector<bool> there(14, true), all(13, true);
  there[6] = false;
  all[7] = false;
  const TestColumn inner = struct_column("in", 14, {text.sliced(1, 14)}, there);
  const TestColumn meta = struct_column("meta", 13, {inner.sliced(1, 13)}, all);
  const TestColumn batch = struct_column("", 12, {meta.sliced(1, 12)}).sliced(2, 9);
  Texts wanted = plain({cells.begin() + 5, cells.begin() + 14});
  wanted[2] = "";  // 6 in `inner` is row 5 of `meta` and 4 of the batch
  wanted[4] = "";
  for (const std::string name : {"meta.in.te/xt", "/meta/in/te~1xt"}) {
    ArrowOptions options = options_of(batch);
    options.text_field = name;
    EXPECT_EQ(ScannedTables(options).texts(), wanted) << name;
  }
  // A column with that name is preferred.
  ArrowOptions options =
      options_of(batch_of({text_column("u", "a.b", {"dotted"}),
                           struct_column("a", 1, {text_column("u", "b", {"nested"})})}));
  options.text_field = "a.b";
  EXPECT_THAT(ScannedTables(options).texts(), ElementsAre("dotted"));
}

TEST_F(ArrowCorpusTest, ValueSetsOfEveryType) {
  const TestColumn values = text_column("u", "item", {"skipped", "a", "b", {}, "c", "d", "e"});
  const TestColumn items = values.sliced(1, 6);
  struct Case {
    TestColumn column;
    std::vector<Texts> values;
  };
  const Case cases[] = {
      {list_column("+l", "set", {2, {}, 0, 2, 2}, items), {{"a", "b"}, {}, {}, {"c"}, {"d", "e"}}},
      {list_column("+L", "set", {0, 3, 1}, items), {{}, {"a", "b"}, {"c"}}},
      {list_column("+w:2", "set", {2, {}, 2}, items), {{"a", "b"}, {}, {"d", "e"}}},
      {list_column("+w:0", "set", {0, 0}, items), {{}, {}}},
      {list_column("+l", "set", {3},
                   dictionary_column("item", {1, {}, 0}, text_column("U", "", {"x", "y"}))),
       {{"y", "x"}}},
      {list_column("+l", "set", {2, 1}, null_column("item", 3)), {{}, {}}},
      {null_column("set", 2), {{}, {}}},
      {list_column("+l", "set", {2, 1, 0, 2}, items).sliced(1, 3), {{}, {}, {"c", "d"}}},
      {list_column("+w:2", "set", {2, 2, 2}, items).sliced(1, 2), {{"c"}, {"d", "e"}}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.column.format);
    for (const bool weighted : {false, true}) {
      for (const TestColumn& batch : {batch_of({one.column}), one.column}) {
        ArrowOptions options = options_of(batch);
        options.values_field = "set";
        options.has_weights = weighted;
        if (batch.format == "n") continue;  // a column of nulls alone may be anything
        EXPECT_EQ(ScannedTables(options).all(&SeenRow::values), one.values);
      }
    }
  }
}

TEST_F(ArrowCorpusTest, WeightsAreMaps) {
  const TestColumn entries = struct_column("entries", 5,
                                           {text_column("u", "key", {"", "a", "b", "c", "d"}),
                                            number_column<float>("f", "value", {0, 0.5, 2, 3, 4})})
                                 .sliced(1, 4);
  const TestColumn map = list_column("+m", "set", {1, {}, 3}, entries);
  ArrowOptions options = options_of(batch_of({map}));
  options.values_field = "set";
  options.has_weights = true;
  const ScannedTables scanned(options);
  EXPECT_THAT(scanned.all(&SeenRow::values),
              ElementsAre(Texts{"a=0.5"}, Texts{}, Texts{"b=2", "c=3", "d=4"}));
  EXPECT_THAT(scanned.all(&SeenRow::bytes), ElementsAre(1, 0, 3));
  options.has_weights = false;
  EXPECT_EQ(scan_error(options),
            "the column 'set' of the table is map<struct>, and it must be a list of strings");
}

TEST_F(ArrowCorpusTest, AWeightThatIsNotAllowedIsNamed) {
  const auto error_of = [](const std::vector<std::optional<double>>& weights) {
    Texts keys;
    for (std::size_t i = 0; i < weights.size(); ++i) keys.push_back("k" + std::to_string(i));
    const TestColumn entries = struct_column("entries", static_cast<std::int64_t>(weights.size()),
                                             {text_column("u", "key", {keys.begin(), keys.end()}),
                                              number_column<double>("g", "value", weights)});
    ArrowOptions options = options_of(batch_of({list_column("+m", "set", {1, 2}, entries)}));
    options.has_weights = true;
    options.values_field = "set";
    return scan_error(options);
  };
  const std::string begin = "row 2 of the table: the ";
  const std::string allowed = "; allowed are numbers from 0.000001 to 99999000";
  EXPECT_EQ(error_of({1, 1, std::numeric_limits<double>::quiet_NaN()}),
            begin + "weight of \"k2\" in the column 'set' is nan" + allowed);
  EXPECT_EQ(error_of({1, 1, {}}), begin + "weight of \"k2\" in the column 'set' is nan" + allowed);
  EXPECT_EQ(error_of({1, -1, 1}), begin + "weight of \"k1\" in the column 'set' is -1" + allowed);
}

TEST_F(ArrowCorpusTest, InvalidTextInAnIdIsCounted) {
  const ScannedTables scanned(options_of(batch_of(
      {text_column("z", "id", {"a\xEF\xBF\xBD", "\xff"}), text_column("u", "text", {"x", "y"})})));
  EXPECT_THAT(scanned.all(&SeenRow::replaced), ElementsAre(false, true));
}

TEST_F(ArrowCorpusTest, FieldsOfDocuments) {
  const TestColumn items = text_column("vu", "item", {"a", "b", "c"});
  const TestColumn entries = struct_column(
      "entries", 2,
      {text_column("u", "key", {"k", "l"}), number_column<std::int8_t>("c", "value", {2, 3})});
  ArrowOptions options = options_of(batch_of({
      text_column("u", "title", {"One", {}, ""}),
      list_column("+l", "tags", {2, 1, {}}, items),
      list_column("+m", "terms", {{}, 1, 1}, entries),
      number_column<double>("g", "price", {9.5, std::nan(""), 3}),  // NaN is no attribute
      bool_column("live", {true, false, {}}),
      text_column("U", "lang", {"en", "", {}}),
  }));
  options.fields = {{.name = "title"},
                    {.name = "tags", .is_values = true},
                    {.name = "terms", .is_values = true, .has_weights = true},
                    {.name = "missing"},
                    {.name = "price", .is_attribute = true},
                    {.name = "live", .is_attribute = true},
                    {.name = "lang", .is_attribute = true}};
  ScannedTables scanned(options);
  EXPECT_THAT(scanned.rows()[0].fields,
              ElementsAre("One", "[a][b]", "-", "-", "9.5", "true", "en"));
  EXPECT_THAT(scanned.rows()[1].fields, ElementsAre("-", "[c]", "[k=2]", "-", "-", "false", ""));
  EXPECT_THAT(scanned.rows()[2].fields, ElementsAre("", "-", "[l=3]", "-", "3", "-", "-"));
  EXPECT_THAT(scanned.all(&SeenRow::bytes), ElementsAre(5, 2, 1));
  EXPECT_EQ(scanned.scanned_again(), scanned.rows());
  // One field may be a column without a table.
  ArrowOptions alone = options_of(text_column("u", "", {"x", {}}));
  alone.fields = {{.name = "title"}};
  const ScannedTables column(alone);
  EXPECT_THAT(column.rows()[0].fields, ElementsAre("x"));
  EXPECT_THAT(column.rows()[1].fields, ElementsAre("-"));
}

TEST_F(ArrowCorpusTest, TimesOfEveryUnit) {
  const auto attribute = [](const std::string& format, std::int64_t ticks) {
    const bool is_short = format == "tdD";
    ArrowOptions options = options_of(batch_of(
        {text_column("u", "text", {"x"}),
         is_short ? number_column<std::int32_t>(format, "seen", {static_cast<std::int32_t>(ticks)})
                  : number_column<std::int64_t>(format, "seen", {ticks})}));
    options.fields = {{.name = "text"}, {.name = "seen", .is_attribute = true}};
    return options;
  };
  struct Case {
    std::string format;
    std::int64_t ticks;
    std::string text;  // empty: out of range
  };
  const Case cases[] = {
      {"tss:", 0, "1970-01-01T00:00:00Z"},
      {"tss:Europe/Berlin", -1, "1969-12-31T23:59:59Z"},
      {"tsm:", -1, "1969-12-31T23:59:59.999Z"},
      {"tsu:UTC", 1'500'000, "1970-01-01T00:00:01.5Z"},
      {"tsn:", -1, "1969-12-31T23:59:59.999999Z"},
      {"tsn:", -1000, "1969-12-31T23:59:59.999999Z"},
      {"tsn:", 1'999, "1970-01-01T00:00:00.000001Z"},
      {"tsn:", INT64_MAX, "2262-04-11T23:47:16.854775Z"},
      {"tdD", 20'000, "2024-10-04T00:00:00Z"},
      {"tdD", -719'162, "0001-01-01T00:00:00Z"},
      {"tdm", 86'400'000, "1970-01-02T00:00:00Z"},
      {"tdD", -719'163, ""},
      {"tdD", INT32_MAX, ""},
      {"tss:", 253'402'300'800, ""},
      {"tsm:", INT64_MAX, ""},
      {"tss:", INT64_MIN, ""},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.format + " " + std::to_string(one.ticks));
    const ArrowOptions options = attribute(one.format, one.ticks);
    if (one.text.empty())
      EXPECT_EQ(scan_error(options),
                "the column 'seen' has a time outside the years 1 to 9999 at row 0 of a batch");
    else
      EXPECT_EQ(ScannedTables(options).rows()[0].fields[1], one.text);
  }
}

TEST_F(ArrowCorpusTest, ColumnsThatAreMissingOrOfAnotherType) {
  const TestColumn table = batch_of(
      {text_column("u", "text", {"x"}), null_column("n", 1), number_column<int>("i", "int", {1}),
       bool_column("bool", {true}), number_column<std::int64_t>("tDn", "length", {1}),
       list_column("+l", "ints", {1}, number_column<int>("i", "", {1})),
       list_column("+vl", "view", {1}, text_column("u", "", {"x"})),
       dictionary_column("dict", {0}, number_column<int>("i", "", {1}))});
  const TestColumn column = text_column("u", "item", {"x"});
  struct Case {
    std::function<void(ArrowOptions& options)> set;
    const char* sentence;
    const TestColumn* batch = nullptr;  // another one
  };
  const Case cases[] = {
      {[](auto& o) { o.text_field = "body"; },
       "the table has no column 'body'; its columns are 'text', 'n', 'int', 'bool', 'length', "
       "'ints', 'view', 'dict'"},
      {[](auto& o) { o.text_field = "text.x"; }, "the table has no column 'text.x'; its"},
      {[](auto& o) { o.text_field = "ints.item"; }, "the table has no column 'ints.item'; its"},
      {[](auto& o) { o.id_field = "key"; }, "the table has no column 'key'; its"},
      {[](auto& o) { o.group_field = "by"; }, "the table has no column 'by'; its"},
      {[](auto& o) { o.number_fields = {"score"}; }, "the table has no column 'score'; its"},
      {[](auto& o) { o.fields = {{.name = "int", .is_attribute = true}, {.name = "body"}}; },
       "the table has no column 'body'; its"},
      {[](auto& o) { o.text_field = "int"; },
       "the column 'int' of the table is int32, and it must be string"},
      {[](auto& o) { o.text_field = "dict"; },
       "the column 'dict' of the table is dictionary of int32, and it must be string"},
      {[](auto& o) { o.values_field = "text"; },
       "the column 'text' of the table is string, and it must be a list of strings"},
      {[](auto& o) { o.values_field = "ints"; },
       "is list<int32>, and it must be a list of strings"},
      {[](auto& o) { o.values_field = "view"; }, "is list_view, and it must be a list of strings"},
      {[](auto& o) { o.id_field = "bool"; }, "is bool, and it must be a string or a number"},
      {[](auto& o) { o.group_field = "length"; },
       "is duration, and it must be a string, a number, a boolean or a time"},
      {[](auto& o) { o.number_fields = {"text"}; }, "is string, and it must be a number or a time"},
      {[](auto& o) { o.group_field = "by"; },
       "the table has no column 'by', since it is a single column of the type string", &column},
      {[](auto& o) { o.number_fields = {"item"}; },
       "the table has no column 'item', since it is a single column of the type string", &column},
      {[](auto& o) { o.fields = {{.name = "item"}, {.name = "b"}}; },
       "the table has no column 'item', since it is a single column of the type string", &column},
      {[](auto& o) { o.values_field = "item"; },
       "the column of the table is string, and it must be a list of strings", &column},
  };
  for (const Case& one : cases) {
    ArrowOptions options = options_of(one.batch ? *one.batch : table);
    one.set(options);
    EXPECT_THAT(scan_error(options), HasSubstr(one.sentence));
  }
  EXPECT_THAT(scan_error(options_of(struct_column("", 3, {}))),
              HasSubstr("the table has no column 'text'; its columns are none"));
}

TEST_F(ArrowCorpusTest, DamagedArraysAreRefused) {
  const TestColumn text = text_column("u", "text", {"abc", "def"});
  const TestColumn view = text_column("vu", "text", {"a text that is long", "x"});
  const auto with_buffer = [](TestColumn column, std::size_t buffer, TestColumn::Buffer bytes) {
    column.buffers[buffer] = std::move(bytes);
    return column;
  };
  const auto offsets = [](std::initializer_list<std::int32_t> numbers) {
    std::vector<char> out;
    for (const std::int32_t number : numbers) append_raw(out, number);
    return out;
  };
  TestColumn few_buffers = text;
  few_buffers.buffers.pop_back();
  TestColumn no_child = batch_of({text});
  no_child.length = 3;
  TestColumn negative = text;
  negative.offset = -1;
  const TestColumn cases[] = {
      with_buffer(text, 1, offsets({0, 5, 3})),
      with_buffer(text, 1, offsets({-1, 3, 6})),
      with_buffer(text, 1, std::nullopt),
      with_buffer(text, 2, std::nullopt),
      few_buffers,
      negative,
      with_buffer(view, 1, offsets({-4, 0, 0, 0, 0, 0, 0, 0})),
      with_buffer(view, 1, offsets({19, 0, 2, 0, 0, 0, 0, 0})),  // no such buffer
      with_buffer(view, 1, offsets({19, 0, -1, 0, 0, 0, 0, 0})),
      with_buffer(view, 1, offsets({19, 0, 0, 1, 0, 0, 0, 0})),  // beyond its end
      with_buffer(view, 1, offsets({19, 0, 0, -1, 0, 0, 0, 0})),
      with_buffer(view, 2, std::nullopt),
      with_buffer(view, 4, std::nullopt),
      dictionary_column("text", {0, 2}, text),
      dictionary_column("text", {0, -1}, text),
  };
  for (const TestColumn& column : cases)
    EXPECT_THAT(scan_error(options_of(batch_of({column}))),
                HasSubstr("the column 'text' is damaged"));
  EXPECT_THAT(scan_error(options_of(no_child)), HasSubstr("is damaged"));
  for (const TestColumn& set :
       {list_column("+l", "set", {2, 1}, text), list_column("+w:2", "set", {2, 2}, text)}) {
    ArrowOptions options = options_of(batch_of({set}));
    options.values_field = "set";
    EXPECT_EQ(scan_error(options),
              "the column 'set' is damaged at row 1 of a batch: its offsets cannot be");
  }
  for (const std::string format : {"+w:x", "+w:-1", "+m", "+l"}) {
    TestColumn set = list_column("+l", "set", {1}, text);
    set.format = format;
    if (!format.starts_with("+w")) set.children.clear();
    ArrowOptions options = options_of(batch_of({set}));
    options.values_field = "set";
    options.has_weights = true;
    EXPECT_THAT(scan_error(options), HasSubstr("must be a list of strings, or a map")) << format;
  }
}

TEST_F(ArrowCorpusTest, StreamsThatFail) {
  const TestColumn batch = batch_of({text_column("u", "text", {"x"})});
  const auto failing = [](TestTable table, std::string name) {
    ArrowOptions options;
    options.inputs.push_back(arrow_input(std::move(table), true, std::move(name)));
    return options;
  };
  EXPECT_EQ(scan_error(failing({{batch}, true, 0, "disk\xFF gone"}, "t")),
            "the table 't' cannot be read: disk\xEF\xBF\xBD gone");
  EXPECT_EQ(scan_error(failing({{batch, batch}, false, 1, "no route"}, "")),
            "the table cannot be read: no route");
  EXPECT_EQ(scan_error(failing({{batch}, false, 0, ""}, "")),
            "the table cannot be read: Input/output error");
  ArrowOptions options = options_of(std::vector<TestColumn>(50, batch));
  options.inputs.push_back({.open = [](ArrowArrayStream*) { throw std::runtime_error("shut"); }});
  EXPECT_THAT([&] { ScannedTables scanned(options); },
              testing::ThrowsMessage<std::runtime_error>("shut"));
  // open() has filled the stream before it throws.
  options.inputs[1].open = [&](ArrowArrayStream* out) {
    options.inputs[0].open(out);
    throw std::runtime_error("late");
  };
  EXPECT_THAT([&] { ScannedTables scanned(options); },
              testing::ThrowsMessage<std::runtime_error>("late"));
  options.inputs[1].open = [](ArrowArrayStream* out) { *out = {}; };
  EXPECT_EQ(scan_error(options),
            "the table cannot be read: its stream has been released, or read before");
}

}  // namespace
}  // namespace benzer
