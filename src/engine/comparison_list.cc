#include "engine/comparison_list.h"

#include <algorithm>
#include <string>
#include <utility>

#include "benzer/banding.h"

namespace benzer {
namespace {

// Documents with one field that is a hash have few scores. A score of several fields may be any.
int bits_of_only_field(const Schema& schema) {
  return schema.fields.size() == 1 ? schema.fields[0].features.hash_bits() : 0;
}

}  // namespace

ComparisonList::ComparisonList(const Schema& completed)
    : schema_(completed),
      has_curve_(completed.fields.size() == 1 && completed.banding &&
                 completed.fields[0].features.is_sketched()),
      scores_(bits_of_only_field(completed)) {}

double ComparisonList::found_probability(double score) const {
  return has_curve_ ? schema_.banding->candidate_probability(score) : 1;
}

void ComparisonList::add_similar(DocumentNumber a, DocumentNumber b, double score) {
  scores_.add_similar(score, found_probability(score));
  above_.add({a, b, score});
}

void ComparisonList::add_equal(std::uint64_t pairs, double score) {
  for (std::uint64_t i = 0; i < pairs; ++i) scores_.add_similar(score, 1);
}

void ComparisonList::add_below(DocumentNumber a, DocumentNumber b, double score) {
  scores_.add_below(score);
  below_.add({a, b, score});
}

ComparedPairs ComparisonList::finish(StoreReader& reader, const Contents& contents) {
  ComparedPairs out{std::move(scores_), {}, {}};
  for (const auto& [pairs, named] : {std::pair{&above_, &out.above}, {&below_, &out.under}}) {
    for (const ScoredPair& pair : pairs->finish()) {
      const auto [a, b] = std::minmax({contents.first(pair.a), contents.first(pair.b)});
      named->push_back({std::string(reader.id(a)), std::string(reader.id(b)), pair.score});
    }
  }
  reader.throw_if_unreadable();
  return out;
}

}  // namespace benzer
