// Tests the audit of an index by comparing all pairs and looking up all documents.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/audit.h"
#include "benzer/error.h"

#include "engine/index_test_util.h"
#include "io/io_test_util.h"

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

// So few keys that many pairs are missed.
const char* const kFewKeys = "a=values | measure:containment | keys:0.1/20 | min:0.8 | recall:0.8";
const char* const kFewKeysOfTwo =
    "a=values | b=values | measure:containment | keys:0.1/20 | min:0.4 | recall:0.5";

// Books, quotations from them, and equal documents. With two fields, the quotations of 5 to 40
// values have others, too, so that they are as large as the book.
std::vector<Document> contained_documents(bool two_fields) {
  TestRandom random(11);
  std::vector<Document> out;
  for (int book = 0; book < 60; ++book) {
    const std::string name = "v" + std::to_string(book) + "-";
    const int size = 30 + static_cast<int>(random.below(40));
    const int part = std::min(size, 5 + static_cast<int>(random.below(36)));
    const auto add = [&](const std::string& id, int values) -> Document& {
      out.push_back({id + std::to_string(book), {numbered("a", name, 0, values)}});
      return out.back();
    };
    add("book", size);
    Document& quotation = add("part", part);
    if (two_fields) quotation.fields.push_back(numbered("b", "o" + name, part, size));
    add("short", 5 + book % 3);
    if (book % 3 == 0) add("equal", size);
  }
  return out;
}

struct QuestionsToIndex {
  std::set<std::pair<std::string, std::string>> listed;  // by for_each_similar_pair
  std::map<std::string, std::set<std::string>> matches;  // of each document as a query

  explicit QuestionsToIndex(const Index& index) {
    index.for_each_similar_pair({}, [&](const ScoredIds& pair) {
      listed.emplace(pair.a, pair.b);
      listed.emplace(pair.b, pair.a);
    });
    std::vector<std::string> ids;
    index.for_each_id([&](std::string_view id) { ids.emplace_back(id); });
    for (const std::string& id : ids)
      for (const Match& match : index.find_similar_to(id, {.limit = 10'000}))
        matches[id].insert(match.id);
  }
};

TEST(IndexAudit, OfKeysCountsThePairsOfTheIndexInAnyOrder) {
  for (const bool two_fields : {false, true}) {
    std::map<std::pair<std::string, std::string>, bool> known;  // of the other order
    AuditFigures figures_before;
    for (const bool reversed : {false, true}) {
      std::vector<Document> documents = contained_documents(two_fields);
      if (reversed) std::reverse(documents.begin(), documents.end());
      Index index = Index::in_memory(Schema::parse(two_fields ? kFewKeysOfTwo : kFewKeys));
      index.index_documents(documents);
      std::vector<FoundOrNot> pairs;
      const AuditFigures figures = audit_all(index, {}, &pairs);

      const QuestionsToIndex asked(index);
      std::uint64_t by_queries = 0;
      for (const auto& [id, matches] : asked.matches) by_queries += matches.size();
      ASSERT_TRUE(figures.queries);
      EXPECT_EQ(figures.queries->found, by_queries);
      EXPECT_EQ(figures.queries->pairs, 2 * figures.all.pairs);
      EXPECT_LT(by_queries, figures.queries->pairs);
      EXPECT_EQ(figures.queries->share.low, figures.queries->share.high);

      std::map<std::pair<std::string, std::string>, bool> found;
      std::uint64_t only_listed = 0;
      for (const FoundOrNot& pair : pairs) {
        found[std::minmax(pair.a, pair.b)] = pair.found;
        const bool is_listed = asked.listed.contains({pair.a, pair.b});
        EXPECT_LE(pair.found, is_listed) << pair.a << " " << pair.b;
        only_listed += is_listed && !pair.found;
      }
      // Of equally large documents the index asks for one, and the audit for both.
      EXPECT_EQ(only_listed > 0, two_fields && !reversed);
      EXPECT_LT(figures.all.found, figures.all.pairs);
      EXPECT_GT(figures.all.found, figures.all.pairs / 2);
      EXPECT_GE(figures.equal_pairs, 20U);
      EXPECT_EQ(figures.all.found, figures.different.found + figures.equal_found);
      IndexAuditOptions some;
      some.sample = 30;
      some.threads = 3;
      std::vector<FoundOrNot> of_some;
      EXPECT_LT(audit_all(index, some, &of_some).queries->pairs, figures.queries->pairs);
      for (const FoundOrNot& pair : of_some)
        EXPECT_EQ(pair.found, found.at(std::minmax(pair.a, pair.b))) << pair.a << " " << pair.b;
      if (reversed) {
        EXPECT_EQ(found, known);
        EXPECT_EQ(figures.queries->found, figures_before.queries->found);
        // Which equal documents are copies for the index is a matter of the order.
        EXPECT_NEAR(figures.different.predicted, figures_before.different.predicted, 1e-12);
      }
      known = found;
      figures_before = figures;
    }
  }
}

// A document of 5 values is a key of all of these, and looks for a larger one by 5 values of which
// few are keys.
TEST(IndexAudit, OfKeysPredictsWhatHappens) {
  constexpr int kPairs = 2000;
  for (const int part : {5, 25}) {
    std::vector<Document> documents;
    for (int pair = 0; pair < kPairs; ++pair) {
      const std::string name = "v" + std::to_string(pair) + "-";
      documents.push_back({"book" + std::to_string(pair), {numbered("a", name, 0, 40)}});
      documents.push_back({"part" + std::to_string(pair), {numbered("a", name, 0, part)}});
    }
    Index index = Index::in_memory(Schema::parse(kFewKeys));
    index.index_documents(documents);
    IndexAuditOptions options;
    options.sample = 2 * kPairs;
    const AuditFigures figures = audit_all(index, options);
    const auto share = [](const Recall& recall) {
      return static_cast<double>(recall.found) / static_cast<double>(recall.pairs);
    };
    // The bounds are four standard deviations; a pair is asked for twice.
    if (part < 20) {
      EXPECT_EQ(figures.all.found, static_cast<std::uint64_t>(kPairs));
      EXPECT_EQ(figures.all.predicted, 1);
      EXPECT_LT(share(*figures.queries), 0.8);
    } else {
      EXPECT_NEAR(share(figures.all), figures.all.predicted, 4 * std::sqrt(0.25 / kPairs));
    }
    EXPECT_NEAR(share(*figures.queries), figures.queries->predicted, 4 * std::sqrt(0.25 / kPairs));
  }
}

// Equal documents share all keys, but they may have none.
TEST(IndexAudit, OfKeysTellsWhichEqualDocumentsAreMissed) {
  const TestFolder folder;
  const char* const schema =
      "a=values | measure:containment | keys:0.02/20 | min:0.8 | recall:0.27";
  {
    // Each opening adds a segment, and copies are known within one.
    for (int turn = 0; turn < 2; ++turn) {
      Index index = Index::open(folder / "index", {.create_with = Schema::parse(schema)});
      std::vector<Document> documents;
      for (int i = 0; i < 100; ++i)
        documents.push_back({std::to_string(turn) + "-" + std::to_string(i),
                             {numbered("a", "v" + std::to_string(i) + "-", 0, 30)}});
      index.index_documents(documents);
    }
  }
  const Index index = Index::open(folder / "index", {.read_only = true});
  std::set<std::pair<std::string, std::string>> listed;
  index.for_each_similar_pair({}, [&](const ScoredIds& pair) { listed.emplace(pair.a, pair.b); });
  const AuditFigures figures = audit_all(index, {});
  EXPECT_EQ(figures.equal_pairs, 100U);
  EXPECT_EQ(figures.equal_found, listed.size());
  EXPECT_LT(figures.equal_found, 80U);
  EXPECT_GT(figures.equal_found, 20U);
  EXPECT_NEAR(figures.equal_predicted, 1 - std::pow(0.98, 30), 1e-12);
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
