// Tests random calls of an index against a model: a map of small sets of letters, which are
// compared by the definition of similarity.
#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/state.h>

#include "benzer/index.h"

#include "io/io_test_util.h"

namespace benzer {
namespace {

constexpr int kLetters = 5;
constexpr int kIds = 9;
// Every Jaccard similarity of sets of up to five letters is a multiple of 1 / kParts.
constexpr int kParts = 60;
constexpr std::array<int, 2> kWeights = {2, 1};

// 128 bands of one row miss a pair at the threshold with probability 0.7^128, in practice never.
const char* const kModelSchema =
    "title=values;w=2 | tags=values | fss:128 | bands:128x1 | min:0.3 | recall:0.999999";

using Sets = std::array<unsigned, 2>;  // title and tags, with a bit for each letter
using ModelState = std::map<std::string, Sets>;

std::string id_of(int number) { return std::string(1, static_cast<char>('a' + number)); }

Document document_of(const std::string& id, const Sets& sets) {
  Document out{id, {}};
  for (std::size_t f = 0; f < sets.size(); ++f) {
    std::vector<std::string> letters;
    for (int i = 0; i < kLetters; ++i)
      if ((sets[f] >> i & 1) != 0) letters.push_back(id_of(i));
    if (!letters.empty())
      out.fields.push_back(Field::of_values(f == 0 ? "title" : "tags", std::move(letters)));
  }
  return out;
}

// The weighted mean of the similarities of the fields that count, as a fraction: their sum, by
// weight and in units of 1 / kParts, and the sum of their weights.
struct Similarity {
  int parts = 0, weight = 0;
  bool reaches(int tenths) const { return weight > 0 && parts * 10 >= tenths * weight * kParts; }
  double score() const { return static_cast<double>(parts) / (weight * kParts); }
};

Similarity similarity(const Sets& a, const Sets& b) {
  Similarity out;
  for (std::size_t f = 0; f < a.size(); ++f) {
    const int together = std::popcount(a[f] | b[f]);
    if (together == 0) continue;
    out.parts += kWeights[f] * (kParts / together) * std::popcount(a[f] & b[f]);
    out.weight += kWeights[f];
  }
  return out;
}

// Returns scores by id: the model does not say in which order matches with equal scores come.
std::map<std::string, double> scores_in(const ModelState& model, const std::string& id,
                                        const Sets& sets, int tenths) {
  std::map<std::string, double> out;
  for (const auto& [other, its] : model) {
    const Similarity found = similarity(sets, its);
    if (other != id && found.reaches(tenths)) out[other] = found.score();
  }
  return out;
}

void check_matches(const std::vector<Match>& matches, const std::map<std::string, double>& wanted) {
  RC_ASSERT(matches.size() == wanted.size());
  for (std::size_t i = 0; i < matches.size(); ++i) {
    RC_ASSERT(wanted.contains(matches[i].id));
    RC_ASSERT(std::abs(wanted.at(matches[i].id) - matches[i].score) < 1e-12);
    if (i > 0) RC_ASSERT(matches[i - 1].score >= matches[i].score);  // || would evaluate both
  }
}

// An index in memory, or one in a folder, which can be opened again.
struct Subject {
  explicit Subject(bool on_disk) {
    if (on_disk) folder.emplace();
    open();
  }
  void open() {
    index.reset();
    const Schema schema = Schema::parse(kModelSchema);
    if (folder)
      index = Index::open(
          *folder / "store",
          {.create_with = schema, .durability = Durability::kBatch, .memtable_bytes = 1 << 15});
    else
      index = Index::in_memory(schema);
  }

  std::optional<TestFolder> folder;
  std::optional<Index> index;
};

using Command = rc::state::Command<ModelState, Subject>;

struct OfOneDocument : Command {
  std::string id = id_of(*rc::gen::inRange(0, kIds));
  Sets sets = {*rc::gen::inRange(0u, 1u << kLetters), *rc::gen::inRange(0u, 1u << kLetters)};
  int tenths = *rc::gen::inRange(3, 11);

  SimilarOptions options() const {
    return {.threshold = Threshold::parse(tenths == 10 ? "1" : "0." + std::to_string(tenths)),
            .limit = kIds};
  }
  void show_as(std::ostream& out, const char* what) const {
    out << what << ' ' << id << " (" << sets[0] << ", " << sets[1] << ") at 0." << tenths;
  }
};

struct Put : OfOneDocument {
  void apply(ModelState& model) const override { model[id] = sets; }
  void run(const ModelState& model, Subject& subject) const override {
    const auto results = subject.index->index_documents({document_of(id, sets)});
    RC_ASSERT(results.size() == 1u);
    RC_ASSERT(results[0].outcome == (model.contains(id) ? IndexResult::Outcome::kReplaced
                                                        : IndexResult::Outcome::kInserted));
  }
  void show(std::ostream& out) const override { OfOneDocument::show_as(out, "put"); }
};

struct CheckAndAdd : OfOneDocument {
  bool is_new(const ModelState& model) const { return scores_in(model, id, sets, tenths).empty(); }
  void apply(ModelState& model) const override {
    if (is_new(model)) model[id] = sets;
  }
  void run(const ModelState& model, Subject& subject) const override {
    const CheckResult result = subject.index->check_and_add(document_of(id, sets), options());
    RC_ASSERT(result.added == is_new(model));
    check_matches(result.matches, scores_in(model, id, sets, tenths));
  }
  void show(std::ostream& out) const override { OfOneDocument::show_as(out, "check and add"); }
};

struct FindSimilar : OfOneDocument {
  void run(const ModelState& model, Subject& subject) const override {
    check_matches(subject.index->find_similar_documents(document_of(id, sets), options()),
                  scores_in(model, id, sets, tenths));
    if (model.contains(id))
      check_matches(subject.index->find_similar_to(id, options()),
                    scores_in(model, id, model.at(id), tenths));
  }
  void show(std::ostream& out) const override { OfOneDocument::show_as(out, "find similar to"); }
};

struct Remove : Command {
  std::string id = id_of(*rc::gen::inRange(0, kIds));
  void apply(ModelState& model) const override { model.erase(id); }
  void run(const ModelState& model, Subject& subject) const override {
    RC_ASSERT(subject.index->remove({id}) == std::vector<bool>{model.contains(id)});
    RC_ASSERT(!subject.index->contains(id));
  }
  void show(std::ostream& out) const override { out << "remove " << id; }
};

struct OpenAgain : Command {
  void run(const ModelState& model, Subject& subject) const override {
    if (subject.folder) subject.open();
    RC_ASSERT(subject.index->size() == model.size());
    subject.index->verify();
  }
  void show(std::ostream& out) const override { out << "open again"; }
};

// Opens the store a second time, read-only, and reads what it would contain after a crash: what is
// not in a segment yet comes from the log.
struct ReadBeside : OfOneDocument {
  void run(const ModelState& model, Subject& subject) const override {
    if (!subject.folder) return;
    const Index beside = Index::open(*subject.folder / "store", {.read_only = true});
    RC_ASSERT(beside.size() == model.size());
    check_matches(beside.find_similar_documents(document_of(id, sets), options()),
                  scores_in(model, id, sets, tenths));
  }
  void show(std::ostream& out) const override { OfOneDocument::show_as(out, "read beside"); }
};

struct Compact : Command {
  void run(const ModelState& model, Subject& subject) const override {
    subject.index->compact();
    RC_ASSERT(subject.index->stats().removed == 0u);
    RC_ASSERT(subject.index->size() == model.size());
  }
  void show(std::ostream& out) const override { out << "compact"; }
};

TEST(IndexModel, IsAMapAndTheDefinition) {
  for (const bool on_disk : {false, true}) {
    EXPECT_TRUE(rc::check(on_disk ? "on disk" : "in memory", [&] {
      Subject subject(on_disk);
      rc::state::check(
          ModelState(), subject,
          rc::state::gen::execOneOfWithArgs<Put, Put, Put, CheckAndAdd, FindSimilar, FindSimilar,
                                            Remove, OpenAgain, ReadBeside, Compact>());
    }));
  }
}

}  // namespace
}  // namespace benzer
