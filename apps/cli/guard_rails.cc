#include "guard_rails.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "benzer/internal/score_text.h"

#include "../shared/guard_rail_error.h"
#include "shown_text.h"

namespace benzer::cli {
namespace {

constexpr std::size_t kShownMembers = 3;
constexpr std::size_t kExcerpt = 100;  // characters

// Returns the removals that show a breach best: the least similar ones of a cluster, or the first
// ones of a source.
std::vector<const Removal*> samples(const Corpus& corpus, const DedupResult& result,
                                    const GuardRailBreach& breach) {
  std::vector<const Removal*> found;
  for (const Removal& removal : result.removed) {
    if (!removal.keeper) continue;
    const bool belongs = breach.kind == GuardRailBreach::Kind::kCluster
                             ? *removal.keeper == breach.place
                             : corpus.source_of(removal.document) == breach.place;
    if (belongs) found.push_back(&removal);
  }
  if (breach.kind == GuardRailBreach::Kind::kCluster)
    std::stable_sort(found.begin(), found.end(),
                     [](const Removal* x, const Removal* y) { return x->score < y->score; });
  found.resize(std::min(found.size(), kShownMembers));
  return found;
}

// Returns the beginning of a text, or of a document's values, as one line.
std::string excerpt(const DocumentView& document) {
  std::string text(document.text.substr(0, 4 * kExcerpt));
  for (const std::string_view value : document.values) {
    if (text.size() > 4 * kExcerpt) break;
    text += (text.empty() ? "" : ", ") + std::string(value);
  }
  return shown_line(std::move(text), kExcerpt);
}

// Returns the places that show a breach best: the first place of a passage that is cut out of too
// many documents, or the first passages of the first documents that a source loses.
std::vector<const TextRun*> samples(const Corpus& corpus, const PassageRemoval& removal,
                                    const GuardRailBreach& breach) {
  std::vector<const TextRun*> found;
  for (const DocumentCuts& document : removal.documents) {
    if (found.size() == kShownMembers) break;
    if (breach.kind != GuardRailBreach::Kind::kPassage) {
      if (corpus.source_of(document.document) == breach.place && !document.cuts.empty())
        found.push_back(&document.passages.front().place);
      continue;
    }
    const auto passage = std::ranges::find(document.passages, breach.place, &Passage::cluster);
    if (passage != document.passages.end()) return {&passage->first};
  }
  return found;
}

// Announces that documents, of which some may be named twice, are read again.
void prepare_some(Corpus& corpus, std::vector<std::uint32_t> documents) {
  std::sort(documents.begin(), documents.end());
  documents.erase(std::unique(documents.begin(), documents.end()), documents.end());
  corpus.prepare(documents);
}

void note(CommandRun& run, const std::vector<std::string>& sentences,
          const std::vector<GuardRailBreach>& breaches) {
  for (std::size_t i = 0; i < sentences.size(); ++i)
    run.messages().note(
        fmt::format("{}: {}; nothing is removed", sentences[i], what_is_odd(breaches[i])));
}

// Prints `text`, the samples of the first breaches. shown: how many these are.
void print_samples(CommandRun& run, std::string text, std::size_t shown, std::size_t all) {
  if (shown < all) text += fmt::format("  ... and {} more\n", all - shown);
  run.line().erase();
  run.messages().end_of_problems();
  run.messages().text(text);
}

}  // namespace

void note_breaches(CorpusRun& run, const std::vector<GuardRailBreach>& breaches) {
  note(run, breach_sentences(run.corpus(), breaches), breaches);
}

void note_breaches(CommandRun& run, const std::string& index,
                   const std::vector<GuardRailBreach>& breaches) {
  note(run, breach_sentences(index, breaches), breaches);
}

void stop_for_breaches(CorpusRun& run, const DedupResult& result,
                       const std::vector<GuardRailBreach>& breaches) {
  Corpus& corpus = run.corpus();
  const std::vector<std::string> sentences = breach_sentences(corpus, breaches);
  std::vector<std::vector<const Removal*>> chosen;
  std::vector<std::uint32_t> documents;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    chosen.push_back(samples(corpus, result, breaches[i]));
    for (const Removal* removal : chosen.back())
      documents.insert(documents.end(), {removal->document, *removal->keeper});
  }
  prepare_some(corpus, std::move(documents));
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
      if (*removal->keeper != keeper) text += row("kept", keeper = *removal->keeper);
      text += row(cut_score(removal->score).c_str(), removal->document);
    }
  }
  print_samples(run, std::move(text), sentences.size(), breaches.size());
  throw guard_rail_error(corpus, breaches);
}

// Shows each passage at its first place, and the first documents that a source would lose.
void stop_for_breaches(CorpusRun& run, const PassageRemoval& removal,
                       const std::vector<GuardRailBreach>& breaches) {
  Corpus& corpus = run.corpus();
  const std::vector<std::string> sentences = breach_sentences(corpus, breaches);
  std::vector<std::vector<const TextRun*>> chosen;
  std::vector<std::uint32_t> documents;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    chosen.push_back(samples(corpus, removal, breaches[i]));
    for (const TextRun* place : chosen.back()) documents.push_back(place->document);
  }
  prepare_some(corpus, std::move(documents));
  const auto reader = corpus.reader();

  std::string text;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    text += fmt::format("  {}\n", sentences[i]);
    const bool is_passage = breaches[i].kind == GuardRailBreach::Kind::kPassage;
    for (const TextRun* place : chosen[i]) {
      const std::string_view read = reader->read(place->document).text;
      text +=
          fmt::format("    {:<8} {}: {}\n", is_passage ? "first" : "cut",
                      printable(corpus.label(place->document).id_json),
                      shown_line(std::string(read.substr(place->begin, 4 * kExcerpt)), kExcerpt));
    }
  }
  print_samples(run, std::move(text), sentences.size(), breaches.size());
  throw passage_guard_rail_error(corpus, breaches);
}

void stop_for_breaches(CommandRun& run, const std::string& index, const IndexDedup& found,
                       const std::vector<GuardRailBreach>& breaches) {
  const std::vector<std::string> sentences = breach_sentences(index, breaches);
  std::string text;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    text += fmt::format("  {}\n", sentences[i]);
    if (breaches[i].kind != GuardRailBreach::Kind::kCluster) continue;
    const IndexCluster& cluster = found.clusters[breaches[i].place];
    std::vector<const IndexCluster::Member*> least;
    for (const IndexCluster::Member& member : cluster.members) least.push_back(&member);
    std::stable_sort(least.begin(), least.end(),
                     [](const auto* x, const auto* y) { return x->score < y->score; });
    least.resize(std::min(least.size(), kShownMembers));
    const auto row = [&](const std::string& what, const std::string& id) {
      text += fmt::format("    {:<8} {}\n", what, printable(first_characters(id, kExcerpt)));
    };
    row("kept", cluster.keeper);
    for (const auto* member : least) row(cut_score(member->score), member->id);
  }
  print_samples(run, std::move(text), sentences.size(), breaches.size());
  throw guard_rail_error(index, breaches);
}

}  // namespace benzer::cli
