// Formats what an audit has measured: one JSON object for programs, or a few lines for people.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benzer/audit.h"
#include "benzer/error.h"

#include "options.h"

namespace benzer::apps {

// What an audit of documents or of an index prints.
struct AuditReport {
  std::string config;  // of an index: its schema
  Measure measure = Measure::kJaccard;
  Threshold threshold = Threshold::parse("0.8");
  std::uint64_t seed = 0;
  AuditFigures figures;
  std::vector<std::string> inputs;
  int threads = 1;

  // The most similar of the missed pairs, in descending order of score.
  struct Missed {
    std::string a_json, b_json;  // ids
    double score = 0;
  };
  std::vector<Missed> missed;

  struct Files {
    std::vector<std::string> against;
    std::string by;  // empty: no groups
    std::uint64_t references = 0, short_documents = 0, skipped = 0;
  };
  std::optional<Files> files;
  std::string score_rule;  // of an index

  std::uint64_t references() const { return files ? files->references : 0; }
  std::uint64_t skipped() const { return files ? files->skipped : 0; }

  std::string json() const;
  // Several lines for people, which name options as `spelling` writes them.
  std::string text(const Spelling& spelling) const;
};

// Keeps the most similar of the pairs that a run misses.
template <class Pair>
class MissedPairs {
 public:
  static constexpr std::size_t kShown = 5;

  void add(const Pair& pair) {
    const auto before = [](const Pair& x, const Pair& y) {
      if (x.score != y.score) return x.score > y.score;
      return x.a != y.a ? x.a < y.a : x.b < y.b;
    };
    pairs_.insert(std::upper_bound(pairs_.begin(), pairs_.end(), pair, before), pair);
    if (pairs_.size() > kShown) pairs_.pop_back();
  }
  const std::vector<Pair>& pairs() const noexcept { return pairs_; }

 private:
  std::vector<Pair> pairs_;
};

// The settings of an audit of documents, without progress, stop and problem.
AuditOptions audit_options(const Options& options);

// Returns what an audit of documents prints, but Files::skipped and the missed pairs.
AuditReport report_of(const Options& options, const AuditOptions& asked, const AuditResult& result);

// Audits documents, and returns all but Files::skipped. `asked` has no `pairs`.
AuditReport audit_documents(const Options& options, Corpus& corpus, AuditOptions asked);

}  // namespace benzer::apps
