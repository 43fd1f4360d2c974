#include "settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benzer/runtime.h"

#include "choices.h"
#include "dedup_records.h"
#include "passage_json.h"
#include "setting_text.h"

namespace benzer::apps {

ErrorText words(std::string_view format, std::initializer_list<ErrorText> texts) {
  ErrorText out;
  for (const ErrorText& text : texts) {
    const std::size_t at = format.find("{}");
    out += ErrorText(format.substr(0, at)) + text;
    format.remove_prefix(at + 2);
  }
  return out += format;
}

void refuse(const ErrorText& detail, const ErrorText& hint) {
  throw Error(ErrorCode::kInvalidArgument, detail, hint, ": ");
}

void refuse_value(std::string_view parameter, const std::string& value, const ErrorText& allowed) {
  const std::string name(parameter);
  throw Error(ErrorCode::kInvalidArgument, Subject::parameter(name),
              words("{} '{}' is not allowed", {Parameter{name}, value}), allowed, ": ");
}

namespace {

constexpr std::uint64_t kLeastMemory = std::uint64_t{64} << 20;
constexpr std::uint64_t kUsualMaxLine = std::uint64_t{64} << 20;

// Parses "100", "64K", "2G" or "1T"; nothing if the text is not a number of bytes.
std::optional<std::uint64_t> read_bytes(std::string text) {
  int shift = 0;
  const std::string_view units = "KMGT";
  const std::size_t unit =
      text.empty()
          ? std::string_view::npos
          : units.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.back()))));
  if (unit != std::string_view::npos) {
    shift = 10 * (static_cast<int>(unit) + 1);
    text.pop_back();
  }
  std::uint64_t number = 0;
  if (!read_whole(text, &number) || number > (~std::uint64_t{0} >> shift)) return std::nullopt;
  return number << shift;
}

}  // namespace

double read_recall(const Options& options) {
  const std::string text = options.recall.value_or("0.99");
  double recall = 0;
  if (!read_whole(text, &recall) || !(recall > 0 && recall < 1)) {
    refuse_value("recall", text, "give a number above 0 and below 1, such as 0.99");
  }
  return recall;
}

std::uint64_t read_memory_limit(const Options& options) {
  if (!options.memory_limit) return 0;
  const auto bytes = read_bytes(*options.memory_limit);
  if (!bytes || *bytes < kLeastMemory)
    refuse_value("memory_limit", *options.memory_limit,
                 "give at least 64M bytes, such as 500M or 2G");
  return *bytes;
}

std::string read_work_folder(const Options& options) {
  if (!options.work) return {};
  // Checked now, because a run may use the folder only after hours.
  struct stat status{};
  if (stat(options.work->c_str(), &status) != 0)
    refuse(words("{} '{}' is not allowed: {}",
                 {Parameter{"work"}, *options.work, std::strerror(errno)}));
  if (!S_ISDIR(status.st_mode)) refuse_value("work", *options.work, "name a folder");
  if (access(options.work->c_str(), W_OK | X_OK) != 0)
    refuse(words("{} '{}' is not allowed: {}",
                 {Parameter{"work"}, *options.work, std::strerror(errno)}));
  return *options.work;
}

std::uint64_t read_max_line(const Options& options) {
  if (!options.max_line) return kUsualMaxLine;
  const auto bytes = read_bytes(*options.max_line);
  if (!bytes || *bytes == 0 || *bytes > kLargestMaxLine) {
    refuse_value(
        "max_line", *options.max_line,
        fmt::format("give 1 to {}G bytes, such as 100000, 512K or 64M", kLargestMaxLine >> 30));
  }
  return *bytes;
}

std::uint64_t read_size(std::string_view parameter, const std::string& value) {
  const auto bytes = read_bytes(value);
  if (!bytes || *bytes == 0)
    refuse_value(parameter, value, "give a number of bytes, such as 64K or 2G");
  return *bytes;
}

std::uint64_t read_seed(const Options& options) {
  std::uint64_t seed = 0;
  if (!read_whole(*options.seed, &seed))
    refuse_value("seed", *options.seed, "give a whole number from 0 to 18446744073709551615");
  return seed;
}

std::uint64_t read_docs(const Options& options) {
  if (!options.docs) return 0;
  double docs = 0;
  if (!read_whole(*options.docs, &docs) || !(docs >= 1 && docs <= 4e9) ||
      docs != std::floor(docs)) {
    refuse_value("docs", *options.docs,
                 "give a whole number from 1 to 4e9, such as 1000000 or 1e6");
  }
  return static_cast<std::uint64_t>(docs);
}

std::uint32_t read_sample(const Options& options) {
  if (!options.sample) return 1000;
  std::uint32_t sample = 0;
  if (!read_whole(*options.sample, &sample) || sample < 1 || sample > 1'000'000) {
    refuse_value("sample", *options.sample, "give a whole number from 1 to 1000000");
  }
  return sample;
}

int read_slots(const Options& options) {
  if (options.slots && options.sketch) {
    refuse(words("{} and {} say the same thing twice", {Parameter{"slots"}, Parameter{"sketch"}}),
           "give one of them");
  }
  if (options.sketch) {
    const SketchSpec sketch = SketchSpec::parse(*options.sketch);
    if (!sketch.has_positions())
      refuse(words("{} '{}' is not allowed: its values have no positions, and so no bands to plan",
                   {Parameter{"sketch"}, *options.sketch}));
    return sketch.slots;
  }
  if (!options.slots) return SketchSpec().slots;
  int slots = 0;
  if (!read_whole(*options.slots, &slots) || slots < 1 || slots > 4096) {
    refuse_value("slots", *options.slots, "give a whole number from 1 to 4096");
  }
  return slots;
}

std::string read_progress(const Options& options) {
  const std::string when = options.progress.value_or("auto");
  choose("progress", when, kProgressNames);
  if (options.quiet && when == "always") {
    refuse(words("{} has no effect with {}", {Parameter{"progress", "always"}, Parameter{"quiet"}}),
           "give one of them");
  }
  return when;
}

int thread_count(const Options& options) {
  if (options.threads) {
    int threads = 0;
    if (!read_whole(*options.threads, &threads) || threads < 1 || threads > 1024) {
      refuse_value("threads", *options.threads, "give a whole number from 1 to 1024");
    }
    return threads;
  }
  cpu_set_t mine;
  return sched_getaffinity(0, sizeof(mine), &mine) == 0 ? std::max(1, CPU_COUNT(&mine)) : 1;
}

// Measured with 98 MB of texts: the first thread of zstd takes 36 MiB, each other one up to 20.
int packing_threads(const Options& options) {
  constexpr std::uint64_t kFirst = std::uint64_t{36} << 20;
  constexpr std::uint64_t kOther = std::uint64_t{20} << 20;
  const int threads = thread_count(options);
  const std::uint64_t limit = read_memory_limit(options);
  if (limit == 0) return threads;
  const std::uint64_t others = (std::max(limit / 4, kFirst) - kFirst) / kOther;
  return static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(threads), 1 + others));
}

void apply_cpu(const Options& options) {
  if (!options.cpu) return;
  const auto level = cpu_level_by_name(*options.cpu);
  if (!level) refuse_value("cpu", *options.cpu, "give baseline, avx2 or avx512");
  force_cpu_level(*level);
}

KeepOrder keep_order(const Options& options, const FeatureSpec& features) {
  return options.keep ? KeepOrder::parse(*options.keep)
                      : KeepOrder::usual(features, read_measure(options));
}

Measure read_measure(const Options& options) {
  constexpr std::array kValues = {Measure::kJaccard, Measure::kContainment};
  return kValues[choose("measure", options.measure.value_or("jaccard"), kMeasureNames)];
}

Clustering clustering(const Options& options) {
  constexpr std::array kValues = {Clustering::kLeader, Clustering::kComponents};
  return kValues[choose("cluster", options.cluster.value_or("leader"), kClusteringNames)];
}

namespace {

// Returns the fields that the keep rules name. The usual ones name none.
std::vector<std::string> keep_fields(const Options& options) {
  return options.keep ? KeepOrder::parse(*options.keep).fields() : std::vector<std::string>();
}

void read_part(const Options& options, InputOptions& out) {
  if (options.stage) choose("stage", *options.stage, kStageNames);
  for (const auto& [given, name] :
       {std::pair{options.stage.has_value(), "stage"}, {options.resume, "resume"}}) {
    if (given && !options.work)
      refuse(Parameter{name} + " needs the folder with the stages", Parameter{"work", "DIR"});
  }
  if (!options.part) return;
  if (!options.stage)
    refuse(Parameter{"part"} + " shares the first stage among runs",
           words("give {}, too", {Parameter{"stage", "sketch"}}));
  const std::size_t slash = options.part->find('/');
  const std::string part = options.part->substr(0, slash);
  const std::string parts = slash == std::string::npos ? "" : options.part->substr(slash + 1);
  if (!read_whole(part, &out.part) || !read_whole(parts, &out.parts) || out.part < 1 ||
      out.part > out.parts)
    refuse_value("part", *options.part, "give a part and their number, such as 3/10");
}

// The formats, in the order of their names.
struct FormatRow {
  InputFormat format;
  std::string_view ending;
};
constexpr FormatRow kFormats[] = {
    {InputFormat::kAuto, ".jsonl"}, {InputFormat::kJsonLines, ".jsonl"},
    {InputFormat::kCsv, ".csv"},    {InputFormat::kTsv, ".tsv"},
    {InputFormat::kText, ".txt"},   {InputFormat::kLines, ".txt"}};
static_assert(std::size(kFormats) == kFormatNames.size());

}  // namespace

std::string_view ending(InputFormat format) {
  return std::ranges::find(kFormats, format, &FormatRow::format)->ending;
}

InputOptions input_options(const Options& options) {
  InputOptions out;
  out.inputs = options.inputs;
  out.references = options.against;
  out.format = kFormats[choose("format", options.format.value_or("auto"), kFormatNames)].format;
  const std::pair<std::string_view, const std::optional<std::string>*> fields[] = {
      {"id", &options.id},
      {"text", &options.text},
      {"values", &options.values},
      {"by", &options.by},
      {"across", &options.across}};
  for (const auto& [name, field] : fields) {
    if (*field && (*field)->empty()) refuse_value(name, "", "give the name of a field");
    if (*field && (out.format == InputFormat::kText || out.format == InputFormat::kLines)) {
      refuse(words("{} names a field of records and has no effect with {}",
                   {Parameter{std::string(name)}, Parameter{"format", *options.format}}));
    }
  }
  if (options.text && options.values) {
    refuse(words("{} has no effect with {}", {Parameter{"text"}, Parameter{"values"}}),
           "give one of them");
  }
  out.id_field = options.id.value_or(out.id_field);
  out.text_field = options.text.value_or(out.text_field);
  out.values_field = options.values.value_or("");
  if (options.across) {  // passages have this in place of groups that stay apart
    out.group_field = *options.across;
    out.group_parameter = "across";
  } else {
    out.group_field = options.by.value_or("");
  }
  out.number_fields = keep_fields(options);
  if (options.annotate)
    out.added_fields =
        options.command == kPassages ? passage_annotation_names() : annotation_names();
  if (options.command == kDedup || options.command == kPassages) {
    out.stage_folder = options.work.value_or("");
    out.resume = options.resume;
    read_part(options, out);
  }
  out.signatures = options.signatures.value_or("");
  for (const auto& [given, name] : {std::pair{options.exact, "exact"},
                                    {options.resume, "resume"},
                                    {options.stage.has_value(), "stage"}}) {
    if (given && options.signatures)
      refuse(words("{} has no effect with {}", {Parameter{"signatures"}, Parameter{name}}),
             "leave out one of them");
  }
  if (options.signatures) out.stage_folder.clear();
  out.max_line_bytes = read_max_line(options);
  out.memory_limit = read_memory_limit(options);
  out.work_folder = read_work_folder(options);
  out.strict = options.strict;
  return out;
}

ArrowOptions arrow_options(const Options& options, const InputOptions& input) {
  const std::pair<bool, const char*> about_files[] = {
      {options.format.has_value(), "format"},
      {options.max_line.has_value(), "max_line"},
      {options.resume, "resume"},
      {options.stage.has_value(), "stage"},
      {options.part.has_value(), "part"},
      {options.signatures.has_value(), "signatures"}};
  for (const auto& [given, name] : about_files)
    if (given)
      refuse(words("{} is about files of records, and the inputs are tables", {Parameter{name}}),
             "leave it out");
  ArrowOptions out;
  static_cast<RecordFields&>(out) = input;
  out.memory_limit = input.memory_limit;
  out.work_folder = input.work_folder;
  out.stop = input.stop;
  return out;
}

void check_fields_apply(const Options& options, const FileCorpus& corpus) {
  const bool are_lines = corpus.format() == InputFormat::kLines;
  if (corpus.format() != InputFormat::kText && !are_lines) return;
  const std::pair<bool, ErrorText> about_fields[] = {
      {options.id.has_value(), Parameter{"id"}},
      {options.text.has_value(), Parameter{"text"}},
      {options.values.has_value(), Parameter{"values"}},
      {options.by.has_value(), Parameter{"by"}},
      {options.across.has_value(), Parameter{"across"}},
      {options.annotate, Parameter{"annotate"}},
      {!keep_fields(options).empty(), Parameter{"keep"} + " max: or min:"}};
  for (const auto& [given, name] : about_fields) {
    if (given) {
      refuse(words(
          "{} is about fields of records, but the inputs are {}; {} or csv reads them as records",
          {name, are_lines ? "lines of text" : "text files", Parameter{"format", "jsonl"}}));
    }
  }
}

}  // namespace benzer::apps
