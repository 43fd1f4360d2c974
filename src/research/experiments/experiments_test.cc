// Tests how experiments are found, run and shown.
#include "benzer/research/experiments.h"

#include <atomic>
#include <cmath>
#include <set>
#include <span>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "benzer/error.h"

namespace benzer {
namespace {

using testing::HasSubstr;
using testing::Not;

ExperimentResult example() {
  ExperimentResult out;
  out.name = "example";
  out.title = "A title with <markup> | and a bar";
  out.document = "none";
  out.parameters = "two rows";
  out.verdict = {ExperimentAnswer::kPartly, "It holds that <a> is so, but not that b is so."};
  out.findings = {"It holds, \"mostly\"."};
  out.tables = {{"example-table",
                 "Its table",
                 {"what, where", "number", "share"},
                 {{"a|b", ExperimentCell::count(12345), {0.25, 2}}, {"c\"d", "-", {-0.0001, 2}}}}};
  out.charts = {{"example-chart", "Its chart", "<svg></svg>\n"}};
  out.seed = 7;
  out.full = true;
  return out;
}

TEST(Experiments, CellsShowTheDigitsThatWereAskedFor) {
  EXPECT_EQ(ExperimentCell(0.12345, 3).text, "0.123");
  EXPECT_EQ(ExperimentCell(-0.0001, 2).text, "0.00");
  EXPECT_EQ(ExperimentCell(NAN, 2).text, "-");
  EXPECT_FALSE(ExperimentCell(NAN, 2).number);
  EXPECT_EQ(ExperimentCell::count(1234567).text, "1,234,567");
  EXPECT_EQ(ExperimentCell::count(1234567).number, 1234567);
}

TEST(Experiments, TextIsATableInMarkdown) {
  const std::string text = experiment_text(example());
  EXPECT_THAT(text, HasSubstr("# example: A title"));
  EXPECT_THAT(text, HasSubstr("Repeat: `benzer eval example --seed 7 --full`\n"));
  EXPECT_THAT(text, HasSubstr("Does it hold? partly: It holds that <a> is so, but not that b is "
                              "so.\n"));
  EXPECT_THAT(text, HasSubstr("- It holds, \"mostly\".\n"));
  EXPECT_THAT(text, HasSubstr("| what, where | number | share |\n"
                              "| ----------- | -----: | ----: |\n"
                              "| a\\|b        | 12,345 |  0.25 |\n"
                              "| c\"d         |      - |  0.00 |\n"));
}

TEST(Experiments, CsvIsQuotedAndHasNoCommasInNumbers) {
  EXPECT_EQ(experiment_csv(example().tables[0]),
            "\"what, where\",number,share\na|b,12345,0.25\n\"c\"\"d\",-,0.00\n");
}

TEST(Experiments, JsonHasTheWholeNumbers) {
  simdjson::dom::parser parser;
  const std::string json = experiment_json(example());
  EXPECT_TRUE(json.ends_with("}\n"));
  const simdjson::dom::element read = parser.parse(json);
  EXPECT_EQ(std::string_view(read["experiment"]), "example");
  EXPECT_EQ(double(read["tables"].at(0)["rows"].at(0).at(1)), 12345);
  EXPECT_EQ(double(read["tables"].at(0)["rows"].at(1).at(2)), -0.0001);
  EXPECT_TRUE(read["tables"].at(0)["rows"].at(1).at(1).is_null());
  EXPECT_TRUE(bool(read["full"]));
  EXPECT_EQ(std::string_view(read["verdict"]["answer"]), "partly");
  EXPECT_THAT(std::string(std::string_view(read["verdict"]["why"])),
              HasSubstr("It holds that <a>"));
}

TEST(Experiments, ThePageNeedsNothingElse) {
  const ExperimentResult results[] = {example()};
  const std::string page = experiments_html(results);
  EXPECT_THAT(page, HasSubstr("<a href=\"#example\">"));
  EXPECT_THAT(page, HasSubstr("<h2 id=\"example\">"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("<svg></svg>"));
  EXPECT_THAT(page, HasSubstr("benzer eval example --seed 7 --full"));
  EXPECT_THAT(page, Not(HasSubstr("<markup>")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
}

TEST(Experiments, ThePageBeginsWithVerdicts) {
  ExperimentResult yes = example(), no = example();
  yes.name = "other";
  yes.document = no.document = "another";
  yes.verdict = {ExperimentAnswer::kYes, "It holds that c is so."};
  no.verdict = {ExperimentAnswer::kNo, "It does not hold that d is so."};
  const ExperimentResult results[] = {example(), yes, no};
  const std::string page = experiments_html(results);
  EXPECT_THAT(page, HasSubstr("holds in 1 of 3 experiments, in part in 1, and not in 1."));
  const std::size_t overview = page.find("<h2 id=\"does-it-hold\">");
  EXPECT_LT(overview, page.find("<section>"));
  for (const char* part : {"<b class=\"partly\">partly</b>", "It holds that &lt;a&gt; is so",
                           "<a href=\"#other\">", "It does not hold that d is so."}) {
    EXPECT_GT(page.find(part), overview) << part;
    EXPECT_LT(page.find(part), page.find("<section>")) << part;
  }
  // A document is named once above its experiments.
  EXPECT_EQ(page.find("<tr class=\"document\"><th scope=\"colgroup\" colspan=\"3\">another"),
            page.rfind("<tr class=\"document\""));
  ExperimentResult open = example();
  open.verdict = {};
  EXPECT_THAT(experiments_html(std::span(&open, 1)),
              HasSubstr("holds in 0 of 1 experiments, in part in 0, and not in 0; 1 could not"));
}

TEST(Experiments, ThePageKeepsNamesAndCaptionsWhole) {
  ExperimentResult result = example();
  result.tables[0].rows.push_back(
      {"a-name-without-blanks-of-some-length", "5", ExperimentCell(1, 0)});
  const std::string page = experiments_html(std::span(&result, 1));
  EXPECT_THAT(page, HasSubstr("<td class=\"name\">a-name-without"));
  EXPECT_THAT(page, HasSubstr("<table aria-labelledby=\"table-example-table\" class=\"wide\">"));
  EXPECT_THAT(page, HasSubstr("<p class=\"caption\" id=\"table-example-table\">Its table</p>"));
  result.tables[0].rows.back()[0] = "words of a sentence that is longer than a line of a cell";
  EXPECT_THAT(experiments_html(std::span(&result, 1)), HasSubstr("<td class=\"words\">words of"));
}

TEST(Experiments, NamesAreDifferentAndDescribed) {
  std::set<std::string_view> names;
  for (const ExperimentInfo& info : all_experiments()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.document.empty());
    EXPECT_FALSE(info.summary.empty());
  }
  EXPECT_TRUE(names.contains("report-6a"));
}

TEST(Experiments, AnUnknownNameIsToldWhichThereAre) {
  try {
    run_experiment("report-7", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr("'report-7' is not an experiment; there are report-6a, "));
  }
}

TEST(Experiments, StopIsObeyedAndDataAreForTheirReadersOnly) {
  const std::atomic<bool> stop{true};
  ExperimentOptions options;
  options.stop = &stop;
  for (const ExperimentInfo& info : all_experiments()) {
    try {
      run_experiment(info.name, options);
      ADD_FAILURE() << info.name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
    }
  }
  ExperimentOptions with_data;
  with_data.data = "somewhere";
  EXPECT_THROW(run_experiment("report-6a", with_data), Error);
}

TEST(Experiments, ASmallOneRunsAsItIsListed) {
  ExperimentOptions options;
  options.seed = 5;
  const ExperimentResult result = run_experiment("blog-jaccard", options);
  EXPECT_EQ(result.name, "blog-jaccard");
  EXPECT_EQ(result.seed, 5u);
  EXPECT_THAT(result.findings.at(0), HasSubstr("come out exactly"));
  for (const ExperimentTable& table : result.tables)
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.name;
}

}  // namespace
}  // namespace benzer
