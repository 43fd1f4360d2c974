// benzer review: shows the pairs of a report one by one and asks whether they are copies.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "benzer/audit.h"
#include "benzer/error.h"
#include "benzer/output.h"
#include "benzer/runtime.h"

#include "../shared/json.h"
#include "../shared/settings.h"
#include "../shared/single_text.h"
#include "commands.h"
#include "messages.h"
#include "progress.h"
#include "shown_review.h"
#include "signals.h"

namespace benzer::cli {
namespace {

constexpr std::uint64_t kLargestReport = 256u << 20;

enum class Answer { kSame, kOther, kSkip, kEnd };

// Asks until the answer is one of the four. The end of the input counts as kEnd.
Answer ask() {
  while (true) {
    print_on_stderr("Are they copies? y, n, s (skip) or q (end): ");
    std::string line;
    if (!std::getline(std::cin, line)) return Answer::kEnd;
    if (line == "y" || line == "yes") return Answer::kSame;
    if (line == "n" || line == "no") return Answer::kOther;
    if (line == "s" || line == "skip") return Answer::kSkip;
    if (line == "q" || line == "quit") return Answer::kEnd;
  }
}

std::string group_text(std::string_view what, const ReviewResult::Tally& group) {
  if (group.judged == 0) return "";
  return fmt::format("  {:<27} {} of {} are copies: {:.0f} % (95 %: {:.0f} to {:.0f} %)\n", what,
                     group.same, group.judged, 100 * group.share.value, 100 * group.share.low,
                     100 * group.share.high);
}

std::string text(const ReviewResult& result, const Threshold& threshold, std::size_t judged) {
  std::string out = fmt::format("benzer: {} judged, threshold {}\n",
                                counted(judged, "pair", "pairs"), threshold.str());
  out += group_text("just above the threshold", result.above);
  out += group_text("just below it", result.below);
  out += group_text("removed, picked at random", result.removals);
  out += group_text("of these, by a chain", result.chained);
  if (judged == 0) return out;
  if (result.suggested) {
    out += fmt::format(
        "  suggestion: --threshold {} agrees with all but {} of the answers ({} with "
        "{})\n",
        result.suggested->str(), result.contradictions_of_suggested, result.contradictions,
        threshold.str());
  } else {
    out += fmt::format("  suggestion: keep {}; no other threshold agrees with more answers\n",
                       threshold.str());
  }
  if (result.chained.judged > 0)
    out +=
        "  by a chain: below the threshold with their keeper; these count for the suggestion only\n"
        "  if they are next to the threshold; --cluster leader removes no document like that\n";
  return out;
}

std::string json(const ReviewResult& result, const Threshold& threshold, std::size_t judged) {
  const auto group = [](const ReviewResult::Tally& found) {
    JsonObject out;
    out.add("judged", found.judged).add("same", found.same);
    if (found.judged == 0) return out.str();
    out.add("share", found.share.value).add("low", found.share.low);
    return out.add("high", found.share.high).str();
  };
  JsonObject out;
  out.add("command", "review").add("threshold", threshold.str()).add("judged", judged);
  out.raw("above", group(result.above)).raw("below", group(result.below));
  out.raw("removals", group(result.removals)).raw("chained", group(result.chained));
  out.add("contradictions", result.contradictions);
  if (result.suggested) {
    out.add("suggested_threshold", result.suggested->str());
    out.add("contradictions_of_suggested", result.contradictions_of_suggested);
  } else {
    out.add_null("suggested_threshold").add_null("contradictions_of_suggested");
  }
  return out.str() + "\n";
}

std::string answer_line(const ReviewPair& pair, bool same) {
  JsonObject line;
  line.raw("a", pair.a.id_json).raw("b", pair.b.id_json).add("score", pair.score);
  return line.add("same", same).str() + "\n";
}

// The file of the answers. Each answer is saved before the next question is asked.
class AnswerFile {
 public:
  explicit AnswerFile(const Options& options) : given_(options.answers.has_value()) {
    path_ = given_ ? *options.answers : default_path(options.inputs[0]);
    if (OutputFile::is_direct(path_)) {
      stream_.emplace(path_, 1, stop_);
      return;
    }
    std::error_code failed;
    if (std::filesystem::file_size(path_, failed) > 0 && !failed)
      text_ = read_text(path_, kLargestReport);
    if (!text_.empty() && !text_.ends_with('\n')) text_ += '\n';
    try {
      saved_ = read_answers(text_);
    } catch (const Error& error) {
      throw Error(error.code(), Subject::file(path_), error.detail(), error.hint(), ": ");
    }
    if (!given_) return;
    OutputFile probe(path_);  // fails before the first question if the file cannot be made
  }

  const std::string& path() const { return path_; }
  std::span<const SavedAnswer> saved() const { return saved_; }
  bool keeps() const { return !stream_ && !failed_; }

  void add(const std::string& line) {
    if (stream_) {
      stream_->write(line);
      return;
    }
    text_ += line;
    if (failed_) return;
    try {
      OutputFile out(path_, 1, stop_);
      out.write(text_);
      out.commit();
    } catch (const Error& error) {
      if (given_ || error.code() != ErrorCode::kStorageFailed) throw;
      failed_ = true;  // go on without it: the user did not ask for the file
      print_on_stderr(fmt::format("benzer: the answers are not saved: {}\n", sentence_of(error)));
    }
  }

  void finish() {
    if (stream_) stream_->commit();
  }

 private:
  // "r.answers.jsonl" for "r.json".
  static std::string default_path(std::string report) {
    if (report.ends_with(".json")) report.resize(report.size() - 5);
    return report + ".answers.jsonl";
  }

  const std::atomic<bool>* stop_ = install_signal_handlers();
  bool given_;
  bool failed_ = false;
  std::string path_;
  std::optional<OutputFile> stream_;  // a pipe or a device, which is never read
  std::string text_;                  // the contents of the file
  std::vector<SavedAnswer> saved_;
};

// Returns the judgements of the pairs that have an answer. reached: the pairs before it were asked
// about. If that is not all, some removals of the sample were judged because they are next to the
// threshold; as part of the sample they count only if those picked before them were asked about,
// too, since the others would make it one of difficult pairs.
std::vector<Judgement> judgements_of(const Review& review,
                                     std::span<const std::optional<bool>> known,
                                     std::size_t reached) {
  std::vector<bool> sampled(review.pairs.size());
  if (review.sample) {
    for (const std::size_t place : *review.sample) {
      if (place >= reached && !known[place]) break;
      sampled[place] = true;
    }
  }
  std::vector<Judgement> out;
  for (std::size_t i = 0; i < review.pairs.size(); ++i) {
    const ReviewPair& pair = review.pairs[i];
    if (known[i]) out.push_back({pair.score, pair.near, *known[i], sampled[i]});
  }
  return out;
}

// Throws Error(kInterrupted) if a signal asked the review to stop.
void check_stop(const AnswerFile& answers) try {
  throw_if_stopped(stop_flag());
} catch (const Error& error) {
  print_on_stderr("\n");
  if (!answers.keeps()) throw;
  throw Error(error.code(), error.detail(),
              "the answers so far are in " + FileName{answers.path()} +
                  "; run the same command again to continue");
}

}  // namespace

int run_review(const Options& options) {
  if (options.inputs[0] == "-") {
    refuse("the report must be a file: the answers come from standard input");
  }
  const Review review = read_review(read_text(options.inputs[0], kLargestReport));
  AnswerFile answers(options);
  std::vector<std::optional<bool>> known = match_answers(review, answers.saved());
  const auto again = static_cast<std::size_t>(
      std::count_if(known.begin(), known.end(), [](const auto& answer) { return answer; }));
  if (again > 0 && !options.quiet)
    print_on_stderr(fmt::format("benzer: {} of {} pairs were judged before, in {}\n", again,
                                review.pairs.size(), printable(answers.path())));
  if (!review.sample)
    print_on_stderr(
        "benzer: an earlier version of Benzer made the report, and picked no removals at random, "
        "so nothing is said about the precision of the run; make the report again for that\n");
  const bool terminal = isatty(STDERR_FILENO) != 0;
  std::size_t reached = 0;  // the pairs before it were asked about
  for (; reached < review.pairs.size(); ++reached) {
    if (known[reached]) continue;
    const ReviewPair& pair = review.pairs[reached];
    print_on_stderr(shown_review_pair(pair, reached + 1, review.pairs.size(), terminal));
    const Answer answer = ask();
    check_stop(answers);
    if (answer == Answer::kEnd) break;
    if (answer == Answer::kSkip) continue;
    known[reached] = answer == Answer::kSame;
    answers.add(answer_line(pair, *known[reached]));
  }
  answers.finish();
  const std::vector<Judgement> judgements = judgements_of(review, known, reached);
  const ReviewResult result = evaluate(judgements, review.threshold);
  print_on_stderr("\n");
  print_result(options.json ? json(result, review.threshold, judgements.size())
                            : text(result, review.threshold, judgements.size()));
  return kDone;
}

}  // namespace benzer::cli
