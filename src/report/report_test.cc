#include "benzer/report.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dedup/dedup_test_util.h"
#include "report/selection.h"

namespace benzer {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Made {
  DedupResult result;
  Report report;
};

Made make(Corpus& corpus, DedupOptions options, const RunFacts& facts = {}) {
  options.collect = Collect::kCompared;
  Made out;
  out.result = deduplicate(corpus, options);
  out.report = collect_report(corpus, options, out.result, facts);
  return out;
}

TEST(Report, CountsAreThoseOfTheResult) {
  MemoryCorpus corpus = corpus_of(mixed_texts(3, 300));
  const auto [result, report] = make(corpus, options_without_misses("0.6"));
  EXPECT_EQ(report.kept + report.removed, result.counts.documents);
  EXPECT_EQ(report.removed, result.removed.size());
  EXPECT_EQ(report.equal + report.near + report.dropped, report.removed);
  EXPECT_EQ(report.clusters, result.clusters);
  EXPECT_GT(report.near, 0U);

  std::uint64_t clusters = 0, removed = 0, pairs = report.equal_pairs;
  for (const Report::SizeBin& bin : report.sizes) {
    clusters += bin.clusters;
    removed += bin.removed;
    EXPECT_GE(bin.removed, bin.clusters * (bin.from - 1));
    EXPECT_LE(bin.removed, bin.clusters * (bin.to - 1));
  }
  EXPECT_EQ(clusters, report.clusters);
  EXPECT_EQ(removed, report.removed);
  for (std::size_t i = 0; i < report.scores.size(); ++i) {
    pairs += report.scores[i].below + report.scores[i].similar;
    // 0.6 is an edge of a bin, so no bin has both kinds of pairs.
    EXPECT_EQ(i < 30 ? report.scores[i].similar : report.scores[i].below, 0U) << i;
  }
  EXPECT_EQ(pairs, report.compared);
  EXPECT_EQ(report.compared, result.similar.size() + result.below.sample.size());
  EXPECT_LT(report.missed_pairs, 1e-3);  // 128 bands of a row miss nothing
}

TEST(Report, ShownScoresAreThoseOfTheRun) {
  MemoryCorpus corpus = corpus_of(mixed_texts(4, 300));
  const auto [result, report] = make(corpus, options_without_misses("0.5"));
  ASSERT_FALSE(report.shown.empty());
  std::vector<double> score(corpus.size());
  std::vector<std::uint32_t> kept(corpus.size());
  for (const Removal& removal : result.removed) {
    score[removal.document] = removal.score;
    kept[removal.document] = *removal.keeper;
  }
  for (const ReportedCluster& cluster : report.shown) {
    EXPECT_EQ(cluster.members.front().pair.score, cluster.weakest);
    EXPECT_LE(cluster.members.size(), std::min<std::uint64_t>(cluster.removed, 3));
    for (const ReportedMember& member : cluster.members) {
      EXPECT_EQ(member.pair.score, score[*member.pair.b.number]);
      EXPECT_EQ(member.pair.a.number, kept[*member.pair.b.number]);
      EXPECT_EQ(member.pair.a.number, cluster.keeper.number);
    }
  }
  ASSERT_FALSE(report.above.empty());
  ASSERT_FALSE(report.under.empty());
  double last = 0.5;
  for (const ReportedPair& pair : report.above) {
    EXPECT_GE(pair.score, last);
    last = pair.score;
  }
  last = 0.5;
  for (const ReportedPair& pair : report.under) {
    EXPECT_LE(pair.score, last);
    last = pair.score;
  }
}

TEST(Report, ListsAreDisjointAndOrdered) {
  MemoryCorpus corpus = corpus_of(mixed_texts(5, 400));
  const Report report = make(corpus, options_without_misses("0.5")).report;
  EXPECT_EQ(report.largest.size(), report::kShownClusters);
  EXPECT_EQ(report.weakest.size(), report::kShownClusters);
  EXPECT_EQ(report.any.size(), report::kShownClusters);
  for (std::size_t i = 1; i < report.largest.size(); ++i) {
    EXPECT_GE(report.shown[report.largest[i - 1]].removed, report.shown[report.largest[i]].removed);
    EXPECT_LE(report.shown[report.weakest[i - 1]].weakest, report.shown[report.weakest[i]].weakest);
  }
  for (const std::uint32_t place : report.any) {
    EXPECT_THAT(report.largest, Not(testing::Contains(place)));
    EXPECT_THAT(report.weakest, Not(testing::Contains(place)));
  }
}

TEST(Report, IsTheSameForAnyNumberOfThreads) {
  MemoryCorpus corpus = corpus_of(mixed_texts(6, 300));
  for (const Clustering clustering : {Clustering::kLeader, Clustering::kComponents}) {
    DedupOptions options;
    options.threshold = Threshold::parse("0.5");
    options.clustering = clustering;
    options.threads = 1;
    const Report one = make(corpus, options).report;
    options.threads = 7;
    const Report seven = make(corpus, options).report;
    EXPECT_EQ(report_html(one), report_html(seven));
    EXPECT_EQ(report_json(one), report_json(seven));
  }
}

TEST(Report, ComponentsShowTheLinkOfAChain) {
  MemoryCorpus corpus;
  corpus.add_text("a", "one two three four five six");
  corpus.add_text("b", "three four five six seven eight");
  corpus.add_text("c", "five six seven eight nine ten");
  DedupOptions options = options_without_misses("0.5");
  options.config.features = FeatureSpec::parse("text:word1");
  options.clustering = Clustering::kComponents;
  const Report report = make(corpus, options).report;
  EXPECT_EQ(report.removed, 2U);
  EXPECT_EQ(report.below, 1U);
  ASSERT_EQ(report.shown.size(), 1U);
  const ReportedMember& end = report.shown[0].members[0];
  EXPECT_EQ(end.pair.b.id_json, "\"c\"");
  EXPECT_DOUBLE_EQ(end.pair.score, 0.2);
  ASSERT_TRUE(end.link);
  EXPECT_EQ(end.link->id_json, "\"b\"");
  EXPECT_DOUBLE_EQ(end.link_score, 0.5);
  const std::string page = report_html(report);
  EXPECT_THAT(page, HasSubstr("here by a chain of similar documents"));
  // One of the two reaches the threshold with its keeper, and is a near-copy.
  EXPECT_THAT(page, HasSubstr("<dt>near-copies of their keeper</dt><dd>1</dd>"));
  EXPECT_THAT(page, HasSubstr("<dt>linked by a chain</dt><dd>1</dd>"));
  EXPECT_THAT(page, HasSubstr("of every near-copy, and of every document linked by a chain, all"));

  options.clustering = Clustering::kLeader;
  const std::string of_leader = report_html(make(corpus, options).report);
  EXPECT_THAT(of_leader, HasSubstr("<dt>near-copies of their keeper</dt><dd>1</dd>"));
  EXPECT_THAT(of_leader, Not(HasSubstr("linked by a chain")));
}

TEST(Report, SaysWhyTheKeeperStays) {
  MemoryCorpus corpus;
  const std::string text = "one two three four five six seven eight nine";
  corpus.add_text("a", text, {"", {1, 5}});
  corpus.add_text("b", text + " ten", {"", {2, 5}});
  corpus.add_text("c", text, {"", {2, 7}});
  DedupOptions options = options_without_misses("0.5");
  const auto why = [&](const char* keep) {
    options.keep = KeepOrder::parse(keep);
    return make(corpus, options).report.shown.at(0).why_kept;
  };
  EXPECT_EQ(why("first"), "It comes first in the input.");
  EXPECT_EQ(why("last"), "It comes last in the input.");
  EXPECT_EQ(why("longest"),
            "By the rule longest, it is the longest: 48 bytes; removed ones shown here: 44 bytes.");
  EXPECT_EQ(
      why("max:score,min:age"),
      "By the rule max:score, it has the largest value of score: 2; removed ones shown here: 1; "
      "1 has the same, decided by min:age.");
  EXPECT_EQ(
      why("shortest"),
      "By the rule shortest, it is the shortest: 44 bytes; removed ones shown here: 48 bytes; "
      "1 has the same, decided by the order of the input.");

  MemoryCorpus equal;
  equal.add_text("a", text);
  equal.add_text("b", text);
  EXPECT_EQ(make(equal, options).report.shown.at(0).why_kept,
            "It comes first in the input; the length is the same, 44 bytes.");
}

TEST(Report, SaysHowEqualValuesAreDecided) {
  MemoryCorpus corpus;
  const std::string text = "one two three four five six seven eight nine";
  corpus.add_text("a", text, {"", {7}});
  corpus.add_text("b", text + " ten", {"", {7}});
  corpus.add_text("c", text, {"", {Number()}});
  DedupOptions options = options_without_misses("0.5");
  options.keep = KeepOrder::parse("max:n,longest");
  EXPECT_EQ(make(corpus, options).report.shown.at(0).why_kept,
            "By the rule max:n, it has the largest value of n: 7; removed ones shown here: no "
            "number; 1 has the same, decided by longest.");
}

TEST(Report, ContainedPairsAreNotSaidToBeBelowTheThreshold) {
  MemoryCorpus corpus;
  corpus.add_text("long", "one two three four five six seven eight nine ten eleven twelve");
  corpus.add_text("part", "three four five six seven eight nine");
  DedupOptions options;
  options.measure = Measure::kContainment;
  options.keep = KeepOrder::usual(options.config.features, options.measure);
  const Report report = make(corpus, options).report;
  ASSERT_EQ(report.removed, 1U);
  ASSERT_TRUE(report.above.empty());
  const std::string page = report_html(report);
  EXPECT_THAT(
      page, HasSubstr("Every compared pair that reaches the threshold has score 1: one document is "
                      "wholly contained in the other. Such pairs are not listed here."));
  EXPECT_THAT(page, Not(HasSubstr("No pair of different documents")));
}

TEST(Report, OfSmallContainedDocumentsNoneIsMissed) {
  MemoryCorpus corpus;
  corpus.add_text("long", "a b c d e f g h i j k l m n o p q r s t u v w x y z");
  corpus.add_text("part", "a b c d e f g h UNLIKE OTHERS");
  DedupOptions options;
  options.config.features = FeatureSpec::parse("text:word1");
  options.measure = Measure::kContainment;
  const Report report = make(corpus, options).report;
  EXPECT_EQ(report.similar_pairs, 1U);
  EXPECT_EQ(report.missed_pairs, 0);
}

TEST(Report, ReferencesAreApart) {
  MemoryCorpus corpus;
  corpus.add_text("r", "one two three four five six");
  corpus.end_references();
  corpus.add_text("a", "one two three four five six");
  corpus.add_text("b", "something else that is not there yet");
  const Report report = make(corpus, DedupOptions{}).report;
  ASSERT_EQ(report.sources.size(), 2U);
  EXPECT_TRUE(report.sources[0].reference);
  EXPECT_EQ(report.sources[0].documents, 1U);
  EXPECT_EQ(report.sources[1].documents, 2U);
  EXPECT_EQ(report.sources[1].removed, 1U);
  EXPECT_EQ(report.removed_by, (std::vector<std::vector<std::uint64_t>>{{0, 1}}));
  EXPECT_EQ(report.matrix_references.size(), 1U);
  EXPECT_EQ(report.shown.at(0).why_kept, "It is a reference: those are never removed.");
  EXPECT_THAT(report_html(report), HasSubstr("similar to a kept one, or to a reference"));
}

TEST(Report, BytesAreThoseOfTheTexts) {
  MemoryCorpus corpus;
  corpus.add_text("a", "one two three four five");
  corpus.add_text("b", "One two three four five!");
  corpus.add_text("c", "x");
  const Report report = make(corpus, DedupOptions{}).report;
  EXPECT_EQ(report.counts.bytes, 48U);
  EXPECT_EQ(report.removed_bytes, 24U);
}

TEST(Report, HeadlinesAreSentences) {
  const auto headline = [](MemoryCorpus corpus, bool dry_run, ShortPolicy policy) {
    DedupOptions options;
    options.short_policy = policy;
    RunFacts facts;
    facts.dry_run = dry_run;
    const std::string page = report_html(make(corpus, options, facts).report);
    const std::size_t begin = page.find("<p class=\"headline\">") + 20;
    return page.substr(begin, page.find("</p>", begin) - begin);
  };
  const std::string text = "one two three four five six";
  MemoryCorpus none, two = corpus_of({text, text}), different = corpus_of({text, "x"});
  EXPECT_EQ(headline(none, false, ShortPolicy::kExact), "The inputs hold no document.");
  EXPECT_EQ(
      headline(two, false, ShortPolicy::kExact),
      "Of 2 documents 1 was removed (50.0 %), because it is at least 0.8 similar to a kept one.");
  EXPECT_EQ(headline(two, true, ShortPolicy::kExact),
            "Of 2 documents 1 would be removed (50.0 %), because it is at least 0.8 similar to a "
            "kept one.");
  EXPECT_EQ(
      headline(different, false, ShortPolicy::kExact),
      "Of 2 documents none was removed: no two of them were found to be at least 0.8 similar.");
  EXPECT_EQ(headline(different, false, ShortPolicy::kDrop),
            "Of 2 documents 1 was removed (50.0 %), because it is too short.");
  EXPECT_EQ(headline(corpus_of({text, text, text, "x"}), false, ShortPolicy::kDrop),
            "Of 4 documents 3 were removed (75.0 %), because 2 of them are at least 0.8 similar to "
            "a kept one, and 1 because of too short a text.");
}

TEST(Report, HostileTextsStayText) {
  const std::string evil = std::string(
      "</script><script>alert(1)</script>\"'<img src=x "
      "onerror=alert(2)>\0\x1b[2J\u202e\xff\xe2\x82 &lt; ",
      76);
  MemoryCorpus corpus;
  corpus.add_text("<b>\"x\"</b>\u202e\n", evil + "one two three four five six seven eight");
  corpus.add_text("'><img src=x>", evil + "one two three four five six seven nine");
  DedupOptions options = options_without_misses("0.5");
  RunFacts facts;
  facts.command = {"benzer", "dedup", "<script>", "it's"};
  facts.inputs = {"<a href=x>\u2066.jsonl"};
  facts.group_field = "<i>";
  facts.problems = {"<u>: \x1b[31m"};
  facts.input.skipped = 1;
  facts.next_steps = {{"<s>", {"</code>"}}};
  const Report report = make(corpus, options, facts).report;
  ASSERT_EQ(report.removed, 1U);
  const std::string page = report_html(report);
  for (const char* markup : {"<script", "<img", "<b>\"", "<a href=x", "<i>", "<u>", "<s>",
                             "onerror=alert(2)>", "\x1b", "\u202e", "\u2066", "\xff"})
    EXPECT_THAT(page, Not(HasSubstr(markup)));
  EXPECT_EQ(page.find('\0'), std::string::npos);
  EXPECT_THAT(page, HasSubstr("&lt;img src=x onerror=alert(2)&gt;"));
  EXPECT_THAT(report_json(report), Not(HasSubstr("\x1b")));
}

TEST(Report, ShortLists) {
  MemoryCorpus corpus;
  for (const int threshold : {0, 1}) {
    DedupOptions options;
    if (threshold == 1) options.threshold = Threshold::parse("1");
    const Report report = make(corpus, options).report;
    EXPECT_TRUE(report.shown.empty());
    EXPECT_THAT(report_html(report), HasSubstr("</html>"));
    EXPECT_THAT(report_json(report), HasSubstr("\"clusters\":[]"));
  }
}

TEST(Selection, PairsAtTheLineAreOfDifferentDocumentsFirst) {
  std::vector<ScoredPair> compared;
  for (std::uint32_t i = 1; i < 8; ++i) compared.push_back({0, i, 0.8});
  for (std::uint32_t i = 10; i < 16; i += 2) compared.push_back({i, i + 1, 0.9});
  compared.push_back({20, 21, 1});
  const auto above = report::nearest_similar(ScoredPairs(compared));
  ASSERT_EQ(above.size(), report::kShownPairs);
  EXPECT_EQ(std::count_if(above.begin(), above.end(), [](const auto& p) { return p.score == 0.9; }),
            3);
  const std::vector<ScoredPair> below = {
      {32, 33, 0.75}, {32, 34, 0.75}, {35, 36, 0.75}, {30, 31, 0.7}};
  const auto under = report::choose_pairs(below);
  EXPECT_EQ(under, (std::vector<ScoredPair>{below[0], below[2], below[1], below[3]}));
}

// Half of the removals are in one cluster, which is the largest, and has the lowest scores.
TEST(Selection, EveryRemovalIsAsLikelyToBeInTheSample) {
  constexpr std::uint32_t kTrials = 300, kRemovals = 1000;
  std::size_t of_largest = 0, first_of_largest = 0;
  for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
    DedupResult result;
    const std::uint32_t begin = trial * 2 * kRemovals;
    for (std::uint32_t i = 0; i < kRemovals; ++i) {
      const bool largest = i % 2 == 0;
      result.removed.push_back(
          {begin + kRemovals + i, largest ? begin : begin + i, largest ? 0.8 : 0.9});
      result.removed.push_back({begin + 2 * kRemovals, std::nullopt, 0});  // too short
    }
    const auto sample = report::sample_removals(result);
    ASSERT_EQ(sample.size(), report::kShownSample);
    EXPECT_EQ(sample, report::sample_removals(result));
    std::set<std::uint32_t> documents;
    for (const ScoredPair& pair : sample) {
      documents.insert(pair.b);
      of_largest += pair.a == begin;
    }
    EXPECT_EQ(documents.size(), sample.size());
    first_of_largest += sample[0].a == begin;
  }
  // Five standard deviations of a fair coin.
  EXPECT_NEAR(static_cast<double>(of_largest), kTrials * 10, 5 * std::sqrt(kTrials * 20 * 0.25));
  EXPECT_NEAR(static_cast<double>(first_of_largest), kTrials * 0.5, 5 * std::sqrt(kTrials * 0.25));
}

TEST(Report, SampleHasFewRemovalsCompletely) {
  MemoryCorpus corpus = corpus_of(mixed_texts(5, 6));
  const auto [result, report] = make(corpus, options_without_misses("0.5"));
  ASSERT_LE(result.removed.size(), report::kShownSample);
  ASSERT_EQ(report.sample.size(), result.removed.size());
  std::map<std::uint32_t, const ReportedPair*> sampled;
  for (const ReportedPair& pair : report.sample) sampled[*pair.b.number] = &pair;
  for (const Removal& removal : result.removed) {
    ASSERT_TRUE(sampled.contains(removal.document));
    EXPECT_EQ(sampled[removal.document]->a.number, removal.keeper);
    EXPECT_EQ(sampled[removal.document]->score, removal.score);
    EXPECT_EQ(sampled[removal.document]->fields.size(), 1U);
  }
}

// A corpus in memory with many sources, as otherwise only a corpus of files has.
class ManySources : public MemoryCorpus {
 public:
  using SourceOf = std::function<std::uint32_t(std::uint32_t document)>;

  // source_of: by default one source after the other.
  explicit ManySources(std::uint32_t count, SourceOf source_of = {})
      : source_of_(source_of ? std::move(source_of)
                             : [count](std::uint32_t document) { return document % count; }) {
    for (std::uint32_t i = 0; i < count; ++i) names_.push_back("s" + std::to_string(i));
  }
  std::span<const std::string> sources() const override { return names_; }
  std::uint32_t source_of(std::uint32_t document) const override { return source_of_(document); }

 private:
  std::vector<std::string> names_;
  SourceOf source_of_;
};

TEST(Report, SourcesAreCountedAndTheRestIsSummedUp) {
  for (const std::uint32_t count : {2U, 20U, 51U, 70U}) {
    ManySources corpus(count);
    for (const std::string& text : mixed_texts(8, 200)) corpus.add_text("", text);
    const Report report = make(corpus, options_without_misses("0.5")).report;
    std::uint64_t documents = report.rest.documents, removed = report.rest.removed, because = 0;
    for (const ReportedSource& source : report.sources) {
      documents += source.documents;
      removed += source.removed;
    }
    for (const auto& row : report.removed_by)
      because = std::accumulate(row.begin(), row.end(), because);
    EXPECT_EQ(documents, report.counts.documents);
    EXPECT_EQ(removed, report.removed);
    EXPECT_EQ(because, report.removed);
    EXPECT_EQ(report.sources.size() + report.more_sources, count);
    EXPECT_LE(report.sources.size(), 50U);
    EXPECT_EQ(report.removed_by.size(), std::min<std::size_t>(count, 20) + (count > 20));
  }
}

TEST(Report, ReferencesTakeNoRowsFromInputs) {
  // Of 80 sources of references the first 25 remove two documents each, and the others none; of 70
  // sources of inputs the last 50 lose one document of two.
  ManySources corpus(150, [](std::uint32_t document) {
    return document < 80 ? document : 80 + (document - 80) % 70;
  });
  const auto text = [](int number) { return fmt::format("one {0} two {0} three {0} end", number); };
  for (int i = 0; i < 80; ++i) corpus.add_text("", text(i));
  corpus.end_references();
  for (int i = 0; i < 140; ++i) corpus.add_text("", text(i < 90 ? 1000 + i : (i - 90) / 2));
  const Report report = make(corpus, options_without_misses("0.5")).report;
  ASSERT_EQ(report.removed, 50U);

  std::vector<std::string> shown;
  for (const ReportedSource& source : report.sources) {
    shown.push_back(source.name);
    EXPECT_EQ(source.removed, source.reference ? 0U : 1U) << source.name;
  }
  std::vector<std::string> wanted;
  for (int i = 0; i < 20; ++i) wanted.push_back("s" + std::to_string(i));
  for (int i = 100; i < 150; ++i) wanted.push_back("s" + std::to_string(i));
  EXPECT_EQ(shown, wanted);
  EXPECT_EQ(report.more_references, 60U);
  EXPECT_EQ(report.rest_of_references.documents, 60U);
  EXPECT_EQ(report.more_sources, 20U);
  EXPECT_EQ(report.rest.documents, 40U);
  EXPECT_EQ(report.rest.removed, 0U);

  EXPECT_EQ(report.matrix_sources,
            std::vector<std::string>(wanted.begin() + 20, wanted.begin() + 40));
  EXPECT_EQ(report.matrix_others, 50U);
  EXPECT_EQ(report.matrix_references,
            std::vector<std::string>(wanted.begin(), wanted.begin() + 10));
  EXPECT_EQ(report.matrix_other_references, 70U);
  ASSERT_EQ(report.removed_by.size(), 21U);
  std::vector<std::uint64_t> columns(32);
  for (const auto& row : report.removed_by) {
    ASSERT_EQ(row.size(), columns.size());
    for (std::size_t i = 0; i < row.size(); ++i) columns[i] += row[i];
  }
  std::vector<std::uint64_t> because(32);
  std::fill(because.begin() + 21, because.end() - 1, 2);
  because.back() = 30;
  EXPECT_EQ(columns, because);

  const std::string page = report_html(report);
  EXPECT_THAT(page, HasSubstr("60 more references, which cause the fewest removals</th><td "
                              "class=\"number\">60</td>"));
  EXPECT_THAT(page, HasSubstr("20 more sources, which lose least</th><td "
                              "class=\"number\">40</td><td class=\"number\">0</td>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"col\">Removed from</th><th scope=\"col\" "
                              "class=\"number\">s0 (reference)</th>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">s100</th><td class=\"number\">1</td>"));
  EXPECT_THAT(page, HasSubstr("Summed up: 50 other sources and 70 other references."));
}

}  // namespace
}  // namespace benzer
