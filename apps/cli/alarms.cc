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

// Of the first ones, as many as are shown. loser(alarm): who would lose so much, of a source.
template <class Loser>
std::vector<std::string> sentences_of(const std::vector<Alarm>& alarms, Loser loser) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < std::min(alarms.size(), kShownAlarms); ++i) {
    const Alarm& alarm = alarms[i];
    const std::string part = with_separators(alarm.documents), whole = with_separators(alarm.of);
    out.push_back(alarm.kind == Alarm::Kind::kCluster
                      ? fmt::format("one cluster holds {} of {} documents ({:.1f} %)", part, whole,
                                    percent(alarm))
                      : fmt::format("{} would lose {} of its {} documents ({:.1f} %)", loser(alarm),
                                    part, whole, percent(alarm)));
  }
  return out;
}
std::vector<std::string> sentences_of(const Corpus& corpus, const std::vector<Alarm>& alarms) {
  return sentences_of(alarms, [&](const Alarm& alarm) {
    return "the source " + printable(corpus.sources()[alarm.place]);
  });
}
std::vector<std::string> sentences_of(const std::string& index, const std::vector<Alarm>& alarms) {
  return sentences_of(alarms, [&](const Alarm&) { return "the index " + index; });
}

void note(CommandRun& run, const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences)
    run.messages().note(
        fmt::format("{}: near-copies seldom make up such a share; nothing is removed", sentence));
}

// text: samples. nothing: what was not done.
[[noreturn]] void stop(CommandRun& run, const std::vector<std::string>& sentences, std::size_t all,
                       std::string text, std::string_view nothing) {
  if (sentences.size() < all) text += fmt::format("  ... and {} more\n", all - sentences.size());
  run.line().erase();
  run.messages().end_of_problems();
  run.messages().text(text);
  throw Error(ErrorCode::kGuardRail,
              fmt::format("stopped before any document was {}: {}{}. Near-copies seldom make up "
                          "such a share; raise the threshold, take longer shingles, or go on with "
                          "--allow-large-clusters if it is right",
                          nothing, sentences.front(),
                          all > 1 ? fmt::format(", and {} more such signs", all - 1) : ""));
}

}  // namespace

void note_alarms(CorpusRun& run, const std::vector<Alarm>& alarms) {
  note(run, sentences_of(run.corpus(), alarms));
}

void note_alarms(CommandRun& run, const std::string& index, const std::vector<Alarm>& alarms) {
  note(run, sentences_of(index, alarms));
}

void stop_for_alarms(CorpusRun& run, const DedupResult& result, const std::vector<Alarm>& alarms) {
  FileCorpus& corpus = run.corpus();
  const std::vector<std::string> sentences = sentences_of(corpus, alarms);
  std::vector<std::vector<const Removal*>> chosen;
  std::vector<std::uint32_t> documents;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
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
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    text += fmt::format("  {}\n", sentences[i]);
    std::uint32_t keeper = ~std::uint32_t{0};
    for (const Removal* removal : chosen[i]) {
      if (*removal->kept != keeper) text += row("kept", keeper = *removal->kept);
      text += row(fmt::format("{:.4f}", removal->score).c_str(), removal->document);
    }
  }
  stop(run, sentences, alarms.size(), text, "written");
}

void stop_for_alarms(CommandRun& run, const std::string& index, const IndexDedup& found,
                     const std::vector<Alarm>& alarms) {
  const std::vector<std::string> sentences = sentences_of(index, alarms);
  std::string text;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    text += fmt::format("  {}\n", sentences[i]);
    if (alarms[i].kind != Alarm::Kind::kCluster) continue;
    const IndexCluster& cluster = found.clusters[alarms[i].place];
    std::vector<const IndexCluster::Member*> least;
    for (const IndexCluster::Member& member : cluster.members) least.push_back(&member);
    std::stable_sort(least.begin(), least.end(),
                     [](const auto* x, const auto* y) { return x->score < y->score; });
    least.resize(std::min(least.size(), kShownMembers));
    const auto row = [&](const std::string& what, const std::string& id) {
      text += fmt::format("    {:<8} {}\n", what, printable(first_characters(id, kExcerpt)));
    };
    row("kept", cluster.keeper);
    for (const auto* member : least) row(fmt::format("{:.4f}", member->score), member->id);
  }
  stop(run, sentences, alarms.size(), text, "removed");
}

}  // namespace benzer::cli
