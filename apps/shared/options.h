// Declares the options of all commands as text, and the one table that describes them, for every
// front end: the command line parses arguments into them, others fill them by keyword
// (set_option.h).
//
// Values stay text here: settings.h turns them into what the library wants, with one sentence for
// each thing that is wrong.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace benzer::apps {

// The commands are bits, so that a row of the table can name several.
enum Command : unsigned {
  kDedup = 1,
  kPairs = 2,
  kCompare = 4,
  kPlan = 8,
  kExplain = 16,
  kAudit = 32,
  kReview = 64,
  kSketch = 128,
  kIndex = 256,
  kSimilar = 512,
  kCheckAndAdd = 1024,
  kGet = 2048,
  kRemove = 4096,
  kList = 8192,
  kStats = 16384,
  kVerify = 32768,
  kCompact = 65536,
  kSnapshot = 131072,
  kClusters = 262144,
  kEval = 524288,
  kTrainWords = 1048576,
  kServe = 2097152,
  kUpdate = 4194304,
  kCountFrequencies = 8388608,
  kPassages = 16777216,
  kCompletions = 33554432,
  kMan = 67108864,
  kDemo = 134217728,
};

struct Options {
  Command command = kDedup;
  std::vector<std::string> inputs;

  // An option without a value here was not given.
  std::optional<std::string> id, text, values, format, max_line;
  std::optional<std::string> config, features, sketch, bands, measure, threshold, recall, seed,
      short_policy, distance;
  std::optional<std::string> keep, cluster, by, across, min_words, gap, at, min_left;
  std::optional<std::string> output, removed, pairs_list, clusters_list, report, answers;
  std::vector<std::string> against;
  std::optional<std::string> slots, docs, sample;
  std::optional<std::string> memtable, min_threshold, durability, ca_file, timeout, like, like_id,
      document, floor, limit, score, ids;
  std::optional<std::string> ttl;
  std::vector<std::string> fields, attributes, where, frequencies, origins;
  std::optional<std::string> host, port, keys, new_key, tls_certificate, tls_key, rate, log;
  bool tls_12 = false, log_writes = false;
  std::optional<std::string> data, out, html, eps;
  std::optional<std::string> threads, progress, cpu, memory_limit, work, stage, part, signatures;

  bool create = false;
  bool bulk = false;
  bool repair = false;
  bool copy = false;
  bool expired = false;
  bool allow_low_recall = false;
  bool explain = false;
  bool passages = false;
  bool resume = false;
  bool dry_run = false;
  bool corpus = false;
  bool annotate = false;
  bool allow_large_clusters = false;
  bool remove = false;
  bool strict = false;
  bool json = false;
  bool quiet = false;
  bool exact = false;
  bool all = false;
  bool list = false;
  bool full = false;
  bool made_up = false;
  bool exit_code = false;
  bool help = false;
  bool help_all = false;
};

enum class Section { kInput, kSimilarity, kOutput, kRunning, kHidden };

// --help prints the common options, --help-all all but those of Section::kHidden.
enum class Level { kCommon, kRare };

// What is done with the file or folder that an option names (places.h).
enum class PathRole { kNone, kRead, kWrite, kWork };

struct OptionRow {
  std::string_view names;  // "-o,--output"
  std::string_view value;  // what the value is called in the help; empty: a flag
  std::string_view help;   // with the default, if there is one
  unsigned commands;       // Command bits
  Section section;
  Level level;
  std::optional<std::string> Options::* text = nullptr;
  bool Options::* flag = nullptr;
  std::vector<std::string> Options::* list = nullptr;  // may be given again
  bool greedy = false;                                 // takes all values up to the next option
  PathRole path = PathRole::kNone;
  std::span<const std::string_view> choices = {};  // all allowed values; empty: not a closed set

  std::string_view long_name() const;  // "--output"
  std::string parameter() const;       // "output", with '_' for '-': its name in messages
  bool is_given(const Options& options) const;
};

// What an argument that is not an option names.
enum class InputKind {
  kFiles,      // a file or a folder, which may be an index
  kIndex,      // an index, or a folder of indexes
  kNewFolder,  // a folder that is written
  kId,
  kExperiment,
  kShell,
  kCommand,
};

struct CommandRow {
  Command command;
  std::string_view name;
  std::string_view usage;     // what follows the name: "INPUT... -o OUTPUT [OPTIONS]"
  std::string_view summary;   // one line
  std::string_view details;   // a short paragraph
  std::string_view examples;  // two lines
  std::size_t min_inputs, max_inputs;
  std::string_view form;  // the shortest complete call, shown when inputs are missing
  InputKind first_input = InputKind::kFiles, other_inputs = InputKind::kFiles;

  InputKind input_kind(std::size_t position) const {
    return position == 0 ? first_input : other_inputs;
  }
};

std::span<const OptionRow> option_table();
std::span<const CommandRow> command_table();
const CommandRow& command_row(Command command);

// The first row with this long name. Throws std::logic_error if there is none.
const OptionRow& option_row(std::string_view long_name);

}  // namespace benzer::apps

namespace benzer::cli {
using namespace apps;
}
