// A person's judgement of the pairs of a report, and what follows from it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/audit.h"
#include "benzer/threshold.h"

namespace benzer {

struct ReviewText {
  struct Piece {
    std::string text;
    bool own = false;  // the other text of the pair has nothing like it
  };
  std::string id_json;
  std::string source;
  std::uint64_t line = 0;
  std::vector<Piece> pieces;
};

struct ReviewPair {
  ReviewText a, b;
  double score = 0;
  bool near = false;  // among the pairs nearest to the threshold; else a removal picked at random
};

struct Review {
  Threshold threshold = Threshold::parse("0.8");
  std::vector<ReviewPair> pairs;  // the nearest to the threshold first, then removals; each once
};

// Reads what report_json() wrote. Throws Error(kBadInput) for anything else.
Review read_review(std::string_view report_json);

// A saved answer: of the pair with these ids (as JSON) and this score.
struct SavedAnswer {
  std::string a_json, b_json;
  double score = 0;
  bool same = false;
};

// Reads answers, {"a","b","score","same"} a line. Throws Error(kBadInput) for anything else, with
// the number of the line.
std::vector<SavedAnswer> read_answers(std::string_view lines);

// The answer to each pair of the review, where there is one. Each answer is given to one pair.
std::vector<std::optional<bool>> match_answers(const Review& review,
                                               std::span<const SavedAnswer> answers);

struct Judgement {
  double score = 0;
  bool near = false;
  bool same = false;  // the person holds the two for copies
};

struct ReviewResult {
  struct Group {
    std::uint64_t judged = 0;
    std::uint64_t same = 0;
    Share share;  // Wilson's interval (Wilson 1927)
  };
  Group above;     // nearest to the threshold, at or above it: the precision there
  Group below;     // nearest to it, below: what a lower threshold would rightly remove
  Group removals;  // picked at random: the precision of the run
  // Judgements that a threshold contradicts: copies below it, others at or above it.
  std::uint64_t contradictions = 0;
  // The threshold that contradicts least, where it is another one: of all such the nearest, as a
  // short decimal.
  std::optional<Threshold> suggested;
  std::uint64_t contradictions_of_suggested = 0;
};

ReviewResult evaluate(std::span<const Judgement> judgements, const Threshold& threshold);

}  // namespace benzer
