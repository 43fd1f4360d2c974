// Turns the text of the options into what the library takes. Every function throws
// Error(kInvalidArgument) with a sentence that names the option, the value and what is allowed.
// Options are marked in sentences, because each front end spells them in its own way: --max-line,
// max_line=.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/arrow.h"
#include "benzer/dedup.h"
#include "benzer/error.h"
#include "benzer/features.h"
#include "benzer/input.h"

#include "options.h"

namespace benzer::apps {

// Returns `format` with each "{}" replaced by the next of the texts, whose marks are kept:
// words("leave out {}", {Parameter{"sketch"}}). There are as many "{}" as texts.
ErrorText words(std::string_view format, std::initializer_list<ErrorText> texts);

// Throws Error(kInvalidArgument) with the sentence "DETAIL: HINT".
[[noreturn]] void refuse(const ErrorText& detail, const ErrorText& hint = {});

// Throws the same about a parameter, as in "--limit '0' is not allowed: give a whole number from 1
// on". parameter: the name as in Parameter, which is marked.
[[noreturn]] void refuse_value(std::string_view parameter, const std::string& value,
                               const ErrorText& allowed);

// The settings that the commands on a corpus share, checked against each other.
SimilarityOptions similarity_options(const Options& options);
// The settings of a run of dedup and of pairs on files, without progress, stop and problem.
DedupOptions dedup_options(const Options& options);
PairsOptions pairs_options(const Options& options);
// The order that --keep asks for, or else the usual one of the features.
KeepOrder keep_order(const Options& options, const FeatureSpec& features);
Measure read_measure(const Options& options);
// Refuses options that have no effect with containment.
void check_contained(const Options& options);
Clustering clustering(const Options& options);
InputOptions input_options(const Options& options);

// The ending of files with documents of a format, such as ".csv"; ".txt" for texts.
std::string_view ending(InputFormat format);

// Returns the options of a corpus of tables: the fields, the memory limit and the stop flag of
// `input`. Refuses options that are about files of records.
ArrowOptions arrow_options(const Options& options, const InputOptions& input);

// Refuses options about fields for a corpus of text files.
void check_fields_apply(const Options& options, const FileCorpus& corpus);

Config read_config(const Options& options);

// The document frequencies of --frequencies. As long as they live, a spelling can name them.
using FrequencyFiles = std::vector<std::shared_ptr<const DocumentFrequencies>>;
FrequencyFiles read_frequencies(const Options& options);
// Gives features with +tf-idf the frequencies that were counted for them, if there are some.
// Refuses those that none of the features takes.
void use_frequencies(const Options& options, const FrequencyFiles& files,
                     std::span<FeatureSpec* const> features);

// --threshold or --distance.
Threshold read_threshold(const Options& options, const FeatureSpec& features);
double read_recall(const Options& options);
std::uint64_t read_max_line(const Options& options);
std::uint64_t read_memory_limit(const Options& options);                        // 0: no limit
std::string read_work_folder(const Options& options);                           // empty: no --work
std::uint64_t read_size(std::string_view parameter, const std::string& value);  // "64K", in bytes
std::uint64_t read_docs(const Options& options);
std::uint64_t read_seed(const Options& options);  // --seed must be given
int read_slots(const Options& options);           // of --slots or --sketch
std::uint32_t read_sample(const Options& options);
std::string read_progress(const Options& options);

// Forces the CPU level of --cpu, if given.
void apply_cpu(const Options& options);

// How many threads a run uses: --threads, or the cores that this process may use.
int thread_count(const Options& options);

// How many of these may pack an output, at least one: together they use at most a quarter of
// --memory-limit, if that is 144 MiB or more, and 36 MiB if it is less.
int packing_threads(const Options& options);

}  // namespace benzer::apps
