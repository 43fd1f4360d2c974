#include "index_settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <span>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/similarity.h"

#include "choices.h"
#include "passage_json.h"
#include "setting_text.h"
#include "settings.h"

namespace benzer::apps {
namespace {

WriteLevel read_durability(const std::string& level) {
  try {
    return WriteLevel::parse(level);
  } catch (const Error&) {
    refuse_value(
        "durability", level,
        "give sync, batch or none; of an index in Redis memory, replicas:N (1 to 100) or disk");
  }
}

Threshold read_floor(const std::string& score) {
  try {
    return Threshold::parse(score);
  } catch (const Error&) {
    refuse_value("floor", score,
                 "give a decimal above 0 and at most 1, such as 0.1, with at most 17 digits after "
                 "the point");
  }
}

// The name of the first given option that is about a schema; empty if there is none.
std::string schema_option(const Options& options) {
  for (const auto& [given, name] : {std::pair{!options.fields.empty(), "field"},
                                    {!options.attributes.empty(), "attribute"},
                                    {options.ttl.has_value(), "ttl"},
                                    {!options.frequencies.empty(), "frequencies"},
                                    {options.min_threshold.has_value(), "min_threshold"},
                                    {options.sketch.has_value(), "sketch"},
                                    {options.measure.has_value(), "measure"},
                                    {options.recall.has_value(), "recall"}}) {
    if (given) return name;
  }
  return "";
}

// The features of all fields, if all have the same kind of hash; otherwise null.
const FeatureSpec* only_hash(const Schema& schema) {
  const FeatureSpec& first = schema.fields[0].features;
  if (first.comparison() != Comparison::kHashes) return nullptr;
  for (const FieldSpec& field : schema.fields) {
    const ImageFeatures* image = field.features.image();
    if (!image || image->kind != first.image()->kind) return nullptr;
  }
  return &first;
}

// Makes documents expire by default. The attribute that says when may be given, too.
void add_ttl(Schema& schema, std::int64_t seconds) {
  const auto known = schema.find_attribute(AttributeSpec::kExpiry);
  if (!known) {
    schema.attributes.push_back(
        {std::string(AttributeSpec::kExpiry), AttributeKind::kTime, seconds});
    return;
  }
  std::int64_t& ttl = schema.attributes[*known].ttl_seconds;
  if (ttl != 0 && ttl != seconds)
    refuse(Parameter{"ttl"} + " says another time than the attribute expires_at",
           "give one or the other");
  ttl = seconds;
}

Schema read_schema(const Options& options) {
  Schema schema;
  if (!options.fields.empty()) schema.fields.clear();
  const FrequencyFiles frequencies = read_frequencies(options);
  for (const std::string& field : options.fields) schema.fields.push_back(FieldSpec::parse(field));
  std::vector<FeatureSpec*> features;
  for (FieldSpec& field : schema.fields) features.push_back(&field.features);
  use_frequencies(options, frequencies, features);
  for (const std::string& attribute : options.attributes)
    schema.attributes.push_back(AttributeSpec::parse(attribute));
  if (options.ttl) add_ttl(schema, parse_ttl(*options.ttl));
  schema.measure = read_measure(options);
  if (schema.measure == Measure::kContainment && options.sketch)
    refuse(words("{} makes no sketches", {Parameter{"measure", "containment"}}),
           words("leave out {}", {Parameter{"sketch"}}));
  if (options.sketch) schema.sketch = SketchSpec::parse(*options.sketch);
  if (options.min_threshold) {
    schema.min_threshold = Threshold::parse(*options.min_threshold);
  } else if (const FeatureSpec* hash = only_hash(schema)) {
    schema.min_threshold = threshold_of_distance(*hash, usual_distance(*hash));
  }
  if (options.recall) schema.recall = read_recall(options);
  return schema.completed();
}

// Options of the commands that take files or an index: only with an index, and with both.
constexpr std::string_view kOfIndexes[] = {"score", "allow_low_recall", "ca_file", "timeout",
                                           "remove"};
constexpr std::string_view kOfAll[] = {
    "output",  "cluster", "sample", "json",      "quiet", "clusters", "allow_large_clusters",
    "threads", "removed", "report", "threshold", "cpu",   "progress"};

bool contains(std::span<const std::string_view> names, const OptionRow& row) {
  return std::find(names.begin(), names.end(), row.parameter()) != names.end();
}

// Whether the option has an effect on an index.
bool is_for_index(const OptionRow& row, unsigned command) {
  // An audit draws its sample by the seed; the hashes of an index have their own.
  if (row.parameter() == "seed") return command == kAudit;
  return contains(kOfAll, row) || contains(kOfIndexes, row);
}

// Refuses options about servers for an index that is in a folder.
void check_has_servers(const Options& options) {
  if (options.inputs.front().find("://") != std::string::npos) return;
  for (const auto& [given, name] : {std::pair{options.timeout.has_value(), "timeout"},
                                    {options.ca_file.has_value(), "ca_file"},
                                    {options.docs.has_value(), "docs"}})
    if (given)
      refuse(words("{} is for an index in Redis, and '{}' is a folder",
                   {Parameter{name}, options.inputs.front()}),
             "leave it out");
}

}  // namespace

std::string index_name(const Options& options) { return Index::shown(options.inputs.front()); }

Options without_index(const Options& options) {
  Options out = options;
  out.inputs.erase(out.inputs.begin());
  return out;
}

bool names_index(const Options& options) {
  const auto index = std::find_if(options.inputs.begin(), options.inputs.end(), Index::is_at);
  const bool is_index = index != options.inputs.end();
  if (is_index && options.inputs.size() > 1)
    refuse(fmt::format("'{}' is an index, which must be the only input", Index::shown(*index)),
           "leave out the other inputs");
  for (const OptionRow& row : option_table()) {
    if ((row.commands & options.command) == 0 || !row.is_given(options)) continue;
    if (is_index && !is_for_index(row, options.command))
      refuse(words("{} is for files, and '{}' is an index, which has a schema",
                   {Parameter{row.parameter()}, Index::shown(*index)}),
             "leave it out");
    if (!is_index && contains(kOfIndexes, row))
      refuse(words("{} is for an index, and '{}' is not an index (it has no file BENZER)",
                   {Parameter{row.parameter()}, options.inputs.front()}),
             "leave it out");
  }
  return is_index;
}

std::optional<Schema> given_schema(const Options& options) {
  if (schema_option(options).empty()) return std::nullopt;
  return read_schema(options);
}

ServerOptions server_options(const Options& options) {
  check_has_servers(options);
  if (options.docs && !options.create)
    refuse(Parameter{"docs"} + " is for a new index",
           words("give {}, too", {Parameter{"create", "true"}}));
  ServerOptions out;
  if (const char* password = std::getenv("BENZER_REDIS_PASSWORD")) out.password = password;
  out.ca_file = options.ca_file.value_or("");
  if (options.timeout) {
    const char* end = options.timeout->data() + options.timeout->size();
    const auto read = std::from_chars(options.timeout->data(), end, out.timeout_seconds);
    if (read.ec != std::errc() || read.ptr != end || !(out.timeout_seconds >= 0.1) ||
        out.timeout_seconds > 3600)
      refuse_value("timeout", *options.timeout, "give seconds, 0.1 to 3600");
  }
  if (options.docs) out.expected_documents = read_docs(options);
  return out;
}

OpenOptions write_options(const Options& options) {
  OpenOptions out;
  out.server = server_options(options);
  if (options.durability) out.durability = read_durability(*options.durability);
  return out;
}

Index open_to_write(const Options& options, const std::atomic<bool>* stop) {
  OpenOptions open = write_options(options);
  open.allow_kept_documents = options.command == kCompact;  // which changes no documents
  open.stop = stop;
  if (options.memtable) open.memtable_bytes = read_size("memtable", *options.memtable);
  if (options.create) {
    open.create_with = read_schema(options);
  } else {
    // Options about the schema have no effect on an existing index.
    const std::string given = schema_option(options);
    if (!given.empty())
      refuse(Parameter{given} + " is for a new index",
             words("give {}, too", {Parameter{"create", "true"}}));
  }
  try {
    return Index::open(options.inputs.front(), open);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNoIndex || (options.command & (kIndex | kCheckAndAdd)) == 0)
      throw;
    throw Error(error.code(), error.subject(), error.detail(),
                Parameter{"create", "true"} + " makes a new one");
  }
}

Index open_to_read(const Options& options, const std::atomic<bool>* stop) {
  OpenOptions open;
  open.read_only = true;
  open.server = server_options(options);
  open.stop = stop;
  return Index::open(options.inputs.front(), open);
}

SimilarOptions similar_options(const Options& options) {
  SimilarOptions out;
  if (options.threshold) out.threshold = Threshold::parse(*options.threshold);
  if (options.floor) out.floor = read_floor(*options.floor);
  if (options.limit) {
    const char* end = options.limit->data() + options.limit->size();
    const auto read = std::from_chars(options.limit->data(), end, out.limit);
    if (read.ec != std::errc() || read.ptr != end || out.limit == 0)
      refuse_value("limit", *options.limit, "give a whole number from 1 on");
  }
  for (const std::string& condition : options.where)
    out.where.push_back(Condition::parse(condition));
  out.allow_low_recall = options.allow_low_recall;
  out.explain = options.explain;
  constexpr std::array kRules = {ScoreRule::kMean, ScoreRule::kAll, ScoreRule::kAny};
  out.score = kRules[choose("score", options.score.value_or("mean"), kScoreRuleNames)];
  return out;
}

SharedPassagesOptions shared_passages_options(const Options& options) {
  for (const auto& [given, name] : {std::pair{options.like_id.has_value(), "id"},
                                    {options.threshold.has_value(), "threshold"},
                                    {options.floor.has_value(), "floor"},
                                    {options.score.has_value(), "score"},
                                    {options.explain, "explain"},
                                    {options.json, "json"},
                                    {options.allow_low_recall, "allow_low_recall"}}) {
    if (!given) continue;
    if (options.like_id)
      refuse(Parameter{"passages"} + " needs the text, of which an index keeps the hashes only",
             words("give the document with {}", {Parameter{"like"}}));
    refuse(words("{} has no effect with {}", {Parameter{name}, Parameter{"passages"}}));
  }
  PassageOptions lengths;
  read_passage_lengths(options, lengths);
  const SimilarOptions similar = similar_options(options);
  return {.min_words = lengths.min_words, .limit = similar.limit, .where = similar.where};
}

WholeIndexOptions whole_index_options(const Options& options) {
  const SimilarOptions similar = similar_options(options);
  WholeIndexOptions out;
  out.threshold = similar.threshold;
  out.score = similar.score;
  out.allow_low_recall = similar.allow_low_recall;
  out.threads = thread_count(options);
  out.clustering = clustering(options);
  return out;
}

}  // namespace benzer::apps
