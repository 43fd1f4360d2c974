#include "dedup/distinct_sets.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <numeric>
#include <utility>

#include "benzer/runtime.h"

#include "base/big_list.h"
#include "base/parallel.h"
#include "base/pool.h"
#include "dedup/document.h"
#include "dedup/keep_order.h"
#include "dedup/sketch_pass.h"

namespace benzer {
namespace {

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

// Calls visit(leader, entry) for each entry, with the first entry of its set as the leader.
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

// The documents that take part, in keep order, and what it takes to read them again.
struct OrderedDocuments {
  Corpus& corpus;
  const FeatureExtractor& extractor;
  const SketchTable& table;
  const SimilarityOptions& options;
  std::span<const std::uint32_t> order;
  std::span<const std::uint32_t> place_of;  // of each document in `order`; kNoSet: it is not in it
};

// Reads again the documents that have the same fingerprint as another one, and makes fingerprints
// of them with a secret key.
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

// Returns, for every place in keep order, the place of the first document with the same features.
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

DistinctSets collapse(Corpus& corpus, const FeatureExtractor& extractor, const SketchTable& table,
                      const KeepOrder& keep, const SimilarityOptions& options) {
  DistinctSets sets;
  sets.order = keep_order(corpus, table, keep, options);

  std::vector<std::uint32_t> place_of(table.size(), kNoSet);
  for (std::uint32_t place = 0; place < sets.order.size(); ++place)
    place_of[sets.order[place]] = place;
  const std::vector<std::uint32_t> first =
      first_of_equal({corpus, extractor, table, options, sets.order, place_of});

  sets.is_first.resize(table.size());
  sets.set_of = std::move(place_of);  // every entry that is not kNoSet is overwritten
  for (std::uint32_t place = 0; place < sets.order.size(); ++place) {
    const std::uint32_t document = sets.order[place];
    if (first[place] == place) {
      sets.set_of[document] = sets.size();
      sets.document.push_back(document);
      sets.is_first[document] = true;
      sets.only_references.push_back(true);
    } else {
      sets.set_of[document] = sets.set_of[sets.order[first[place]]];
      if (document >= table.references) ++sets.exact_duplicates;
    }
    if (document >= table.references) sets.only_references[sets.set_of[document]] = false;
  }
  if (options.measure == Measure::kContainment) {
    const std::vector<std::uint32_t> sizes = table.feature_counts();
    for (const std::uint32_t document : sets.document) sets.sizes.push_back(sizes[document]);
  }
  return sets;
}

}  // namespace benzer
