// Tests the report of a deduplication of an index.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/report.h"

#include "base/test_random.h"
#include "dedup/dedup_test_util.h"
#include "report/report_test_util.h"
#include "report/selection.h"

namespace benzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Documents {
  Index index;
  std::map<std::string, Document> known;

  explicit Documents(const char* schema) : index(Index::in_memory(Schema::parse(schema))) {}
  void add(Document document) {
    index.index_documents({document});
    known.emplace(document.id, std::move(document));
  }
  Report report(const WholeIndexOptions& options = {}, const RunFacts& facts = {}) const {
    return collect_report(index, options, index.deduplicate(options), facts,
                          [this](const std::string& id) -> std::optional<Document> {
                            const auto found = known.find(id);
                            if (found == known.end()) return std::nullopt;
                            return found->second;
                          });
  }
};

void expect_same_pairs(const std::vector<ReportedPair>& a, const std::vector<ReportedPair>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].a.id_json, b[i].a.id_json);
    EXPECT_EQ(a[i].b.id_json, b[i].b.id_json);
    EXPECT_EQ(a[i].score, b[i].score);
    EXPECT_EQ(marked(a[i].fields.at(0).text_a), marked(b[i].fields.at(0).text_a));
  }
}

TEST(IndexReport, ShowsWhatARunOverTheSameTextsShows) {
  auto texts = mixed_texts(3, 60);
  // A run compares one of several equal texts, an index in memory all of them.
  std::set<std::string> seen;
  std::erase_if(texts, [&](const std::string& text) { return !seen.insert(text).second; });
  Documents documents("text=text:word3 | fss:128 | bands:64x2 | min:0.5");
  for (std::size_t i = 0; i < texts.size(); ++i)
    documents.add({"t" + std::to_string(i), {Field::of_text("text", texts[i])}});
  for (const Clustering clustering : {Clustering::kLeader, Clustering::kComponents}) {
    WholeIndexOptions options;
    options.clustering = clustering;
    options.collect_compared = true;
    const Report of_index = documents.report(options);

    MemoryCorpus corpus = corpus_of(texts);
    DedupOptions run;
    run.config.features = FeatureSpec::parse("text:word3");
    run.config.banding = Banding{64, 2};
    run.threshold = Threshold::parse("0.5");
    run.clustering = clustering;
    run.collect = Collect::kCompared;
    const DedupResult result = deduplicate(corpus, run);
    const Report of_files = collect_report(corpus, run, result, {});

    EXPECT_EQ(of_index.removed, of_files.removed);
    EXPECT_EQ(of_index.equal, of_files.equal);
    EXPECT_EQ(of_index.near, of_files.near);
    EXPECT_EQ(of_index.below, of_files.below);
    // Removals have other numbers, so others are picked.
    std::map<std::string, std::pair<std::string, double>> keepers;
    for (const Removal& removal : result.removed)
      keepers[corpus.label(removal.document).id_json] = {corpus.label(*removal.keeper).id_json,
                                                         removal.score};
    EXPECT_EQ(of_index.sample.size(), std::min(keepers.size(), report::kShownSample));
    for (const ReportedPair& pair : of_index.sample)
      EXPECT_EQ(keepers[pair.b.id_json], std::pair(pair.a.id_json, pair.score));
    EXPECT_EQ(of_index.largest_cluster, of_files.largest_cluster);
    expect_same_pairs(of_index.above, of_files.above);
    EXPECT_EQ(of_index.similar_pairs, of_files.similar_pairs);
    EXPECT_EQ(of_index.equal_pairs, of_files.equal_pairs);
    EXPECT_EQ(of_index.missed_pairs, of_files.missed_pairs);
    ASSERT_EQ(of_index.scores.size(), of_files.scores.size());
    for (std::size_t i = 0; i < of_files.scores.size(); ++i)
      EXPECT_EQ(of_index.scores[i].similar, of_files.scores[i].similar) << i;
    const std::string page = report_html(of_index);
    for (const char* part : {"id=\"trust\"", "id=\"border\"", "are told by"})
      EXPECT_EQ(page.find(part) != std::string::npos, part[0] == 'i') << part;
    ASSERT_EQ(of_index.largest.size(), of_files.largest.size());
    ASSERT_GT(of_files.largest.size(), 5U);
    for (std::size_t i = 0; i < of_files.largest.size(); ++i) {
      const ReportedCluster& a = of_index.shown[of_index.largest[i]];
      const ReportedCluster& b = of_files.shown[of_files.largest[i]];
      EXPECT_EQ(a.keeper.id_json, b.keeper.id_json);
      ASSERT_EQ(a.members.size(), b.members.size());
      for (std::size_t j = 0; j < b.members.size(); ++j) {
        const ReportedPair &x = a.members[j].pair, &y = b.members[j].pair;
        EXPECT_EQ(x.b.id_json, y.b.id_json);
        EXPECT_EQ(x.b.bytes, y.b.bytes);
        EXPECT_EQ(x.score, y.score);
        ASSERT_EQ(x.fields.size(), 1U);
        EXPECT_EQ(x.fields[0].same_text, y.fields[0].same_text);
        EXPECT_EQ(x.fields[0].shared, y.fields[0].shared);
        EXPECT_EQ(marked(x.fields[0].text_a), marked(y.fields[0].text_a));
        EXPECT_EQ(marked(x.fields[0].text_b), marked(y.fields[0].text_b));
        ASSERT_EQ(a.members[j].link.has_value(), b.members[j].link.has_value());
        if (a.members[j].link) {
          EXPECT_EQ(a.members[j].link->id_json, b.members[j].link->id_json);
          EXPECT_EQ(a.members[j].link_score, b.members[j].link_score);
        }
      }
    }
  }
}

TEST(IndexReport, SaysHowMuchOfADocumentAnotherOneHas) {
  for (const bool one_field : {true, false}) {
    Documents documents(one_field ? "text=text:word1 | measure:containment"
                                  : "text=text:word1 | more=values | measure:containment");
    documents.add({"part", {Field::of_text("text", "one two three four")}});
    documents.add({"whole", {Field::of_text("text", "one two three four five six seven eight")}});
    documents.add({"copy", {Field::of_text("text", "eight one two three four five six seven")}});
    documents.add({"near", {Field::of_text("text", "three four five six TEN")}});
    documents.add({"far", {Field::of_text("text", "three four five TEN eleven")}});
    WholeIndexOptions options;
    options.collect_compared = true;
    const Report report = documents.report(options);
    EXPECT_EQ(report.removed, 3U);
    EXPECT_EQ(report.equal, 1U);
    EXPECT_EQ(report.near, 2U);
    ASSERT_EQ(report.shown.size(), 1U);
    EXPECT_EQ(report.shown[0].keeper.id_json, "\"whole\"");
    ASSERT_EQ(report.shown[0].members.size(), 3U);
    EXPECT_EQ(report.shown[0].members[0].pair.score, 0.8);
    EXPECT_EQ(report.shown[0].members[0].pair.fields.at(0).score, 0.8);
    ASSERT_FALSE(report.under.empty());
    EXPECT_EQ(report.under[0].score, 0.6);
    const std::string page = report_html(report);
    for (const char* said :
         {"It has the most features", "What the keys find", "the largest", "wholly contained",
          "features of the smaller one", "of the features of"})
      EXPECT_THAT(page, HasSubstr(said));
    EXPECT_EQ(page.find("the second has 4 of 8 features of the first") != std::string::npos,
              one_field);
    EXPECT_THAT(report_json(report), HasSubstr("\"measure\":\"containment\""));
  }
}

// A small keeper that was chosen removes what it has enough of, by the share of the larger one.
TEST(IndexReport, ShowsTheShareThatAChosenKeeperHas) {
  Documents documents("text=text:word1 | measure:containment");
  documents.add(
      {"large", {Field::of_text("text", "one two three four five six seven eight nine ten")}});
  documents.add(
      {"small", {Field::of_text("text", "one two three four five six seven eight nine")}});
  ASSERT_TRUE(documents.index.put_decision({.members = {"large", "small"}, .keeper = "small"}));
  const Report report = documents.report();
  ASSERT_EQ(report.shown.size(), 1U);
  EXPECT_EQ(report.shown[0].keeper.id_json, "\"small\"");
  EXPECT_EQ(report.shown[0].members.at(0).pair.score, 0.9);
  EXPECT_THAT(report_html(report), Not(HasSubstr("have changed since")));
}

TEST(IndexReport, SaysWhatDecisionsSetApart) {
  Documents documents("text=text:word1 | fss:128 | bands:64x2 | min:0.5");
  documents.add({"a", {Field::of_text("text", "one two three four five six seven eight nine")}});
  documents.add({"b", {Field::of_text("text", "one two three four five six seven eight ten")}});
  WholeIndexOptions options;
  options.collect_compared = true;
  EXPECT_THAT(report_html(documents.report(options)), Not(HasSubstr("Set apart")));
  Decision apart;
  apart.members = {"a", "b"};
  apart.not_duplicates = true;
  ASSERT_TRUE(documents.index.put_decision(apart));
  for (const Clustering clustering : {Clustering::kLeader, Clustering::kComponents}) {
    options.clustering = clustering;
    const std::string page = report_html(documents.report(options));
    for (const char* said :
         {"no two of them were found to be at least 0.5 similar, except for 1 pair that decisions "
          "set apart.",
          "No pair of different documents reaches the threshold, except for 1 pair that decisions "
          "set apart.",
          "<b>Set apart:</b> 1 similar pair that is not duplicates",
          "Pairs that decisions set apart are not counted.",
          "The same documents, decisions and options give this page again"})
      EXPECT_THAT(page, HasSubstr(said));
    EXPECT_THAT(report_json(documents.report(options)),
                HasSubstr("\"set_apart\":1,\"chosen_keepers\":0}"));
  }
  documents.add({"c", {Field::of_text("text", "nine eight seven six five four three two one")}});
  documents.add({"d", {Field::of_text("text", "eleven twelve")}});
  documents.add({"e", {Field::of_text("text", "twelve eleven")}});
  Decision chosen;
  chosen.members = {"d", "e"};
  chosen.keeper = "e";
  ASSERT_TRUE(documents.index.put_decision(chosen));
  options.clustering = Clustering::kLeader;
  options.threshold = Threshold::parse("0.9");
  EXPECT_THAT(report_html(documents.report(options)), Not(HasSubstr("set apart")));
  options.threshold = Threshold::parse("0.5");
  const std::string page = report_html(documents.report(options));
  for (const char* said :
       {"<b>Chosen keepers:</b> 1 cluster with the keeper that a decision chose.",
        "and no decision sets the two apart.", "Those that decisions set apart are not counted."})
    EXPECT_THAT(page, HasSubstr(said));
}

// With containment a smaller keeper, which was chosen, leaves the larger document where it is.
TEST(IndexReport, SaysThatChosenKeepersRemoveNothing) {
  Documents documents("text=text:word1 | measure:containment");
  documents.add({"large", {Field::of_text("text", "one two three four five six seven eight")}});
  documents.add({"small", {Field::of_text("text", "one two three four")}});
  ASSERT_TRUE(documents.index.put_decision({.members = {"large", "small"}, .keeper = "small"}));
  EXPECT_THAT(report_html(documents.report()),
              HasSubstr("none was removed: of the only similar pair the smaller document was "
                        "chosen as a keeper in a decision."));
}

TEST(IndexReport, ShowsEveryFieldThatEitherDocumentHas) {
  Documents documents(
      "title=text:word1 | body=text:word1 | tags=values | fss:128 | bands:64x2 | min:0.5");
  documents.add({"a",
                 {Field::of_text("title", "one"), Field::of_text("body", "x y z u"),
                  Field::of_values("tags", {"p", "q"})}});
  documents.add({"b",
                 {Field::of_text("title", "one"), Field::of_text("body", "x y z v"),
                  Field::of_values("tags", {"p"})}});
  documents.add({"c", {Field::of_text("title", "two")}});
  documents.add({"d", {Field::of_text("title", "two"), Field::of_values("tags", {})}});
  const Report report = documents.report();
  ASSERT_EQ(report.shown.size(), 2U);
  const ReportedPair& pair = report.shown[0].members.at(0).pair;
  EXPECT_EQ(pair.a.id_json, "\"a\"");
  EXPECT_EQ(pair.a.bytes, 12U);
  ASSERT_EQ(pair.fields.size(), 3U);
  EXPECT_EQ(pair.fields[0].name, "title");
  EXPECT_TRUE(pair.fields[0].same_text);
  EXPECT_EQ(marked(pair.fields[1].text_a), "[x y z] {u}");
  EXPECT_EQ(marked(pair.fields[1].text_b), "[x y z] {v}");
  EXPECT_EQ(pair.fields[1].score, 0.6);
  EXPECT_EQ(marked(pair.fields[2].text_a), "[p]\n{q}\n");
  EXPECT_FALSE(pair.fields[2].same_text);
  const std::string page = report_html(report);
  EXPECT_THAT(page, HasSubstr("Field <b>body</b>. Score <b>0.6</b>: 3 of 5 features are common"));
  EXPECT_THAT(page, HasSubstr("the mean of the fields, by weight"));
  for (const char* none : {"id=\"trust\"", "id=\"where\"", "id=\"border\"", "id=\"next\""})
    EXPECT_THAT(page, Not(HasSubstr(none)));
  EXPECT_THAT(report_json(report), HasSubstr(R"("fields":[{"field":"title","score":1)"));
}

TEST(IndexReport, ShowsPairsOnBothSidesOfTheThreshold) {
  for (const bool has_tags : {false, true}) {
    TestRandom random(4);
    Documents documents(has_tags ? "text=text:word1 | tags=values | fss:128 | bands:64x2 | min:0.5"
                                 : "text=text:word1 | fss:128 | bands:64x2 | min:0.5");
    for (int i = 0; i < 60; ++i) {
      std::string text;
      for (int word = 0; word < 12; ++word) text += " w" + std::to_string(word + random.below(6));
      documents.add({"d" + std::to_string(i), {Field::of_text("text", text)}});
    }
    WholeIndexOptions options;
    EXPECT_THAT(documents.report(options).above, IsEmpty());  // they were not collected
    options.collect_compared = true;
    const Report report = documents.report(options);
    ASSERT_EQ(report.above.size(), 10U);
    ASSERT_EQ(report.under.size(), 10U);
    std::set<std::string> seen;
    for (const auto* list : {&report.above, &report.under}) {
      for (const ReportedPair& pair : *list) {
        EXPECT_EQ(pair.score >= 0.5, list == &report.above);
        ASSERT_EQ(pair.fields.size(), 1U);
        EXPECT_EQ(pair.fields[0].score, pair.score);
        EXPECT_TRUE(seen.insert(pair.a.id_json + " " + pair.b.id_json).second);
      }
    }
    const std::string page = report_html(report);
    EXPECT_THAT(page, HasSubstr("id=\"border\""));
    EXPECT_THAT(page, HasSubstr(has_tags ? "at least one field of both looks similar"
                                         : "64 bands of 2 slots of their signatures"));
    documents.known.clear();
    EXPECT_THAT(report_html(documents.report(options)),
                HasSubstr("</bdi></b> and <b><bdi>"));  // ids, and nothing to unfold
  }
}

TEST(IndexReport, SaysWhatIsNotKnown) {
  Documents documents("text=text:word1 | fss:128 | bands:64x2 | min:0.5");
  documents.add({"<b>", {Field::of_text("text", "x y z u")}});
  documents.add({"b", {Field::of_text("text", "x y z v")}});
  EXPECT_THAT(report_html(documents.report()), HasSubstr("3 of 5 features are common"));

  // A document was replaced, and then removed, since the index was deduplicated.
  documents.known["b"].fields[0].text = "x y z";
  EXPECT_THAT(report_html(documents.report()), HasSubstr("they have changed since"));
  documents.known.erase("b");
  const Report report = documents.report();
  EXPECT_THAT(report.shown.at(0).members.at(0).pair.fields, IsEmpty());
  EXPECT_THAT(report_html(report), HasSubstr("An index keeps no texts"));
  EXPECT_THAT(report_html(report), HasSubstr("&lt;b&gt;"));
  EXPECT_THAT(report_html(report), Not(HasSubstr("<b><b>")));

  RunFacts facts;
  facts.dry_run = true;
  EXPECT_THAT(report_html(documents.report({}, facts)), HasSubstr("No document was removed yet."));
  facts.dry_run = false;
  facts.removed_so_far = 1;
  EXPECT_THAT(report_html(documents.report({}, facts)),
              HasSubstr("It was stopped before its end:</b> 1 document of these is removed."));
}

TEST(IndexReport, StopsWhenItIsAskedTo) {
  Documents documents("text=text:word1 | fss:128 | bands:64x2 | min:0.5");
  documents.add({"a", {Field::of_text("text", "x y z u")}});
  documents.add({"b", {Field::of_text("text", "x y z v")}});
  std::atomic<bool> stop = false;
  WholeIndexOptions options;
  options.stop = &stop;
  const IndexDedup found = documents.index.deduplicate(options);
  stop = true;
  EXPECT_THROW(collect_report(documents.index, options, found, {}, {}), Error);
}

}  // namespace
}  // namespace benzer
