#include "report/passage_choice.h"

#include <algorithm>
#include <utility>

#include "base/int128.h"
#include "base/splitmix.h"

namespace benzer::report {
namespace {

bool has_larger_share(const ChosenDocument& x, const ChosenDocument& y) {
  const Uint128 share_x = static_cast<Uint128>(x.shared_words) * y.words;
  const Uint128 share_y = static_cast<Uint128>(y.shared_words) * x.words;
  if (share_x != share_y) return share_x > share_y;
  return std::tuple(y.shared_words, x.number) < std::tuple(x.shared_words, y.number);
}

bool has_longer_passage(const ChosenDocument& x, const ChosenDocument& y) {
  return std::tuple(y.longest, x.number) < std::tuple(x.longest, y.number);
}

// Gives documents a fixed, pseudo-random order.
bool is_drawn_before(const ChosenDocument& x, const ChosenDocument& y) {
  return splitmix64(x.number) < splitmix64(y.number);
}

// Inserts a document into a list of the first `most` in an order.
template <class Before>
void insert(const ChosenDocument& document, std::size_t most, Before before,
            std::vector<ChosenDocument>& list) {
  if (list.size() == most && !before(document, list.back())) return;
  list.insert(std::ranges::upper_bound(list, document, before), document);
  if (list.size() > most) list.pop_back();
}

// Returns whether the smaller of two passages is mostly inside the other one.
bool overlap(const FrequentPassage& x, const FrequentPassage& y) {
  if (x.first.document != y.first.document) return false;
  const std::uint64_t begin = std::max(x.first.first_word, y.first.first_word);
  const std::uint64_t end = std::min(x.first.first_word + x.words, y.first.first_word + y.words);
  return begin < end && 2 * (end - begin) > std::min(x.words, y.words);
}

}  // namespace

void PassageChoice::add(const Passage& passage) {
  const std::uint32_t document = passage.place.document;
  if (now_.passages > 0 && now_.number != document) end_document();
  now_.number = document;
  now_.words = passage.document_words;
  ++now_.passages;
  now_.longest = std::max(now_.longest, passage.words);
  const std::uint64_t begin = std::max(covered_, passage.place.first_word);
  covered_ = passage.place.first_word + passage.words;
  const std::uint64_t words = covered_ - begin;
  now_.shared_words += words;
  if (now_.kept.size() < kKeptPassages) {
    now_.kept.push_back(passage);
    now_.kept.back().text = {};
  }

  const std::uint32_t first = passage.first.document;
  if (first >= origins_.size()) origins_.resize(std::size_t{first} + 1);
  Count& origin = origins_[first];
  origin.documents += origin.last_document != document;
  origin.last_document = document;
  origin.words += words;

  // A cluster that is among the most frequent ones at the end is so from its first passage on,
  // since each of its passages knows how many there are.
  const Rank rank{~passage.cluster_size, ~passage.first_words, passage.cluster};
  if (clusters_.size() == kKeptClusters && clusters_.rbegin()->first < rank) return;
  auto [found, is_new] = clusters_.try_emplace(
      rank, Cluster{{passage.first, passage.first_words, passage.cluster_size, 0}, ~document});
  Cluster& cluster = found->second;
  cluster.passage.documents += cluster.last_document != document;
  cluster.last_document = document;
  if (clusters_.size() > kKeptClusters) clusters_.erase(std::prev(clusters_.end()));
}

void PassageChoice::end_document() {
  insert(now_, kShownDocuments, has_larger_share, by_share);
  insert(now_, kShownDocuments, has_longer_passage, by_length);
  insert(now_, 3 * kShownDocuments, is_drawn_before, sample);
  now_ = ChosenDocument();
  covered_ = 0;
}

void PassageChoice::finish() {
  if (now_.passages > 0) end_document();
  std::erase_if(sample, [&](const ChosenDocument& document) {
    const auto is_same = [&](const ChosenDocument& other) {
      return other.number == document.number;
    };
    return std::ranges::any_of(by_share, is_same) || std::ranges::any_of(by_length, is_same);
  });
  if (sample.size() > kShownDocuments) sample.resize(kShownDocuments);
}

std::vector<Origin> PassageChoice::origins(std::uint64_t& all) const {
  std::vector<Origin> out;
  all = 0;
  const auto before = [](const Origin& x, const Origin& y) {
    return std::tuple(y.documents, y.words, x.number) < std::tuple(x.documents, x.words, y.number);
  };
  for (std::uint32_t i = 0; i < origins_.size(); ++i) {
    const Count& count = origins_[i];
    if (count.documents == 0) continue;
    ++all;
    const Origin origin{i, count.documents, count.words};
    if (out.size() == kShownOrigins && !before(origin, out.back())) continue;
    out.insert(std::ranges::upper_bound(out, origin, before), origin);
    if (out.size() > kShownOrigins) out.pop_back();
  }
  return out;
}

std::vector<FrequentPassage> PassageChoice::frequent() const {
  std::vector<FrequentPassage> out;
  for (const auto& [rank, cluster] : clusters_) {
    if (out.size() == kFrequentPassages || cluster.passage.places < 2) break;
    const auto is_overlapped = [&, &passage = cluster.passage](const FrequentPassage& other) {
      return overlap(passage, other);
    };
    if (std::ranges::none_of(out, is_overlapped)) out.push_back(cluster.passage);
  }
  return out;
}

}  // namespace benzer::report
