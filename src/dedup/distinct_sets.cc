#include "dedup/distinct_sets.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "base/big_list.h"
#include "base/parallel.h"
#include "base/pool.h"
#include "dedup/document.h"
#include "dedup/sketch_pass.h"

namespace benzer {
namespace {

std::string_view last_part(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos || slash + 1 == path.size() ? path
                                                                     : path.substr(slash + 1);
}

// The rank of every source: its place among the names, or behind them all. A name means the input
// that was given so; if none was, those whose last part it is.
std::vector<std::size_t> rank_sources(std::span<const std::string> sources, const KeepRule& rule) {
  std::vector<std::size_t> ranks(sources.size(), rule.names.size());
  for (std::size_t rank = 0; rank < rule.names.size(); ++rank) {
    const std::string& name = rule.names[rank];
    const bool whole = std::find(sources.begin(), sources.end(), name) != sources.end();
    bool found = false;
    for (std::size_t s = 0; s < sources.size(); ++s) {
      if ((whole ? std::string_view(sources[s]) : last_part(sources[s])) != name) continue;
      found = true;
      ranks[s] = std::min(ranks[s], rank);
    }
    if (!found)
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format(
              "the keep rule names the source '{}', but no input has this name; the inputs are {}",
              name, fmt::join(sources.first(std::min<std::size_t>(sources.size(), 10)), ", ")));
  }
  return ranks;
}

template <class Less>
void sort_by(std::vector<std::uint32_t>& order, Less less) {
  std::stable_sort(order.begin(), order.end(), less);
}

// The rules as stable sorts, the last one first, so that each only orders what those before it
// leave equal.
class KeepSorter {
 public:
  KeepSorter(const Corpus& corpus, const SketchTable& table, const KeepOrder& keep)
      : corpus_(corpus), table_(table), keep_(keep), fields_(keep.fields()) {}

  void sort(std::vector<std::uint32_t>& order) const {
    for (auto rule = keep_.rules.rbegin(); rule != keep_.rules.rend(); ++rule) apply(*rule, order);
  }

 private:
  void apply(const KeepRule& rule, std::vector<std::uint32_t>& order) const {
    switch (rule.kind) {
      case KeepRule::Kind::kFirst:
        break;
      case KeepRule::Kind::kLast:
        std::reverse(order.begin(), order.end());
        break;
      case KeepRule::Kind::kLongest:
      case KeepRule::Kind::kShortest:
        sort_by_bytes(rule.kind == KeepRule::Kind::kLongest, order);
        break;
      case KeepRule::Kind::kMax:
      case KeepRule::Kind::kMin:
        sort_by_number(rule, order);
        break;
      case KeepRule::Kind::kSource: {
        const std::vector<std::size_t> ranks = rank_sources(corpus_.sources(), rule);
        const auto rank = [&](std::uint32_t d) { return ranks[corpus_.source_of(d)]; };
        sort_by(order, [&](std::uint32_t x, std::uint32_t y) { return rank(x) < rank(y); });
        break;
      }
    }
  }

  void sort_by_bytes(bool longest, std::vector<std::uint32_t>& order) const {
    auto facts = table_.facts();
    std::vector<std::uint64_t> bytes(table_.size());
    for (std::uint32_t d = 0; d < table_.size(); ++d) bytes[d] = facts.row(d)->bytes;
    sort_by(order, [&](std::uint32_t x, std::uint32_t y) {
      return longest ? bytes[x] > bytes[y] : bytes[x] < bytes[y];
    });
  }

  void sort_by_number(const KeepRule& rule, std::vector<std::uint32_t>& order) const {
    const auto field = static_cast<std::size_t>(
        std::find(fields_.begin(), fields_.end(), rule.field) - fields_.begin());
    const bool largest = rule.kind == KeepRule::Kind::kMax;
    auto rows = table_.numbers();
    std::vector<long double> numbers(table_.size());
    for (std::uint32_t d = 0; d < table_.size(); ++d) numbers[d] = rows.row(d)[field];
    sort_by(order, [&](std::uint32_t x, std::uint32_t y) {
      if (std::isnan(numbers[x]) || std::isnan(numbers[y]))
        return !std::isnan(numbers[x]) && std::isnan(numbers[y]);
      return largest ? numbers[x] > numbers[y] : numbers[x] < numbers[y];
    });
  }

  const Corpus& corpus_;
  const SketchTable& table_;
  const KeepOrder& keep_;
  std::vector<std::string> fields_;
};

std::vector<std::uint32_t> keep_order(const Corpus& corpus, const SketchTable& table,
                                      const KeepOrder& keep, ShortPolicy short_policy) {
  std::vector<std::uint32_t> order;
  order.reserve(table.size());
  auto all_facts = table.facts();
  for (std::uint32_t document = 0; document < table.size(); ++document) {
    const DocumentFacts& facts = *all_facts.row(document);
    if (facts.features == 0) continue;
    if (facts.is_short && short_policy != ShortPolicy::kExact) continue;
    order.push_back(document);
  }
  KeepSorter(corpus, table, keep).sort(order);
  if (table.references > 0)
    std::stable_partition(order.begin(), order.end(),
                          [&](std::uint32_t document) { return document < table.references; });
  return order;
}

// A document that may be equal to others.
struct Entry {
  FeatureFingerprint fingerprint;
  std::uint32_t features;
  std::uint32_t place;  // in keep order
  auto operator<=>(const Entry&) const = default;
  bool same_set(const Entry& other) const {
    return fingerprint == other.fingerprint && features == other.features;
  }
};

// visit(leader, entry) for each entry and the first one of its set.
template <class Visit>
void for_each_of_equal(const BigList<Entry>& sorted, Visit visit) {
  Entry leader{};
  bool any = false;
  sorted.for_each([&](const Entry& entry) {
    if (!any || !entry.same_set(leader)) leader = entry;
    any = true;
    visit(leader, entry);
  });
}

// The documents that take part, in keep order, and what reads them again.
struct OrderedDocuments {
  Corpus& corpus;
  const FeatureExtractor& extractor;
  const SketchTable& table;
  const SimilarityOptions& options;
  std::span<const std::uint32_t> order;
  std::span<const std::uint32_t> place_of;  // of each document in `order`; kNoSet: not there
};

// Reads the documents that have a fingerprint in common with another one again, and gives them
// fingerprints of a key that nobody knows.
BigList<Entry> fingerprint_again(const OrderedDocuments& all, const BigList<Entry>& entries) {
  std::vector<std::uint32_t> documents;
  for_each_of_equal(entries, [&, taken = false](const Entry& leader, const Entry& entry) mutable {
    if (leader.place == entry.place) {
      taken = false;
      return;
    }
    if (!std::exchange(taken, true)) documents.push_back(all.order[leader.place]);
    documents.push_back(all.order[entry.place]);
  });
  std::sort(documents.begin(), documents.end());
  all.corpus.prepare(documents);

  struct Worker {
    std::unique_ptr<Corpus::Reader> reader;
    FeatureBuffer buffer;
    std::vector<Entry> entries;
  };
  constexpr std::size_t kDocumentsPerPiece = 512;
  const Fingerprinter fingerprinter(true);
  Pool<Worker> workers;
  std::mutex mutex;
  Sorter<Entry> sorter(all.table.workspace(), all.table.workspace().share(16));
  const auto read = [&](std::size_t begin, std::size_t end) {
    std::unique_ptr<Worker> worker = workers.take([&] {
      return std::make_unique<Worker>(
          Worker{all.corpus.reader(), FeatureBuffer(all.options.stop), {}});
    });
    for (std::size_t i = begin; i < end; ++i) {
      throw_if_stopped(all.options.stop);
      const DocumentView view = worker->reader->read(documents[i]);
      Entry entry{fingerprinter.of_none(fingerprinter.group(view.group)), 0,
                  all.place_of[documents[i]]};
      const auto add = [&](std::span<const std::uint64_t> features) {
        fingerprinter.add(features, entry.fingerprint);
        entry.features += static_cast<std::uint32_t>(features.size());
      };
      extract_features(all.extractor, view, worker->buffer, std::ref(add));
      worker->entries.push_back(entry);
    }
    {
      const std::lock_guard lock(mutex);
      for (const Entry& entry : worker->entries) sorter.add(entry);
    }
    worker->entries.clear();
    workers.give(std::move(worker));
  };
  parallel_for(resolve_threads(all.options.threads), documents.size(), kDocumentsPerPiece, read);
  return sorter.finish();
}

// The place in keep order of the first document with the same features, for every place.
std::vector<std::uint32_t> first_of_equal(const OrderedDocuments& all) {
  const SketchTable& table = all.table;
  Sorter<Entry> sorter(table.workspace(), table.workspace().share(16));
  auto facts = table.facts();
  for (std::uint32_t document = 0; document < table.size(); ++document) {
    if (all.place_of[document] == kNoSet) continue;
    const DocumentFacts& known = *facts.row(document);
    sorter.add({known.fingerprint, known.features, all.place_of[document]});
  }
  BigList<Entry> entries = sorter.finish();
  if (!table.has_secret_fingerprints) entries = fingerprint_again(all, entries);
  std::vector<std::uint32_t> first(all.order.size());
  std::iota(first.begin(), first.end(), 0);
  for_each_of_equal(
      entries, [&](const Entry& leader, const Entry& entry) { first[entry.place] = leader.place; });
  return first;
}

}  // namespace

void check_keep(const Corpus& corpus, const KeepOrder& keep) {
  for (const KeepRule& rule : keep.rules)
    if (rule.kind == KeepRule::Kind::kSource) rank_sources(corpus.sources(), rule);
}

DistinctSets collapse(Corpus& corpus, const FeatureExtractor& extractor, const SketchTable& table,
                      const KeepOrder& keep, const SimilarityOptions& options) {
  DistinctSets sets;
  sets.order = keep_order(corpus, table, keep, options.short_policy);

  std::vector<std::uint32_t> place_of(table.size(), kNoSet);
  for (std::uint32_t place = 0; place < sets.order.size(); ++place)
    place_of[sets.order[place]] = place;
  const std::vector<std::uint32_t> first =
      first_of_equal({corpus, extractor, table, options, sets.order, place_of});

  sets.set_of = std::move(place_of);  // of the documents that take part, every one is overwritten
  for (std::uint32_t place = 0; place < sets.order.size(); ++place) {
    const std::uint32_t document = sets.order[place];
    if (first[place] == place) {
      sets.set_of[document] = sets.size();
      sets.document.push_back(document);
      sets.only_references.push_back(true);
    } else {
      sets.set_of[document] = sets.set_of[sets.order[first[place]]];
      if (document >= table.references) ++sets.exact_duplicates;
    }
    if (document >= table.references) sets.only_references[sets.set_of[document]] = false;
  }
  return sets;
}

}  // namespace benzer
