// Declares the commands. Each returns the exit code of a run that succeeded, and throws Error
// otherwise.
#pragma once

#include "../shared/options.h"

namespace benzer::cli {

inline constexpr int kDone = 0;
inline constexpr int kNotSimilar = 1;   // compare --exit-code
inline constexpr int kNotThere = 1;     // get, remove, update: the index lacks one of the ids
inline constexpr int kSomeSkipped = 3;  // done, but inputs were skipped
inline constexpr int kSomeLost = 4;     // verify --repair: not all documents could be saved

int run_dedup(const Options& options);
int run_sketch_stage(const Options& options);  // dedup --stage sketch
int run_index_dedup(const Options& options);   // dedup INDEX
int run_pairs(const Options& options);
int run_index_pairs(const Options& options);  // pairs INDEX
int run_passages(const Options& options);
int run_clusters(const Options& options);
int run_sketch(const Options& options);
int run_audit(const Options& options);
int run_review(const Options& options);
int run_index(const Options& options);
int run_similar(const Options& options);
int run_check_and_add(const Options& options);
int run_update(const Options& options);
int run_get(const Options& options);
int run_remove(const Options& options);
int run_list(const Options& options);
int run_stats(const Options& options);
int run_verify(const Options& options);
int run_compact(const Options& options);
int run_snapshot(const Options& options);
int run_compare(const Options& options);
int run_plan(const Options& options);
int run_explain(const Options& options);
int run_eval(const Options& options);
int run_train_words(const Options& options);
int run_count_frequencies(const Options& options);
int run_serve(const Options& options);
int run_completions(const Options& options);
int run_man(const Options& options);
int run_demo(const Options& options);

}  // namespace benzer::cli
