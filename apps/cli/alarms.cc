#include "alarms.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "benzer/error.h"

#include "../shared/json.h"
#include "progress.h"

namespace benzer::cli {
namespace {

constexpr std::size_t kShownAlarms = 5;
constexpr std::size_t kShownMembers = 3;
constexpr std::size_t kExcerpt = 100;  // characters

double percent(const Alarm& alarm) {
  return 100.0 * static_cast<double>(alarm.documents) / static_cast<double>(alarm.of);
}

// The removals that show an alarm best: the least similar of a cluster, the first of a source.
std::vector<const Removal*> samples(const Corpus& corpus, const DedupResult& result,
                                    const Alarm& alarm) {
  std::vector<const Removal*> found;
  for (const Removal& removal : result.removed) {
    if (!removal.kept) continue;
    const bool belongs = alarm.kind == Alarm::Kind::kCluster
                             ? *removal.kept == alarm.place
                             : corpus.source_of(removal.document) == alarm.place;
    if (belongs) found.push_back(&removal);
  }
  if (alarm.kind == Alarm::Kind::kCluster)
    std::stable_sort(found.begin(), found.end(),
                     [](const Removal* x, const Removal* y) { return x->score < y->score; });
  found.resize(std::min(found.size(), kShownMembers));
  return found;
}

// One line of the begin of a text, or of its values.
std::string excerpt(const DocumentView& document) {
  std::string text(document.text.substr(0, 4 * kExcerpt));
  for (const std::string_view value : document.values) {
    if (text.size() > 4 * kExcerpt) break;
    text += (text.empty() ? "" : ", ") + std::string(value);
  }
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return printable(first_characters(text, kExcerpt));
}

std::string sentence_of(const Corpus& corpus, const Alarm& alarm) {
  if (alarm.kind == Alarm::Kind::kCluster)
    return fmt::format("one cluster holds {} of {} documents ({:.1f} %)",
                       with_separators(alarm.documents), with_separators(alarm.of), percent(alarm));
  return fmt::format("the source {} would lose {} of its {} documents ({:.1f} %)",
                     printable(corpus.sources()[alarm.place]), with_separators(alarm.documents),
                     with_separators(alarm.of), percent(alarm));
}

}  // namespace

void note_alarms(CorpusRun& run, const std::vector<Alarm>& alarms) {
  for (std::size_t i = 0; i < std::min(alarms.size(), kShownAlarms); ++i)
    run.messages().note(fmt::format("{}: near-copies seldom make up so much; nothing is removed",
                                    sentence_of(run.corpus(), alarms[i])));
}

void stop_for_alarms(CorpusRun& run, const DedupResult& result, const std::vector<Alarm>& alarms) {
  FileCorpus& corpus = run.corpus();
  const std::size_t shown = std::min(alarms.size(), kShownAlarms);
  std::vector<std::vector<const Removal*>> chosen;
  std::vector<std::uint32_t> documents;
  for (std::size_t i = 0; i < shown; ++i) {
    chosen.push_back(samples(corpus, result, alarms[i]));
    for (const Removal* removal : chosen.back())
      documents.insert(documents.end(), {removal->document, *removal->kept});
  }
  std::sort(documents.begin(), documents.end());
  documents.erase(std::unique(documents.begin(), documents.end()), documents.end());
  corpus.prepare(documents);
  const auto reader = corpus.reader();
  const auto row = [&](const char* what, std::uint32_t document) {
    return fmt::format("    {:<8} {}: {}\n", what, printable(corpus.label(document).id_json),
                       excerpt(reader->read(document)));
  };

  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    text += fmt::format("  {}\n", sentence_of(corpus, alarms[i]));
    std::uint32_t keeper = ~std::uint32_t{0};
    for (const Removal* removal : chosen[i]) {
      if (*removal->kept != keeper) text += row("stays", keeper = *removal->kept);
      text += row(fmt::format("{:.4f}", removal->score).c_str(), removal->document);
    }
  }
  if (shown < alarms.size()) text += fmt::format("  ... and {} more\n", alarms.size() - shown);
  run.line().erase();
  run.messages().end_of_problems();
  run.messages().text(text);
  throw Error(
      ErrorCode::kGuardRail,
      fmt::format(
          "stopped before any document was written: {}{}. Near-copies seldom make up "
          "so much; raise the threshold, take longer shingles, or go on with "
          "--allow-large-clusters if it is right",
          sentence_of(corpus, alarms.front()),
          alarms.size() > 1 ? fmt::format(", and {} more such signs", alarms.size() - 1) : ""));
}

}  // namespace benzer::cli
