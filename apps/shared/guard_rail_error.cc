#include "guard_rail_error.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "benzer/internal/text.h"

#include "printable.h"

namespace benzer::apps {
namespace {

constexpr std::size_t kShownBreaches = 5;

double percent_of(const GuardRailBreach& breach) {
  return 100.0 * static_cast<double>(breach.documents) / static_cast<double>(breach.total);
}

// loser(breach) names the source or index that would lose too many documents.
template <class Loser>
std::vector<std::string> sentences_about(const std::vector<GuardRailBreach>& breaches,
                                         Loser loser) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < std::min(breaches.size(), kShownBreaches); ++i) {
    const GuardRailBreach& breach = breaches[i];
    const std::string part = with_separators(breach.documents),
                      whole = with_separators(breach.total);
    const double percent = percent_of(breach);
    switch (breach.kind) {
      case GuardRailBreach::Kind::kCluster:
        out.push_back(
            fmt::format("one cluster holds {} of {} documents ({:.1f} %)", part, whole, percent));
        break;
      case GuardRailBreach::Kind::kPassage:
        out.push_back(
            fmt::format("one passage is in {} of {} documents ({:.1f} %)", part, whole, percent));
        break;
      case GuardRailBreach::Kind::kSource:
        out.push_back(fmt::format("{} would lose {} of its {} documents ({:.1f} %){}",
                                  loser(breach), part, whole, percent,
                                  breach.dropped > 0 ? fmt::format(", {} of them for being short",
                                                                   with_separators(breach.dropped))
                                                     : ""));
        break;
    }
  }
  return out;
}

// not_done: what the run did not do. odd: why that would be odd. first: what to try first.
Error error_about(const std::vector<std::string>& sentences, std::size_t all,
                  std::string_view not_done, std::string odd, std::string_view first) {
  odd[0] = static_cast<char>(odd[0] - 'a' + 'A');
  return {ErrorCode::kGuardRail,
          fmt::format("stopped before any document was {}: {}{}. {}", not_done, sentences.front(),
                      all > 1 ? fmt::format(", and {} more such signs", all - 1) : "", odd),
          fmt::format("{}, or go on with ", first) + Parameter{"allow_large_clusters", "true"} +
              " if it is right"};
}

bool is_of_short_documents(const GuardRailBreach& breach) {
  return breach.dropped > breach.documents / 2;
}

constexpr std::string_view kStricter = "raise the threshold, take longer shingles";

}  // namespace

std::string what_is_odd(const GuardRailBreach& breach) {
  return is_of_short_documents(breach) ? "short documents seldom make up such a share"
                                       : "near-copies seldom make up such a share";
}

std::vector<std::string> breach_sentences(const Corpus& corpus,
                                          const std::vector<GuardRailBreach>& breaches) {
  return sentences_about(breaches, [&](const GuardRailBreach& breach) {
    const std::string& name = corpus.sources()[breach.place];
    return name.empty() ? "the table" : "the source " + printable(name);  // tables have no names
  });
}

std::vector<std::string> breach_sentences(const std::string& index,
                                          const std::vector<GuardRailBreach>& breaches) {
  return sentences_about(breaches, [&](const GuardRailBreach&) { return "the index " + index; });
}

Error guard_rail_error(const Corpus& corpus, const std::vector<GuardRailBreach>& breaches) {
  const GuardRailBreach& first = breaches.front();
  return error_about(
      breach_sentences(corpus, breaches), breaches.size(), "written", what_is_odd(first),
      is_of_short_documents(first) ? "see whether the right field is read, take shorter shingles"
                                   : kStricter);
}

Error guard_rail_error(const std::string& index, const std::vector<GuardRailBreach>& breaches) {
  return error_about(breach_sentences(index, breaches), breaches.size(), "removed",
                     what_is_odd(breaches.front()), kStricter);
}

Error passage_guard_rail_error(const Corpus& corpus, const std::vector<GuardRailBreach>& breaches) {
  return error_about(breach_sentences(corpus, breaches), breaches.size(), "written",
                     "that may be a menu or a licence, or a text that belongs into each of them",
                     "look at what it is");
}

}  // namespace benzer::apps
