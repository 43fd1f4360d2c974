// Tests the audit of an index by comparing all pairs and looking up all documents.
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/audit.h"
#include "benzer/error.h"

#include "engine/index_test_util.h"

namespace benzer {
namespace {

// Two bands of three rows, which find only some of the pairs.
const char* const kWeak =
    "title=text:word1;w=2 | body=text:word2 | tags=values | fss:128 | bands:2x3 | min:0.5 | "
    "recall:0.3";

struct Corpus {
  Index index = Index::in_memory(Schema::parse(kWeak));
  std::map<std::string, Document> documents;

  explicit Corpus(std::uint64_t seed) {
    TestRandom random(seed);
    std::vector<Document> batch;
    for (int i = 0; i < 150; ++i) {
      batch.push_back(some_document("d" + std::to_string(i), random, false));
      documents[batch.back().id] = batch.back();
    }
    index.index_documents(batch);
  }
};

struct FoundOrNot {
  std::string a, b;
  double score;
  bool found;
  friend bool operator==(const FoundOrNot&, const FoundOrNot&) = default;
};

AuditFigures audit_all(const Index& index, IndexAuditOptions options,
                       std::vector<FoundOrNot>* pairs = nullptr) {
  if (pairs)
    options.pairs = [pairs](const ScoredIds& pair, bool found) {
      pairs->push_back({std::string(pair.a), std::string(pair.b), pair.score, found});
    };
  return audit(index, options);
}

TEST(IndexAudit, OfAllDocumentsIsBruteForce) {
  for (const ScoreRule rule : {ScoreRule::kMean, ScoreRule::kAll, ScoreRule::kAny}) {
    const Corpus corpus(3);
    const Oracle oracle(corpus.index.schema());
    IndexAuditOptions options;
    options.score = rule;
    std::vector<FoundOrNot> pairs;
    const AuditFigures figures = audit_all(corpus.index, options, &pairs);

    std::set<std::pair<std::string, std::string>> found;
    corpus.index.for_each_similar_pair(
        options, [&](const ScoredIds& pair) { found.emplace(pair.a, pair.b); });
    std::uint64_t wanted = 0, with_features = 0, with_similar = 0;
    for (const auto& [id, document] : corpus.documents) {
      const auto matches =
          oracle.matches(corpus.documents, document, {.limit = 1000, .score = rule});
      wanted += matches.size();
      with_similar += !matches.empty();
      with_features += !corpus.index.get(id)->fields.empty();
    }
    EXPECT_EQ(2 * figures.all.pairs, wanted);
    EXPECT_EQ(figures.all.found, found.size());
    EXPECT_LT(figures.all.found, figures.all.pairs) << "nothing is missed";
    EXPECT_EQ(figures.all.share.low, figures.all.share.high);  // nothing is left to chance
    EXPECT_EQ(figures.documents, 150U);
    EXPECT_EQ(figures.taking_part, with_features);
    EXPECT_EQ(figures.empty, 150 - with_features);
    EXPECT_EQ(figures.sampled, with_features);
    EXPECT_EQ(figures.with_similar, with_similar);
    EXPECT_EQ(figures.all.pairs, figures.different.pairs + figures.equal_pairs);
    std::uint64_t in_ranges = 0;
    for (const ScoreRange& range : figures.ranges) in_ranges += range.pairs;
    EXPECT_EQ(in_ranges, figures.different.pairs);

    EXPECT_EQ(pairs.size(), figures.all.pairs);
    for (const FoundOrNot& pair : pairs)
      EXPECT_EQ(pair.found, found.contains({pair.a, pair.b})) << pair.a << " " << pair.b;

    options.threads = 3;
    std::vector<FoundOrNot> again;
    EXPECT_EQ(audit_all(corpus.index, options, &again).all.predicted, figures.all.predicted);
    EXPECT_EQ(again, pairs);
  }
}

TEST(IndexAudit, CountsWhatIsJustBelow) {
  const Corpus corpus(4);
  const Oracle oracle(corpus.index.schema());
  const AuditFigures figures = audit_all(corpus.index, {});
  ASSERT_EQ(figures.below.size(), 4U);
  std::uint64_t wanted = 0;
  for (const auto& [id, document] : corpus.documents)
    for (const Match& match : oracle.matches(corpus.documents, document,
                                             {.threshold = Threshold::parse("0.3"), .limit = 1000}))
      wanted += match.score < 0.5;
  std::uint64_t below = 0;
  for (const ScoreRange& range : figures.below) below += range.pairs;
  EXPECT_EQ(2 * below, wanted);
  EXPECT_GT(below, 0U);
}

// Returns the values of one side of a pair. The first `shared` of them are on the other side, too.
std::vector<std::string> values(const std::string& name, int pair, int shared, int own, bool left) {
  std::vector<std::string> out;
  for (int i = 0; i < shared + own; ++i)
    out.push_back(name + std::to_string(pair) + "-" + std::to_string(i) +
                  (i < shared ? ""
                   : left     ? "l"
                              : "r"));
  return out;
}

TEST(IndexAudit, PredictsWhatHappens) {
  constexpr int kPairs = 2000;
  // The bands of a field far below the threshold seldom find a pair, as its signature does not
  // pass.
  for (const auto& [x_shared, y_shared] : {std::pair{20, 24}, {8, 34}}) {
    Index index = Index::in_memory(
        Schema::parse("x=values | y=values | fss:128 | bands:2x3 | min:0.5 | recall:0.3"));
    std::vector<Document> documents;
    for (int pair = 0; pair < kPairs; ++pair)
      for (const bool left : {true, false})
        documents.push_back({(left ? "l" : "r") + std::to_string(pair),
                             {Field::of_values("x", values("x", pair, x_shared, 10, left)),
                              Field::of_values("y", values("y", pair, y_shared, 6, left))}});
    index.index_documents(documents);
    IndexAuditOptions options;
    options.sample = 2 * kPairs;
    const AuditFigures figures = audit_all(index, options);
    EXPECT_EQ(figures.all.pairs, static_cast<std::uint64_t>(kPairs));
    // The bound is four standard deviations.
    const double share = static_cast<double>(figures.all.found) / kPairs;
    EXPECT_GT(share, 0.2);
    EXPECT_LT(share, 0.95);
    EXPECT_NEAR(share, figures.all.predicted, 4 * std::sqrt(0.25 / kPairs));
  }
}

// The values from..to-1 of a name.
Field numbered(const std::string& field, const std::string& name, int from, int to) {
  std::vector<std::string> out;
  for (int i = from; i < to; ++i) out.push_back(name + std::to_string(i));
  return Field::of_values(field, out);
}

TEST(IndexAudit, LeavesOutWhatHasExpired) {
  for (const char* schema :
       {"a=values | expires_at=time | measure:containment | keys:1/20 | min:0.8 | recall:0.9",
        "a=values | expires_at=time | fss:128 | bands:128x1 | min:0.8 | recall:0.9"}) {
    Index index = Index::in_memory(Schema::parse(schema));
    std::vector<Document> documents;
    for (int i = 0; i < 30; ++i) {
      const std::string name = "v" + std::to_string(i) + "-";
      documents.push_back({"old" + std::to_string(i), {numbered("a", name, 0, 30)}});
      if (i % 3 != 0) documents.back().attributes = {{"expires_at", "2001-01-01"}};
      documents.push_back({"new" + std::to_string(i), {numbered("a", name, 1, 31)}});
      // An expired document may be the original of a copy.
      documents.push_back({"copy" + std::to_string(i), {numbered("a", name, 0, 30)}});
      if (i % 3 == 1) documents.back().attributes = {{"expires_at", "2001-01-01"}};
    }
    documents.push_back({"empty", {}, {{"expires_at", "2001-01-01"}}});
    index.index_documents(documents);
    std::vector<FoundOrNot> before, after;
    const AuditFigures figures = audit_all(index, {}, &before);
    EXPECT_EQ(figures.documents, 60U);
    EXPECT_EQ(figures.taking_part, 60U);
    EXPECT_EQ(figures.empty, 0U);
    EXPECT_EQ(figures.with_similar, 50U);
    EXPECT_EQ(figures.all.pairs, 40U);  // three of each first trio, one of each third
    EXPECT_EQ(figures.all.found, 40U);
    EXPECT_EQ(figures.equal_pairs, 10U);
    IndexAuditOptions some;
    some.sample = 20;
    const AuditFigures drawn = audit_all(index, some, &before);
    index.remove_expired(index.expired().ids);
    EXPECT_EQ(audit_all(index, {}, &after).all.pairs, figures.all.pairs);
    EXPECT_EQ(audit_all(index, some, &after).all.pairs, drawn.all.pairs);
    EXPECT_EQ(before, after);
  }
}

TEST(IndexAudit, DrawsOtherDocumentsForAnotherSeed) {
  const Corpus corpus(5);
  const auto drawn = [&](std::uint64_t seed) {
    IndexAuditOptions options;
    options.sample = 20;
    options.seed = seed;
    std::vector<FoundOrNot> pairs;
    const AuditFigures figures = audit_all(corpus.index, options, &pairs);
    EXPECT_EQ(figures.sampled, 20U);
    EXPECT_LT(figures.all.share.low, figures.all.share.high);
    return pairs;
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
}

TEST(IndexAudit, RefusesWhatCannotBe) {
  const Corpus corpus(6);
  IndexAuditOptions options;
  options.sample = 0;
  EXPECT_THROW(audit(corpus.index, options), Error);
  options.sample = 10;
  options.threshold = Threshold::parse("0.4");
  EXPECT_THROW(audit(corpus.index, options), Error);
  options.allow_low_recall = true;
  EXPECT_GT(audit(corpus.index, options).sampled, 0U);
  const AuditFigures nothing = audit(Index::in_memory(Schema()), {});
  EXPECT_EQ(nothing.sampled, 0U);
  EXPECT_EQ(nothing.all.share.high, 1);
}

}  // namespace
}  // namespace benzer
