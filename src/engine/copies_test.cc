// Tests that an index with many equal documents answers as if it had no copies.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "base/disjoint_sets.h"
#include "base/sanitized.h"
#include "engine/index_test_util.h"
#include "engine/whole_index.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

using CopiesModel = std::map<std::string, Document>;
using IdPair = std::tuple<std::string, std::string, double>;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

// Computes all answers by their definition, from the scores of every document with every other one.
class Slowly {
 public:
  Slowly(const Index& index, const Oracle& oracle, const CopiesModel& model, ScoreRule rule,
         const std::string& threshold)
      : decisions_(index.decisions()) {
    {
      const std::unique_ptr<StoreReader> reader = WholeIndex::reader(index);
      for (const DocumentNumber document : documents_in_order(*reader)) {
        place_[std::string(reader->id(document))] = ids_.size();
        ids_.emplace_back(reader->id(document));
      }
    }
    // Members of a component may have scores far below the threshold with its keeper.
    for (const auto& [id, document] : model) {
      for (const Match& match : oracle.matches(
               model, document,
               {.threshold = Threshold::parse("0.000001"), .limit = kAll, .score = rule}))
        scores_[{id, match.id}] = match.score;
      for (const Match& match :
           oracle.matches(model, document,
                          {.threshold = Threshold::parse(threshold), .limit = kAll, .score = rule}))
        similar_.insert({id, match.id});
    }
  }

  std::vector<IdPair> pairs() const {
    std::vector<IdPair> out;
    for (std::size_t i = 0; i < ids_.size(); ++i)
      for (std::size_t j = i + 1; j < ids_.size(); ++j)
        if (is_pair(i, j)) out.emplace_back(ids_[i], ids_[j], score(i, j));
    return out;
  }

  std::uint64_t set_apart() const {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < ids_.size(); ++i)
      for (std::size_t j = i + 1; j < ids_.size(); ++j)
        out += similar_.contains({ids_[i], ids_[j]}) && are_apart(i, j);
    return out;
  }
  std::uint64_t chosen_keepers(const std::vector<IndexCluster>& clusters) const {
    std::uint64_t out = 0;
    for (const IndexCluster& cluster : clusters) out += chosen(place_.at(cluster.keeper)) > 0;
    return out;
  }

  std::vector<IndexCluster> clusters(Clustering clustering) const {
    const bool are_leaders = clustering == Clustering::kLeader;
    DisjointSets connected(static_cast<std::uint32_t>(ids_.size()));
    for (std::uint32_t i = 0; i < ids_.size(); ++i)
      for (std::uint32_t j = i + 1; j < ids_.size(); ++j)
        if (is_pair(i, j)) connected.join(i, j);
    std::vector<IndexCluster> out;
    for (std::uint32_t first = 0; first < ids_.size(); ++first) {
      std::vector<std::size_t> component;
      for (std::uint32_t i = first; i < ids_.size(); ++i)
        if (connected.root(i) == first) component.push_back(i);
      if (connected.root(first) != first || component.size() == 1) continue;
      std::stable_sort(component.begin(), component.end(),
                       [&](auto a, auto b) { return chosen(a) > chosen(b); });
      const std::vector<std::size_t> keepers =
          are_leaders ? leaders(component) : just_first(component);
      for (const std::size_t keeper : component) {
        IndexCluster cluster{ids_[keeper], {}, 1};
        for (std::size_t i = 0; i < ids_.size(); ++i) {
          const auto place = std::find(component.begin(), component.end(), i) - component.begin();
          if (i == keeper || place == std::ssize(component) || are_apart(i, keeper)) continue;
          if (keepers[static_cast<std::size_t>(place)] != keeper) continue;
          std::optional<IndexCluster::Link> link;
          for (const bool with_later : {false, true})  // later equal documents are the last choice
            for (std::size_t j = 0; !are_leaders && j < ids_.size(); ++j)
              if (j != i && is_pair(i, j) && (with_later || j < i || score(i, j) < 1) &&
                  (!link || (!with_later && score(i, j) > link->score)))
                link = {ids_[j], score(i, j)};
          cluster.members.push_back({ids_[i], score(i, keeper), link});
          cluster.weakest = std::min(cluster.weakest, score(i, keeper));
        }
        if (!cluster.members.empty()) out.push_back(std::move(cluster));
      }
    }
    std::sort(out.begin(), out.end(), [&](const auto& x, const auto& y) {
      return place_.at(x.keeper) < place_.at(y.keeper);
    });
    return out;
  }

 private:
  static std::vector<std::size_t> just_first(const std::vector<std::size_t>& component) {
    return std::vector<std::size_t>(component.size(), component[0]);
  }
  // Returns the keeper of each document, in keep order: the most similar earlier one that is kept,
  // or the document itself if it is kept.
  std::vector<std::size_t> leaders(const std::vector<std::size_t>& component) const {
    std::vector<std::size_t> out;
    for (std::size_t place = 0; place < component.size(); ++place) {
      const std::size_t document = component[place];
      std::size_t best = document;
      for (std::size_t before = 0; before < place; ++before) {
        const std::size_t other = component[before];
        if (out[before] != other || are_apart(document, other) ||
            !similar_.contains({ids_[document], ids_[other]}))
          continue;
        if (best == document || score(document, other) > score(document, best)) best = other;
      }
      out.push_back(best);
    }
    return out;
  }
  double score(std::size_t a, std::size_t b) const {
    const auto found = scores_.find({ids_[a], ids_[b]});
    return found == scores_.end() ? 0 : found->second;
  }
  bool are_apart(std::size_t a, std::size_t b) const {
    return std::any_of(decisions_.begin(), decisions_.end(), [&](const Decision& decision) {
      const auto has = [&](const std::string& id) {
        return std::find(decision.members.begin(), decision.members.end(), id) !=
               decision.members.end();
      };
      return decision.not_duplicates && has(ids_[a]) && has(ids_[b]);
    });
  }
  bool is_pair(std::size_t a, std::size_t b) const {
    return similar_.contains({ids_[a], ids_[b]}) && !are_apart(a, b);
  }
  std::size_t chosen(std::size_t document) const {
    std::size_t out = 0;
    for (std::size_t i = 0; i < decisions_.size(); ++i)
      if (decisions_[i].keeper == ids_[document]) out = i + 1;
    return out;
  }

  std::vector<Decision> decisions_;
  std::vector<std::string> ids_;  // in the index's order
  std::map<std::string, std::size_t> place_;
  std::map<std::pair<std::string, std::string>, double> scores_;
  std::set<std::pair<std::string, std::string>> similar_;
};

// Returns a document with one of few contents; some of these differ only as texts and have the same
// feature sets.
Document one_of_few(const std::string& id, TestRandom& random, bool one_field) {
  TestRandom content(random.below(9));
  Document out = some_document(id, content, one_field);
  if (random.below(3) == 0)
    for (Field& field : out.fields)
      if (!field.text.empty()) field.text += field.text;
  return out;
}

void expect_answers(const Index& index, const Oracle& oracle, const CopiesModel& model,
                    TestRandom& random, bool one_field) {
  for (int i = 0; i < 12; ++i) {
    const Document query = one_of_few("q" + std::to_string(random.below(130)), random, one_field);
    SimilarCounts counts;
    SimilarOptions options{
        .threshold = Threshold::parse(i % 2 == 0 ? "0.3" : "1"), .limit = kAll, .counts = &counts};
    const std::vector<Match> all = oracle.matches(model, query, options);
    EXPECT_EQ(index.find_similar_documents(query, options), all);
    EXPECT_EQ(counts.similar, all.size());
    EXPECT_LE(counts.compared, counts.candidates);
    options.counts = nullptr;
    for (const std::size_t limit : {std::size_t{1}, std::size_t{2}, std::size_t{7}, kAll - 1}) {
      options.limit = limit;
      EXPECT_EQ(index.find_similar_documents(query, options),
                oracle.matches(model, query, options));
    }
    if (!model.contains(query.id)) continue;
    options.limit = 5;
    EXPECT_EQ(index.find_similar_to(query.id, options),
              oracle.matches(model, model.at(query.id), options));
  }
}

void expect_whole(const Index& index, const Oracle& oracle, const CopiesModel& model) {
  for (const ScoreRule rule : {ScoreRule::kMean, ScoreRule::kAny}) {
    for (const std::string threshold : {"0.3", "0.8"}) {
      if (kSanitized && (threshold == "0.8") == (rule == ScoreRule::kMean)) continue;
      const Slowly slowly(index, oracle, model, rule, threshold);
      std::vector<IdPair> pairs;
      WholeIndexOptions options{{}, Threshold::parse(threshold), rule};
      const std::vector<IdPair> wanted = slowly.pairs();
      options.threads = 2;
      const WholeIndexCounts counts = index.for_each_similar_pair(
          options, [&](const ScoredIds& pair) { pairs.emplace_back(pair.a, pair.b, pair.score); });
      EXPECT_EQ(pairs, wanted);
      EXPECT_EQ(counts.pairs, wanted.size());
      EXPECT_EQ(counts.set_apart, slowly.set_apart());
      for (const Clustering clustering : {Clustering::kLeader, Clustering::kComponents}) {
        options.clustering = clustering;
        std::uint64_t last = 0;
        options.progress = [&](const Progress& so_far) {
          EXPECT_GT(so_far.done, last);
          EXPECT_EQ(so_far.total, model.size());
          last = so_far.done;
        };
        std::vector<IndexCluster> clusters;
        const WholeIndexCounts of_clusters = index.for_each_cluster(
            options, [&](const IndexCluster& cluster) { clusters.push_back(cluster); });
        EXPECT_EQ(clusters, slowly.clusters(clustering));
        EXPECT_EQ(of_clusters.pairs, wanted.size());
        EXPECT_EQ(of_clusters.set_apart, counts.set_apart);
        EXPECT_EQ(of_clusters.chosen_keepers, slowly.chosen_keepers(clusters));
        EXPECT_EQ(of_clusters.documents, model.size());
        EXPECT_EQ(of_clusters.empty, counts.empty);
        EXPECT_EQ(last, model.size());
      }
    }
  }
}

// Uses an index in memory and one on disk with several segments. Some of the documents that are
// replaced and removed are originals of many copies.
TEST(Copies, AnswersAreThoseOfDocuments) {
  for (const bool one_field : {true, false}) {
    for (const bool on_disk : {false, true}) {
      if (kSanitized && one_field == on_disk) continue;
      const Schema schema = Schema::parse(one_field ? kOneField : kFields);
      const Oracle oracle(schema);
      const TestFolder folder;
      const std::string path = folder / "store";
      const OpenOptions options{
          .create_with = schema, .durability = Durability::kBatch, .memtable_bytes = 60'000};
      Index index = on_disk ? Index::open(path, options) : Index::in_memory(schema);
      TestRandom random(one_field ? 3 : 4);
      CopiesModel model;
      for (int batch = 0; batch < 10; ++batch) {
        index_batch(index, model, 15, [&] {
          return one_of_few("q" + std::to_string(random.below(130)), random, one_field);
        });
        // Removes one of the first 20 documents and one of all.
        for (const std::uint64_t among : {20, 130}) {
          const std::string id = "q" + std::to_string(random.below(among));
          index.remove({id});
          model.erase(id);
        }
        if (on_disk && batch == 4) index.compact();
      }
      expect_answers(index, oracle, model, random, one_field);
      const auto any = [&] {
        return std::next(model.begin(), static_cast<std::ptrdiff_t>(random.below(model.size())))
            ->first;
      };
      for (const bool is_decided : {false, true}) {
        for (int i = 0; is_decided && i < 6; ++i) {
          const std::set<std::string> ids = {any(), any(), any()};
          Decision decision;
          decision.members.assign(ids.begin(), ids.end());
          if (i % 2 == 0) decision.keeper = decision.members[0];
          if (i % 2 == 1) decision.not_duplicates = true;
          if (ids.size() > 1) index.put_decision(decision);
        }
        if (on_disk) {  // read only: merging in the background changes the order
          index.close();
          index = Index::open(path, {.read_only = true});
        }
        expect_whole(index, oracle, model);
        if (on_disk && !is_decided) {
          index = Index::open(path, options);
          if (one_field) index.compact();
          expect_answers(index, oracle, model, random, one_field);
        }
      }
    }
  }
}

}  // namespace
}  // namespace benzer
