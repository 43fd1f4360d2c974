// Chooses the passages and documents that people are shown, while passages are found, in little
// memory.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "benzer/passages.h"

namespace benzer::report {

inline constexpr std::size_t kShownDocuments = 10;  // of each kind
inline constexpr std::size_t kKeptPassages = 200;   // of each document, the first ones
inline constexpr std::size_t kFrequentPassages = 20;
inline constexpr std::size_t kShownOrigins = 30;

// A document with passages.
struct ChosenDocument {
  std::uint32_t number = 0;
  // Its words, and those that are in at least one passage.
  std::uint64_t words = 0, shared_words = 0;
  std::uint64_t passages = 0;
  // The words of its longest passage.
  std::uint64_t longest = 0;
  // The first kKeptPassages passages, without their texts.
  std::vector<Passage> kept;
};

// A document that passages come from.
struct Origin {
  std::uint32_t number = 0;
  // In how many documents its passages are, and their words in these; words that are in several
  // passages count once.
  std::uint32_t documents = 0;
  std::uint64_t words = 0;
};

// Passages with one first place.
struct FrequentPassage {
  TextRun first;
  std::uint64_t words = 0;  // of the first place
  std::uint64_t places = 0;
  std::uint64_t documents = 0;
};

class PassageChoice {
 public:
  // Takes the next passage, in the order of find_passages().
  void add(const Passage& passage);
  // Ends the last document.
  void finish();

  // The lists of documents; one may be in both of the first two. The third has others only.
  std::vector<ChosenDocument> by_share, by_length, sample;

  // Returns the documents that most documents have passages of, and how many there are.
  std::vector<Origin> origins(std::uint64_t& all) const;
  // Returns the most frequent passages that were found more than once, without those that mostly
  // overlap a more frequent one.
  std::vector<FrequentPassage> frequent() const;

 private:
  // So many are kept, of which those that do not overlap are shown.
  static constexpr std::size_t kKeptClusters = 500;

  struct Cluster {
    FrequentPassage passage;
    std::uint32_t last_document;
  };
  struct Count {
    std::uint32_t documents = 0;
    std::uint32_t last_document = ~std::uint32_t{0};
    std::uint64_t words = 0;
  };

  void end_document();

  ChosenDocument now_;
  std::uint64_t covered_ = 0;   // words of the document up to the end of the last passage
  std::vector<Count> origins_;  // by number
  // The most frequent one first; of equally frequent ones the longer one.
  using Rank = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
  std::map<Rank, Cluster> clusters_;
};

}  // namespace benzer::report
