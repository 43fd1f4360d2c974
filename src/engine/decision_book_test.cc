#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/index.h"

#include "io/io_test_util.h"

namespace benzer {
namespace {

const char* const kTextSchema = "text=text:word1 | fss:128 | bands:128x1 | min:0.3";

Document text(std::string id, std::string words) {
  return {std::move(id), {Field::of_text("text", std::move(words))}};
}

// Returns "keeper: members" for each cluster.
std::set<std::string> clusters(const Index& index, bool ignore = false,
                               Clustering clustering = Clustering::kComponents) {
  std::set<std::string> out;
  index.for_each_cluster({.ignore_decisions = ignore, .clustering = clustering},
                         [&](const IndexCluster& cluster) {
                           std::string line = cluster.keeper + ":";
                           for (const IndexCluster::Member& member : cluster.members)
                             line += " " + member.id;
                           out.insert(line);
                         });
  return out;
}

std::size_t pairs(const Index& index) {
  return index.for_each_similar_pair({}, [](const ScoredIds&) {}).pairs;
}

Decision decision(std::vector<std::string> members, std::string keeper, bool apart) {
  Decision out;
  out.members = std::move(members);
  out.keeper = std::move(keeper);
  out.not_duplicates = apart;
  return out;
}

Index some_index() {
  Index index = Index::in_memory(Schema::parse(kTextSchema));
  index.index_documents({text("a", "x y z"), text("b", "x y z v"), text("c", "x y z u"),
                         text("p", "1 2 3"), text("q", "1 2 3 4")});
  return index;
}

TEST(DecisionsTest, AnotherKeeper) {
  Index index = some_index();
  EXPECT_EQ(clusters(index), (std::set<std::string>{"a: b c", "p: q"}));
  EXPECT_TRUE(index.put_decision(decision({"a", "c"}, "c", false)));
  EXPECT_EQ(clusters(index), (std::set<std::string>{"c: a b", "p: q"}));
  EXPECT_EQ(clusters(index, true), (std::set<std::string>{"a: b c", "p: q"}));
  // The latest decision counts.
  EXPECT_TRUE(index.put_decision(decision({"b"}, "b", false)));
  EXPECT_EQ(clusters(index), (std::set<std::string>{"b: a c", "p: q"}));
  // A decision for a keeper that was removed has no effect.
  index.remove({"b"});
  EXPECT_EQ(clusters(index), (std::set<std::string>{"c: a", "p: q"}));
}

TEST(DecisionsTest, LeadersAreChosenFirst) {
  Index index = Index::in_memory(Schema::parse(kTextSchema));
  index.index_documents(
      {text("1", "a b c d"), text("2", "c d e f"), text("3", "e f g h"), text("4", "g h i j")});
  const auto leaders = [&] { return clusters(index, false, Clustering::kLeader); };
  EXPECT_EQ(leaders(), (std::set<std::string>{"1: 2", "3: 4"}));
  EXPECT_TRUE(index.put_decision(decision({"2", "3"}, "2", false)));
  EXPECT_EQ(leaders(), (std::set<std::string>{"2: 1 3"}));  // 4 is similar to no kept document
  EXPECT_TRUE(index.put_decision(decision({"4"}, "4", false)));
  EXPECT_EQ(leaders(), (std::set<std::string>{"2: 1", "4: 3"}));
  EXPECT_TRUE(index.put_decision(decision({"1", "2"}, "", true)));
  EXPECT_EQ(leaders(), (std::set<std::string>{"4: 3"}));
}

TEST(DecisionsTest, NoDuplicatesAreNoPairAndInNoClusterOfOneAnother) {
  Index index = some_index();
  EXPECT_EQ(pairs(index), 4U);
  ASSERT_TRUE(index.put_decision(decision({"p", "q"}, "", true)));
  EXPECT_EQ(pairs(index), 3U);
  EXPECT_EQ(clusters(index), (std::set<std::string>{"a: b c"}));
  // c connects a with b, which are not duplicates: b is not removed because of a.
  ASSERT_TRUE(index.put_decision(decision({"a", "b"}, "", true)));
  EXPECT_EQ(pairs(index), 2U);
  EXPECT_EQ(clusters(index), (std::set<std::string>{"a: c"}));
  const Decision last = index.decisions().back();
  EXPECT_TRUE(index.remove_decision(last.id, last.version));
  EXPECT_EQ(clusters(index), (std::set<std::string>{"a: b c"}));
}

TEST(DecisionsTest, WhatTheyChangeIsCounted) {
  Index index = some_index();
  ASSERT_TRUE(index.put_decision(decision({"p", "q"}, "", true)));
  ASSERT_TRUE(index.put_decision(decision({"a", "p"}, "", true)));  // they are not similar anyway
  ASSERT_TRUE(index.put_decision(decision({"b"}, "b", false)));
  for (const Clustering clustering : {Clustering::kLeader, Clustering::kComponents}) {
    const WholeIndexCounts counts = index.deduplicate({.clustering = clustering}).counts;
    EXPECT_EQ(counts.set_apart, 1U);
    EXPECT_EQ(counts.chosen_keepers, 1U);
    const WholeIndexCounts without =
        index.deduplicate({.ignore_decisions = true, .clustering = clustering}).counts;
    EXPECT_EQ(without.set_apart, 0U);
    EXPECT_EQ(without.chosen_keepers, 0U);
  }
  EXPECT_EQ(index.for_each_similar_pair({}, [](const ScoredIds&) {}).set_apart, 1U);
}

TEST(DecisionsTest, NobodyUndoesWhatHeHasNotSeen) {
  Index index = some_index();
  const Decision first = *index.put_decision(decision({"a", "b"}, "a", false));
  Decision changed = first;
  changed.keeper = "b";
  const auto second = index.put_decision(changed);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->id, first.id);
  EXPECT_GT(second->version, first.version);
  EXPECT_FALSE(index.put_decision(changed));
  EXPECT_FALSE(index.remove_decision(first.id, first.version));
  EXPECT_EQ(index.decisions(), std::vector<Decision>{*second});
  EXPECT_TRUE(index.remove_decision(second->id, second->version));
  EXPECT_FALSE(index.put_decision(*second));
}

TEST(DecisionsTest, AreGoneThroughByTheirIds) {
  Index index = some_index();
  EXPECT_FALSE(index.decision_from(0));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(index.put_decision(decision({"a"}, "a", false)));
  EXPECT_TRUE(index.remove_decision(3, 1));
  std::vector<std::uint64_t> ids;
  for (auto at = index.decision_from(0); at; at = index.decision_from(at->id + 1))
    ids.push_back(at->id);
  EXPECT_EQ(ids, (std::vector<std::uint64_t>{1, 2, 4, 5}));
}

TEST(DecisionsTest, TheLastOneCountsAlsoWithinOneSecond) {
  Index index = some_index();
  Decision first = *index.put_decision(decision({"a", "b"}, "a", false));
  const Decision second = *index.put_decision(decision({"b", "c"}, "b", false));
  EXPECT_LT(first.at, second.at);
  EXPECT_EQ(clusters(index), (std::set<std::string>{"b: a c", "p: q"}));
  first.keeper = "a";
  first = *index.put_decision(first);
  EXPECT_LT(second.at, first.at);
  EXPECT_EQ(clusters(index), (std::set<std::string>{"a: b c", "p: q"}));
}

TEST(DecisionsTest, TheLastOneCountsAfterTheClockWasSetBack) {
  const TestFolder folder;
  const std::string store = folder / "store";
  Index::open(store, {.create_with = Schema::parse(kTextSchema)});
  std::ofstream(store + "/decisions.jsonl")
      << R"({"last_id":2})" << '\n'
      << R"({"id":1,"version":1,"members":["a"],"keeper":"a","not_duplicates":false,)"
      << R"("note":"","at":"2926-11-22T21:03:00.12Z"})" << '\n'
      << R"({"id":2,"version":1,"members":["b"],"keeper":"b","not_duplicates":false,)"
      << R"("note":"","at":"2926-11-22T21:03:00.123Z"})" << '\n';
  Index index = Index::open(store);
  const std::vector<Decision> old = index.decisions();
  ASSERT_EQ(old.size(), 2U);
  EXPECT_LT(old[0].at, old[1].at);
  EXPECT_LT(old[1].at, index.put_decision(decision({"c"}, "c", false))->at);
}

TEST(DecisionsTest, TakeBoundedMemory) {
  Index index = some_index();
  Decision large = decision({"a"}, "a", false);
  large.note.assign(std::size_t{40} << 20, 'x');
  EXPECT_TRUE(index.put_decision(large));
  EXPECT_THROW(index.put_decision(large), Error);
  EXPECT_EQ(index.decisions().size(), 1U);
  large.note.clear();
  EXPECT_TRUE(index.put_decision(large));
}

TEST(DecisionsTest, WrongOnesAreRefused) {
  Index index = some_index();
  const Decision wrong[] = {decision({}, "", false),          decision({"a"}, "", true),
                            decision({"a", "a"}, "", true),   decision({"a", "b"}, "c", false),
                            decision({"a", ""}, "", true),    decision({"a", "b"}, "a", true),
                            decision({"\xff", "b"}, "", true)};
  for (const Decision& one : wrong) EXPECT_THROW(index.put_decision(one), Error);
  EXPECT_TRUE(index.decisions().empty());
}

TEST(DecisionsTest, StayWithTheStoreAndGoIntoItsSnapshot) {
  const TestFolder folder;
  const std::string store = folder / "store";
  const Schema schema = Schema::parse(kTextSchema);
  Decision kept = decision({"a\n\"b\"", "ü"}, "ü", false);
  kept.note = "the newer one";
  Decision last;
  {
    Index index = Index::open(store, {.create_with = schema});
    EXPECT_TRUE(index.decisions().empty());
    kept = *index.put_decision(kept);
    last = *index.put_decision(decision({"x", "y"}, "", true));
    ASSERT_TRUE(index.remove_decision(last.id, last.version));
    index.snapshot(folder / "copy");
  }
  {
    // A client that has seen a removed decision cannot change a later one by the same id.
    Index index = Index::open(store);
    EXPECT_EQ(index.decisions(), std::vector<Decision>{kept});
    EXPECT_GT(index.put_decision(decision({"x", "z"}, "", true))->id, last.id);
    EXPECT_FALSE(index.put_decision(last));
    for (const Decision& one : index.decisions()) index.remove_decision(one.id, one.version);
  }
  EXPECT_GT(Index::open(store).put_decision(decision({"x", "z"}, "", true))->id, last.id + 1);
  Index copy = Index::open(folder / "copy");
  EXPECT_EQ(copy.decisions(), std::vector<Decision>{kept});
  EXPECT_GT(copy.put_decision(decision({"x", "y"}, "", true))->id, last.id);
}

TEST(DecisionsTest, OfTheMomentOfASnapshotGoIntoIt) {
  const TestFolder folder;
  const std::string store = folder / "store";
  Index index = Index::open(store, {.create_with = Schema::parse(kTextSchema)});
  const Index reader = Index::open(store, {.read_only = true});
  index.put_decision(decision({"a", "b"}, "", true));
  reader.snapshot(folder / "copy");
  EXPECT_EQ(Index::open(folder / "copy").decisions(), index.decisions());
}

TEST(DecisionsTest, LostOrChangedOnesAreNamed) {
  const TestFolder folder;
  const std::string store = folder / "store", file = store + "/decisions.jsonl";
  {
    Index index = Index::open(store, {.create_with = Schema::parse(kTextSchema)});
    index.put_decision(decision({"a", "b"}, "", true));
    index.put_decision(decision({"a", "c"}, "", true));
  }
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  const std::string whole = text.str();
  const std::size_t head = whole.find('\n') + 1, last = whole.rfind('\n', whole.size() - 2) + 1;
  std::string other = whole;
  other[other.find("\"b\"") + 1] = 'x';
  for (const std::string& damaged : {whole.substr(0, head), whole.substr(0, last), other}) {
    std::ofstream(file) << damaged;
    EXPECT_THROW(Index::open(store), Error) << damaged;
  }
  // People may edit the file.
  std::ofstream(file) << "{\"last_id\":2}\n" << whole.substr(last);
  EXPECT_EQ(Index::open(store).decisions().size(), 1U);
  std::ofstream(file) << whole;
  EXPECT_EQ(Index::open(store).decisions().size(), 2U);
}

TEST(DecisionsTest, ADamagedFileIsNamed) {
  const TestFolder folder;
  const std::string store = folder / "store";
  {
    Index::open(store, {.create_with = Schema::parse(kTextSchema)});
  }
  for (const char* damaged : {"{", "[]\n", "{\"id\":1}\n", "{\"id\":-1,\"version\":1}\n"}) {
    std::ofstream(store + "/decisions.jsonl") << damaged;
    try {
      Index::open(store);
      FAIL() << damaged;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
      EXPECT_NE(std::string(error.what()).find("decisions.jsonl"), std::string::npos);
    }
  }
}

// What was not stored was not lost.
TEST(DecisionsTest, OneThatIsRefusedChangesNothing) {
  const TestFolder folder;
  Index index = Index::open(folder / "index", {.create_with = Schema::parse(kTextSchema)});
  Decision large = decision({"a"}, "a", false);
  large.note = std::string(std::size_t{65} << 20, 'x');
  for (const std::uint64_t id : {1u, 2u}) {
    EXPECT_THROW(index.put_decision(large), Error);
    index.verify();
    EXPECT_EQ(index.put_decision(decision({"a", "b"}, "a", false))->id, id);
    index.verify();
  }
}

}  // namespace
}  // namespace benzer
