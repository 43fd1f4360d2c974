// Tests the report of a deduplication of an index.
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/report.h"

#include "dedup/dedup_test_util.h"
#include "report/report_test_util.h"

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

TEST(IndexReport, ShowsWhatARunOverTheSameTextsShows) {
  const auto texts = mixed_texts(3, 60);
  Documents documents("text=text:word3 | fss:128 | bands:64x2 | min:0.5");
  for (std::size_t i = 0; i < texts.size(); ++i)
    documents.add({"t" + std::to_string(i), {Field::of_text("text", texts[i])}});
  for (const Clustering clustering : {Clustering::kLeader, Clustering::kComponents}) {
    WholeIndexOptions options;
    options.clustering = clustering;
    const Report of_index = documents.report(options);

    MemoryCorpus corpus = corpus_of(texts);
    DedupOptions run;
    run.config.features = FeatureSpec::parse("text:word3");
    run.config.banding = Banding{64, 2};
    run.threshold = Threshold::parse("0.5");
    run.clustering = clustering;
    run.collect = Collect::kCompared;
    const Report of_files = collect_report(corpus, run, deduplicate(corpus, run), {});

    EXPECT_EQ(of_index.removed, of_files.removed);
    EXPECT_EQ(of_index.equal, of_files.equal);
    EXPECT_EQ(of_index.near, of_files.near);
    EXPECT_EQ(of_index.below, of_files.below);
    EXPECT_EQ(of_index.largest_cluster, of_files.largest_cluster);
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
