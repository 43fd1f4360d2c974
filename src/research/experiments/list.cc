// Lists the experiments by name, and runs one.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "benzer/error.h"
#include "benzer/research/experiments.h"
#include "benzer/research/register.h"
#include "benzer/runtime.h"

#include "research/experiments/course_findings.h"
#include "research/experiments/course_search.h"
#include "research/experiments/course_texts.h"
#include "research/experiments/picture_data.h"
#include "research/experiments/runs.h"
#include "research/experiments/work.h"

namespace benzer {
namespace {

using experiments::course_report::kFigure3Bands;
using experiments::course_report::kFigurePermutations;
using experiments::course_report::kTable3Bands;
using experiments::course_report::kTable4Bands;
using experiments::course_report::kTablePermutations;
using Run = ExperimentResult (*)(const ExperimentOptions&);

constexpr std::string_view kReport = "000, the report of 2012";
constexpr std::string_view kBlog = "001, the blog on C#";
constexpr std::string_view kSlides = "002, the lecture slides";
constexpr std::string_view kScala = "003, the blog on Scala";
constexpr std::string_view kCourse = "004, the course report";
constexpr std::string_view kAll = "what all five rest on";
constexpr std::string_view kLater = "what the report left for later";

struct Row {
  ExperimentInfo info;
  Run run;
  std::uint32_t permutations = 0;  // the most it needs of the report; the terms limit them
  bool of_one_kind = false;        // uses the texts of one kind only
  std::uint32_t band_rows = 0;  // the most it has; the documents of the report's tables limit them
  // Of calls, which read all files of the folder as they are: checks them and the values.
  void (*check)(const ExperimentOptions&) = nullptr;
};

constexpr std::array kRows = {
    Row{{"report-6a", kReport, "figure 6a: one hash function against many, and why one won"},
        experiments::report_6a},
    Row{{"report-6b", kReport, "figure 6b: sets of 200, 1,000 and 10,000"}, experiments::report_6b},
    Row{{"report-6c", kReport, "figure 6c: similarities from .1 to .9"}, experiments::report_6c},
    Row{{"blog-jaccard", kBlog, "Jaccard similarity under each of its document models", true},
        experiments::blog_jaccard},
    Row{{"blog-lsh", kBlog, "12,000 documents of 100 hashes: buckets built, all queried"},
        experiments::blog_lsh},
    Row{{"blog-examples", kBlog, "its test MinHashFunc1, and words numbered by a dictionary"},
        experiments::blog_examples},
    Row{{"slides", kSlides, "the worked examples, and all pairs against LSH"}, experiments::slides},
    Row{{"slides-shingles", kSlides, "touchdown, the choice of k, shingles as numbers"},
        experiments::slides_shingles},
    Row{{"scala", kScala, "its hash function, its estimates, and the bands that it picks"},
        experiments::scala},
    Row{{"scala-examples", kScala, "the false positive of the pangram, and its ten functions"},
        experiments::scala_examples},
    Row{{"scala-claims", kScala, "more hashes for a higher threshold? contained documents?"},
        experiments::scala_claims_tested},
    Row{{"course-table-1", kCourse, "how many pairs are estimated wrongly by more than eps", true},
        experiments::course_table_1,
        experiments::course_report::kPermutations.back(),
        true},
    Row{{"course-table-2", kCourse, "the times of exact pairs, estimated pairs, the matrix", true},
        experiments::course_table_2,
        experiments::course_report::kTimedPermutations.back(),
        true},
    Row{{"course-table-3", kCourse, "the near-copies that ten queries find", true},
        experiments::course_table_3,
        kTablePermutations,
        false,
        kTablePermutations / kTable3Bands},
    Row{{"course-table-4", kCourse, "near-copies found by 15 to 120 bands, and strangers", true},
        experiments::course_table_4,
        kTablePermutations,
        false,
        kTablePermutations / kTable4Bands},
    Row{{"course-fig-1", kCourse, "table 1 as a figure", true},
        experiments::course_fig_1,
        experiments::course_report::kPermutations.back(),
        true},
    Row{{"course-fig-2", kCourse, "table 2 as a figure", true},
        experiments::course_fig_2,
        experiments::course_report::kTimedPermutations.back(),
        true},
    Row{{"course-fig-3", kCourse, "table 4 for 1,000 permutations, as a figure", true},
        experiments::course_fig_3,
        kFigurePermutations,
        false,
        kFigurePermutations / kFigure3Bands},
    Row{.info = {.name = "course-accuracy",
                 .document = kCourse,
                 .summary = "accuracy(folder, k, eps): its pairs that are estimated wrongly",
                 .reads_texts = true,
                 .values = "slots eps"},
        .run = experiments::course_accuracy,
        .check = experiments::check_course_accuracy},
    Row{.info = {.name = "course-timer",
                 .document = kCourse,
                 .summary = "timer(folder, k): the times of all its pairs",
                 .reads_texts = true,
                 .values = "slots"},
        .run = experiments::course_timer,
        .check = experiments::check_course_timer},
    Row{.info = {.name = "course-near",
                 .document = kCourse,
                 .summary = "near(folder, k, bands, s, doc): the near-duplicates of a document",
                 .reads_texts = true,
                 .values = "slots bands threshold id"},
        .run = experiments::course_near,
        .check = experiments::check_course_near},
    Row{{"s-curve", kAll, "1 - (1 - s^r)^b against what bands find"}, experiments::s_curve},
    Row{{"hash-bias", kAll, "what linear hash functions do to numbers in a row"},
        experiments::hash_bias},
    Row{{"sketches", kAll, "the error and the time of every sketch, beside theory"},
        experiments::sketches},
    Row{{.name = "images",
         .document = kLater,
         .summary = "precision and recall of picture hashes, by kind of change",
         .reads_pictures = true},
        experiments::images},
    Row{{"text", kLater, "what edits leave of a text's similarity, by features and sketch", true},
        experiments::edited_texts},
};

constexpr auto kInfos = [] {
  std::array<ExperimentInfo, kRows.size()> out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = kRows[i].info;
  return out;
}();

}  // namespace

std::span<const ExperimentInfo> all_experiments() { return kInfos; }

bool ExperimentInfo::takes(std::string_view value) const noexcept {
  std::string_view rest = values;
  while (!rest.empty()) {
    const std::size_t space = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, space) == value) return true;
    rest.remove_prefix(std::min(space + 1, rest.size()));
  }
  return false;
}

namespace {

const Row& row_of(std::string_view name, const ExperimentOptions& options) {
  const auto* const row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.info.name == name; });
  if (row == kRows.end()) {
    std::vector<std::string_view> names;
    for (const ExperimentInfo& info : kInfos) names.push_back(info.name);
    throw Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is not an experiment; there are {}",
                                                         name, fmt::join(names, ", ")));
  }
  if (!options.data.empty() && !row->info.reads_texts && !row->info.reads_pictures)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("'{}' reads no texts: leave the folder of texts away", name));
  const ExperimentValues& values = options.values;
  const std::pair<bool, std::string_view> given[] = {{values.slots.has_value(), "slots"},
                                                     {values.bands.has_value(), "bands"},
                                                     {values.eps.has_value(), "eps"},
                                                     {values.threshold.has_value(), "threshold"},
                                                     {values.id.has_value(), "id"}};
  for (const auto& [is_given, value] : given) {
    if (is_given && !row->info.takes(value))
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("'{}' takes no value '{}': leave it out", name, value));
  }
  return *row;
}

}  // namespace

void check_experiments(std::span<const std::string_view> names, const ExperimentOptions& options) {
  register_research();
  using namespace classics::course;
  std::uint32_t of_one_kind = 0, of_all = 0;  // permutations that are needed
  const Row* widest = nullptr;                // with the most rows in a band
  bool texts_wanted = false, pictures_wanted = false;
  for (const std::string_view name : names) {
    const Row& row = row_of(name, options);
    if (row.check) {
      row.check(options);
      continue;
    }
    texts_wanted = texts_wanted || row.info.reads_texts;
    pictures_wanted = pictures_wanted || row.info.reads_pictures;
    std::uint32_t& wanted = row.of_one_kind ? of_one_kind : of_all;
    wanted = std::max(wanted, row.permutations);
    if (row.band_rows > (widest == nullptr ? 0 : widest->band_rows)) widest = &row;
  }
  if (options.data.empty()) return;
  if (pictures_wanted) experiments::picture_cases(options);
  if (!texts_wanted) return;
  const experiments::Texts texts = experiments::texts_for(options);
  const auto check = [&](const std::vector<NamedText>& documents, std::uint32_t permutations) {
    if (permutations > 0)
      PermutationsFunctions(permutations, TermSets(documents).num_terms(), options.seed);
  };
  check(texts.last_kind(), of_one_kind);
  // Near-copies that are made bring further terms.
  if (of_all == 0) return;
  const std::vector<NamedText> all = experiments::with_copies(texts, options.seed);
  check(all, of_all);
  const std::uint32_t factors = prime_at_least(static_cast<std::uint32_t>(all.size()));
  if (widest != nullptr && widest->band_rows > factors)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("'{}' has bands of {} rows, which need as many documents with their "
                            "copies, and the folder {} gives {}: give one with more texts",
                            widest->info.name, widest->band_rows, options.data, all.size()));
}

ExperimentResult run_experiment(std::string_view name, const ExperimentOptions& options) {
  register_research();
  const Row& row = row_of(name, options);
  throw_if_stopped(options.stop);
  ExperimentResult result;
  const double seconds = experiments::seconds_of([&] { result = row.run(options); });
  result.name = name;
  result.document = row.info.document;
  result.seed = options.seed;
  result.full = options.full;
  result.data = options.data;
  result.values = options.values;
  result.seconds = seconds;
  return result;
}

}  // namespace benzer
