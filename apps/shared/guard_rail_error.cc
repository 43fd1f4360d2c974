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
    out.push_back(breach.kind == GuardRailBreach::Kind::kCluster
                      ? fmt::format("one cluster holds {} of {} documents ({:.1f} %)", part, whole,
                                    percent_of(breach))
                      : fmt::format("{} would lose {} of its {} documents ({:.1f} %)",
                                    loser(breach), part, whole, percent_of(breach)));
  }
  return out;
}

// `nothing` says what the run did not do: "written" or "removed".
Error error_about(const std::vector<std::string>& sentences, std::size_t all,
                  std::string_view nothing) {
  return {ErrorCode::kGuardRail,
          fmt::format("stopped before any document was {}: {}{}. Near-copies seldom make up such "
                      "a share",
                      nothing, sentences.front(),
                      all > 1 ? fmt::format(", and {} more such signs", all - 1) : ""),
          "raise the threshold, take longer shingles, or go on with " +
              Parameter{"allow_large_clusters", "true"} + " if it is right"};
}

}  // namespace

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
  return error_about(breach_sentences(corpus, breaches), breaches.size(), "written");
}

Error guard_rail_error(const std::string& index, const std::vector<GuardRailBreach>& breaches) {
  return error_about(breach_sentences(index, breaches), breaches.size(), "removed");
}

}  // namespace benzer::apps
