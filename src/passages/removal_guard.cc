// Decides whether a removal of passages loses so much that a person should look at it first.
//
// It counts the documents that lose the same words, and not those that have the same passage. A
// passage ends only where the next words differ, too, so a menu with one of twenty dates behind it
// is twenty passages. Therefore each word is followed to its earliest place: the document that a
// passage names may itself have its words from a still earlier one.
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "benzer/passages.h"

namespace benzer {
namespace {

// The words [begin, end) of a document.
struct Words {
  std::uint32_t document = 0;
  std::uint64_t begin = 0, end = 0;
  friend auto operator<=>(const Words&, const Words&) = default;
};

// Where words [begin, end) of a document are first.
struct Origin {
  std::uint64_t begin = 0, end = 0;
  std::uint32_t document = 0;
  std::uint64_t first_word = 0;
};

// Knows the earliest place of each word that is in a passage.
class Origins {
 public:
  // Takes 32 bytes for each run of words with one earliest place.
  explicit Origins(std::span<const DocumentCuts> documents) : documents_(documents) {
    for (const DocumentCuts& document : documents) {
      begins_.push_back(origins_.size());
      const std::vector<Passage>& passages = document.passages;
      std::uint64_t done = 0;  // the words before it have their origins
      for (std::size_t i = 0; i < passages.size(); ++i) {
        // Of passages that overlap, the later one reaches further.
        if (i + 1 < passages.size() && passages[i + 1].place.first_word <= done) continue;
        const std::uint64_t begin = std::max(done, passages[i].place.first_word);
        const std::uint64_t end = passages[i].place.first_word + passages[i].words;
        if (begin >= end) continue;
        add(passages[i], begin, end);
        done = end;
      }
    }
    begins_.push_back(origins_.size());
  }

  // Calls visit(Words) with the earliest places of the words [begin, end) of a document, as far as
  // they are in passages. place: that of the document among those with passages.
  template <class Visit>
  void for_each(std::size_t place, std::uint64_t begin, std::uint64_t end, Visit visit) const {
    for (std::size_t i = first_from(place, begin); i < begins_[place + 1]; ++i) {
      const Origin& origin = origins_[i];
      if (origin.begin >= end) return;
      const std::uint64_t from = std::max(begin, origin.begin), to = std::min(end, origin.end);
      const std::uint64_t first = origin.first_word + (from - origin.begin);
      visit(Words{origin.document, first, first + (to - from)});
    }
  }

 private:
  // The first origin of a document that ends behind the word.
  std::size_t first_from(std::size_t place, std::uint64_t word) const {
    const auto begin = origins_.begin() + static_cast<std::ptrdiff_t>(begins_[place]);
    const auto end = origins_.begin() + static_cast<std::ptrdiff_t>(begins_[place + 1]);
    const auto found =
        std::partition_point(begin, end, [&](const Origin& each) { return each.end <= word; });
    return static_cast<std::size_t>(found - origins_.begin());
  }

  // Adds the words [begin, end) of a passage: those that its first place has from elsewhere, and
  // those in between, which are first there.
  void add(const Passage& passage, std::uint64_t begin, std::uint64_t end) {
    const std::uint32_t document = passage.first.document;
    const std::uint64_t offset = passage.first.first_word - passage.place.first_word;  // may wrap
    std::uint64_t at = begin + offset;  // words in the first place
    const std::uint64_t last = end + offset;
    const auto found = std::ranges::lower_bound(documents_, document, {}, &DocumentCuts::document);
    if (found != documents_.end() && found->document == document) {
      const auto place = static_cast<std::size_t>(found - documents_.begin());
      const std::size_t behind = begins_[place + 1];
      for (std::size_t i = first_from(place, at); i < behind; ++i) {
        const Origin origin = origins_[i];  // a copy, since the list grows
        if (origin.begin >= last) break;
        const std::uint64_t from = std::max(at, origin.begin), to = std::min(last, origin.end);
        if (at < from) append({at - offset, from - offset, document, at});
        append({from - offset, to - offset, origin.document,
                origin.first_word + (from - origin.begin)});
        at = to;
      }
    }
    if (at < last) append({at - offset, end, document, at});
  }

  void append(const Origin& next) {
    if (origins_.size() > begins_.back()) {
      Origin& back = origins_.back();
      if (back.end == next.begin && back.document == next.document &&
          back.first_word + (back.end - back.begin) == next.first_word) {
        back.end = next.end;
        return;
      }
    }
    origins_.push_back(next);
  }

  std::span<const DocumentCuts> documents_;
  std::vector<Origin> origins_;      // of one document after the other, in the order of its words
  std::vector<std::size_t> begins_;  // of those of each document
};

// Returns, for each document, the earliest places of the words that it loses: each place once.
std::vector<Words> lost_words(std::span<const DocumentCuts> documents) {
  const Origins origins(documents);
  std::vector<Words> out, lost;
  for (std::size_t place = 0; place < documents.size(); ++place) {
    lost.clear();
    for (const PassageCut& cut : documents[place].cuts)
      origins.for_each(place, cut.first_word, cut.first_word + cut.words,
                       [&](const Words& words) { lost.push_back(words); });
    std::ranges::sort(lost);
    const std::size_t first = out.size();
    for (const Words& words : lost) {
      if (out.size() > first && out.back().document == words.document &&
          words.begin <= out.back().end)
        out.back().end = std::max(out.back().end, words.end);
      else
        out.push_back(words);
    }
  }
  return out;
}

// A word that very many documents lose.
struct Peak {
  std::uint32_t document = 0;  // the word's earliest place
  std::uint64_t word = 0;
  std::uint64_t documents = 0;  // that lose it, and the one with its earliest place
};

// Returns the words that most documents lose, of each run of words that too many lose; sorted by
// place.
std::vector<Peak> peaks(std::span<const DocumentCuts> documents, std::uint64_t all,
                        std::uint32_t references, const GuardRails& rails) {
  struct Edge {
    std::uint32_t document;
    std::uint64_t word;
    int change;
    auto operator<=>(const Edge&) const = default;
  };
  std::vector<Edge> edges;
  for (const Words& lost : lost_words(documents)) {
    edges.push_back({lost.document, lost.begin, 1});
    edges.push_back({lost.document, lost.end, -1});
  }
  std::ranges::sort(edges);
  std::vector<Peak> out;
  bool is_inside = false;  // the last peak's run goes on
  std::uint64_t losers = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    losers += static_cast<std::uint64_t>(edges[i].change);
    const bool goes_on = i + 1 < edges.size() && edges[i + 1].document == edges[i].document &&
                         edges[i + 1].word == edges[i].word;
    if (goes_on) continue;
    const Peak peak{edges[i].document, edges[i].word,
                    losers + (edges[i].document < references ? 0 : 1)};
    const bool is_too_large = losers > 0 && rails.is_too_large(peak.documents, all);
    if (is_too_large && !is_inside) out.push_back(peak);
    if (is_too_large && peak.documents > out.back().documents) out.back() = peak;
    is_inside = is_too_large;
  }
  return out;
}

// Returns for each peak the cluster that shows it best: of those whose first place has the word,
// the one with the most passages.
std::vector<std::uint64_t> clusters_at(std::span<const Peak> peaks,
                                       std::span<const DocumentCuts> documents) {
  std::vector<std::uint64_t> clusters(peaks.size()), sizes(peaks.size());
  for (const DocumentCuts& document : documents)
    for (const Passage& passage : document.passages) {
      const std::uint64_t begin = passage.first.first_word, end = begin + passage.words;
      auto peak = std::ranges::partition_point(peaks, [&](const Peak& each) {
        return each.document != passage.first.document ? each.document < passage.first.document
                                                       : each.word < begin;
      });
      for (; peak != peaks.end() && peak->document == passage.first.document && peak->word < end;
           ++peak) {
        const auto i = static_cast<std::size_t>(peak - peaks.begin());
        const bool is_better = passage.cluster_size > sizes[i] ||
                               (passage.cluster_size == sizes[i] && passage.cluster < clusters[i]);
        if (!is_better) continue;
        clusters[i] = passage.cluster;
        sizes[i] = passage.cluster_size;
      }
    }
  return clusters;
}

}  // namespace

std::vector<GuardRailBreach> check_guard_rails(const Corpus& corpus, const PassageRemoval& removal,
                                               const GuardRails& rails) {
  using Kind = GuardRailBreach::Kind;
  std::vector<GuardRailBreach> breaches;
  const std::uint64_t documents = removal.counts.documents;
  const std::vector<Peak> found = peaks(removal.documents, documents, corpus.references(), rails);
  const std::vector<std::uint64_t> clusters = clusters_at(found, removal.documents);
  for (std::size_t i = 0; i < found.size(); ++i)
    breaches.push_back(
        {Kind::kPassage, static_cast<std::uint32_t>(clusters[i]), found[i].documents, documents});

  std::vector<std::uint64_t> lost(corpus.sources().size()), all(corpus.sources().size());
  for (const DocumentCuts& document : removal.documents) {
    std::uint64_t words = document.words_left;
    for (const PassageCut& cut : document.cuts) words += cut.words;
    if (document.dropped || rails.is_most(words - document.words_left, words))
      ++lost[corpus.source_of(document.document)];
  }
  for (std::uint32_t document = 0; document < corpus.size(); ++document)
    ++all[corpus.source_of(document)];
  for (std::uint32_t source = 0; source < all.size(); ++source)
    if (rails.loses_too_much(lost[source], all[source]))
      breaches.push_back({Kind::kSource, source, lost[source], all[source]});
  return breaches;
}

}  // namespace benzer
