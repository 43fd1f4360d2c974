// Draws documents of an index at random, and estimates how similar its documents are and how full
// its buckets.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "benzer/index.h"

#include "base/splitmix.h"
#include "engine/attributes.h"
#include "engine/contents.h"
#include "engine/search.h"
#include "engine/whole_index.h"

namespace benzer {
namespace {

constexpr std::size_t kBins = 20;
// At most this many of the documents that share a key with a drawn one are looked at. If there are
// more, only every n-th is, and counts n times.
constexpr std::size_t kMostLookedAt = 512;

std::size_t step_through(std::size_t size) { return (size + kMostLookedAt - 1) / kMostLookedAt; }

// Draws `count` of the documents, by as many steps of a Fisher-Yates shuffle.
std::vector<DocumentNumber> draw(std::vector<DocumentNumber> documents, std::size_t count,
                                 std::uint64_t seed) {
  std::uint64_t state = splitmix64(seed);
  count = std::min(count, documents.size());
  for (std::size_t i = 0; i < count; ++i, state += kSplitmixStep)
    std::swap(documents[i], documents[i + splitmix64(state) % (documents.size() - i)]);
  documents.resize(count);
  return documents;
}

// An original that shares a key with a drawn document, and how many documents it counts for: itself
// and its copies, or all of these but the drawn one.
struct Met {
  DocumentNumber original;
  std::uint64_t documents;
  friend auto operator<=>(const Met&, const Met&) = default;
};

class BucketCounter {
 public:
  BucketCounter(const HashLayout& layout, double weight) : layout_(layout), weight_(weight) {}

  // Counts the buckets of one field of a drawn document. met: the originals that share a key with
  // it, its own among them.
  void count(StoreReader& reader, const FieldHashes& field, std::span<const Met> met,
             SampleFigures& out) {
    const std::size_t step = step_through(met.size());
    std::vector<std::uint64_t> sizes(field.keys.size());
    for (std::size_t i = 0; i < met.size(); i += step) {
      const DocumentHashes other = reader.get_hashes(met[i].original);
      for (const FieldHashes& theirs : other.fields)
        if (theirs.field == field.field) add(field.keys, theirs.keys, met[i].documents, sizes);
    }
    for (std::size_t band = 0; band < sizes.size(); ++band) {
      if (!layout_.is_key(field.keys[band])) continue;
      const std::uint64_t size = std::max<std::uint64_t>(1, sizes[band] * step);
      std::uint64_t to = 1;
      while (to < size) to *= 2;
      SampleFigures::Buckets& row = rows_[to];
      ++row.entries;
      // A bucket is met once for each drawn document in it, so large ones are met more often.
      row.buckets += weight_ / static_cast<double>(size);
      out.largest_bucket = std::max(out.largest_bucket, size);
    }
  }

  std::vector<SampleFigures::Buckets> rows() const {
    std::vector<SampleFigures::Buckets> out;
    for (auto [to, row] : rows_) {
      row.from = to / 2 + 1;
      row.to = to;
      row.entries =
          static_cast<std::uint64_t>(std::llround(weight_ * static_cast<double>(row.entries)));
      row.buckets = std::round(row.buckets);
      out.push_back(row);
    }
    return out;
  }

 private:
  void add(const std::vector<std::uint32_t>& own, const std::vector<std::uint32_t>& theirs,
           std::uint64_t documents, std::vector<std::uint64_t>& sizes) const {
    for (std::size_t band = 0; band < own.size(); ++band) {
      if (!layout_.is_key(own[band])) continue;
      const bool is_shared = layout_.one_table
                                 ? std::binary_search(theirs.begin(), theirs.end(), own[band])
                                 : own[band] == theirs[band];
      if (is_shared) sizes[band] += documents;
    }
  }

  HashLayout layout_;
  double weight_;
  std::map<std::uint64_t, SampleFigures::Buckets> rows_;  // by the largest size of the class
};

// Estimates how many of the documents are similar to the query.
std::uint64_t count_similar(StoreReader& reader, const Search& search, const DocumentHashes& query,
                            std::vector<Met> candidates) {
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  const std::size_t step = step_through(candidates.size());
  std::vector<DocumentNumber> some;
  for (std::size_t i = 0; i < candidates.size(); i += step) some.push_back(candidates[i].original);
  const std::vector<Search::Compared> compared = search.compare_all(reader, query, some);
  std::uint64_t out = 0, all = 0;
  for (const Met& one : candidates) all += one.documents;
  for (std::size_t i = 0; i < some.size(); ++i)
    if (compared[i].score >= search.threshold().value())
      out += step * candidates[i * step].documents;
  return std::min(out, all);
}

std::vector<DocumentNumber> documents_of(StoreReader& reader,
                                         const std::optional<Contents>& contents) {
  if (!contents) return documents_in_order(reader);
  return {contents->documents().begin(), contents->documents().end()};
}

}  // namespace

SampleFigures Index::sample(std::uint32_t documents, std::uint64_t seed,
                            const std::atomic<bool>* stop) const {
  const Search search(schema(), {.stop = stop});
  const std::unique_ptr<StoreReader> reader = WholeIndex::reader(*this, stop);
  // Without documents that may expire, the contents would cost a look at each record.
  std::optional<Contents> contents;
  const AttributeFilter live(schema());
  if (live.is_needed()) contents.emplace(*reader, live);
  std::vector<DocumentNumber> all = documents_of(*reader, contents);
  const std::size_t size = all.size();
  const std::vector<DocumentNumber> drawn = draw(std::move(all), documents, seed);
  SampleFigures out;
  out.documents = drawn.size();
  out.scores.assign(kBins, 0);
  BucketCounter counter(
      layout_of(schema()),
      static_cast<double>(size) / static_cast<double>(std::max<std::size_t>(1, drawn.size())));
  std::vector<std::vector<DocumentNumber>> found(1);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    throw_if_stopped(stop);
    const DocumentHashes hashes = reader->get_hashes(drawn[i]);
    const std::span<const DocumentNumber> others = std::span(drawn).subspan(i + 1);
    for (const Search::Compared& one : search.compare_all(*reader, hashes, others)) {
      const auto bin = static_cast<std::size_t>(one.score * kBins);
      ++out.scores[std::min(bin, kBins - 1)];
      ++out.pairs;
    }
    const DocumentNumber own = reader->original(drawn[i]);
    std::vector<Met> candidates;
    for (const FieldHashes& field : hashes.fields) {
      const FieldHashes* asked = &field;
      reader->get_ids({&asked, 1}, found);
      std::vector<Met> met;
      for (const DocumentNumber original : found[0]) {
        const std::uint64_t all_of_it =
            contents ? contents->count(original) : 1 + reader->count_copies(original);
        if (all_of_it == 0) continue;  // it has expired
        met.push_back({original, all_of_it});
        const std::uint64_t other_ones = all_of_it - (original == own ? 1 : 0);
        out.candidates += other_ones;
        if (other_ones > 0) candidates.push_back({original, other_ones});
      }
      counter.count(*reader, field, met, out);
    }
    out.similar += count_similar(*reader, search, hashes, std::move(candidates));
  }
  out.buckets = counter.rows();
  return out;
}

}  // namespace benzer
