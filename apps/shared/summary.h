// Formats the summary at the end of a run: one JSON object for programs, or a few lines for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/dedup.h"
#include "benzer/error.h"
#include "benzer/index.h"
#include "benzer/input.h"
#include "benzer/similarity.h"

#include "json.h"

namespace benzer::apps {

// What this process has used so far: the time since this code was loaded, of the processors also
// that of ended children.
struct Cost {
  double seconds = 0;
  double cpu_seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
};
Cost cost_so_far();
// Adds them as the members seconds, cpu_seconds and peak_rss_bytes.
void add_cost(JsonObject& out);

// "12.5 %"; of nothing 0.0 %.
std::string percent_of(std::uint64_t part, std::uint64_t whole);
// Appends a row of a summary for people.
void append_row(std::string& out, std::string_view name, const std::string& text);
// Appends the row about the cost; input_bytes: of the files that were read, if there are any.
void append_cost(std::string& out, int threads, std::optional<std::uint64_t> input_bytes);
// Appends the row about records that lack the field by which records are grouped.
void append_without_group(std::string& out, const InputCounts& input, const std::string& field);

struct Summary {
  // Copies the figures of the answer to a question to an index.
  void of_index(const Index& index, const WholeIndexOptions& question,
                const WholeIndexCounts& answer);

  std::string command;  // "dedup", "pairs" or "clusters"
  SimilarityCounts counts;
  InputCounts input;
  Threshold threshold = Threshold::parse("0.8");
  int threads = 1;
  std::vector<std::string> inputs;
  std::string schema;      // of the index that is the only input; empty: the inputs are files
  std::string score_rule;  // of an index
  Measure measure = Measure::kJaccard;
  bool exact = false;    // pairs --exact
  bool dry_run = false;  // dedup --dry-run
  bool removes = true;   // dedup of an index: with --remove
  ShortPolicy short_policy = ShortPolicy::kExact;
  std::vector<std::string> against;
  std::string by;                               // empty: no groups
  std::string keep;                             // dedup: the order
  Clustering clustering = Clustering::kLeader;  // dedup
  bool annotated = false;                       // dedup --annotate

  std::uint64_t kept = 0, removed = 0, clusters = 0;  // dedup
  std::uint64_t largest_cluster = 0;                  // dedup
  struct Source {
    std::string name;
    SourceCounts counts;
  };
  std::vector<Source> sources;        // dedup
  std::uint64_t similar_to_kept = 0;  // of the removed, those with a keeper
  std::uint64_t pairs = 0;            // pairs
  std::uint64_t clustered = 0;        // clusters: documents in them
  std::uint64_t set_apart = 0;        // of an index: similar pairs that decisions set apart
  std::uint64_t chosen_keepers = 0;   // of an index: clusters with the keeper that one chose

  // Names of the outputs; empty if an output was not written.
  std::string output, removed_list, skipped_list, pairs_list, clusters_list, report;
  // dedup that saves skipped lines: how many of the skipped records were saved unchanged.
  std::optional<std::uint64_t> saved;

  std::string json() const;
  // Several lines for people, which name options as `spelling` writes them.
  std::string text(const Spelling& spelling) const;

  // The part of the configuration that had an effect.
  std::string config() const;

 private:
  std::string index_json() const;
  std::string headline(const Spelling& spelling) const;
  std::string sources_json() const;
  void append_skipped(std::string& out) const;
  void append_threshold(std::string& out, const Spelling& spelling) const;
  void append_decided(std::string& out) const;
  void append_sources(std::string& out) const;
  std::string fate_of_skipped() const;
};

}  // namespace benzer::apps
