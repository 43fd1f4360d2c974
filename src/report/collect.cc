#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/features.h"
#include "benzer/runtime.h"
#include "benzer/similarity.h"

#include "base/parallel.h"
#include "report/evidence.h"
#include "report/keep_reason.h"
#include "report/picture_evidence.h"
#include "report/selection.h"
#include "report/sources.h"

namespace benzer {
namespace {

using report::ClusterSummary;
using report::Evidence;

void count_scores(const DedupResult& result, Report& out) {
  ScoreCounts counts(result.counts.config.features.hash_bits());
  for (const ScoredPair& pair : result.below.sample)
    counts.add_below(pair.score, result.below.one_of);
  // If all features of the smaller document are anchors, nothing is left to chance.
  const auto has_all_anchors = [&](const ScoredPair& pair) {
    const std::optional<AnchorPlan>& plan = result.counts.anchors;
    return plan && std::min(result.sizes[pair.a], result.sizes[pair.b]) <=
                       static_cast<std::uint32_t>(plan->anchors);
  };
  result.similar.for_each([&](const ScoredPair& pair) {
    // Without bands no pair is missed.
    counts.add_similar(pair.score,
                       has_all_anchors(pair)
                           ? 1
                           : report::found_probability(result.counts, pair.score).value_or(1));
  });
  report::add_scores(counts, out);
  out.below_one_of = result.below.one_of;
  out.below_is_complete = result.below.is_complete;
}

// Reads the documents that are shown, in parallel. Each task has its own reader, and holds only the
// few documents of one cluster or pair. Images are read beforehand, each once, and kept scaled
// down.
class Collector {
 public:
  Collector(const Corpus& corpus, const DedupOptions& options, const DedupResult& result)
      : corpus_(corpus),
        options_(options),
        result_(result),
        pictures_(result.counts.config.features),
        extractor_(result.counts.config.features, result.counts.frequencies) {}

  void read_pictures(std::vector<std::uint32_t> documents, int threads) {
    documents_ = std::move(documents);
    read_.resize(documents_.size());
    parallel_for(threads, documents_.size(), 4, [&](std::size_t begin, std::size_t end) {
      const auto reader = corpus_.reader();
      for (std::size_t i = begin; i < end; ++i) {
        throw_if_stopped(options_.stop);
        read_[i] = pictures_.read(corpus_, *reader, documents_[i]);
      }
    });
  }

  const Evidence& read_picture(std::uint32_t document) const {
    const auto found = std::lower_bound(documents_.begin(), documents_.end(), document);
    return read_[static_cast<std::size_t>(found - documents_.begin())];
  }

  ReportedCluster cluster(const ClusterSummary& cluster) const {
    const auto reader = corpus_.reader();
    Evidence keeper = read(*reader, cluster.keeper);
    ReportedCluster out;
    out.keeper = keeper.document;
    out.removed = cluster.removed;
    out.equal = cluster.equal;
    out.weakest = cluster.weakest;
    std::vector<Evidence> members;
    for (const std::uint32_t place : cluster.members) {
      const Removal& removal = result_.removed[place];
      members.push_back(read(*reader, removal.document));
      ReportedMember& shown = out.members.emplace_back();
      shown.pair = compare(keeper, members.back(), removal.score);
      if (!result_.links.empty() && result_.links[place].document != cluster.keeper) {
        shown.link = report::reported_document(corpus_, result_.links[place].document);
        shown.link_score = result_.links[place].score;
      }
    }
    out.why_kept =
        report::keep_reason(options_.keep, keeper, members, cluster.keeper < corpus_.references());
    return out;
  }

  ReportedPair pair(const ScoredPair& pair) const {
    const auto reader = corpus_.reader();
    Evidence a = read(*reader, pair.a), b = read(*reader, pair.b);
    return compare(a, b, pair.score);
  }

 private:
  ReportedPair compare(Evidence& a, Evidence& b, double score) const {
    if (!documents_.empty()) return pictures_.compare(a, b, score);
    ReportedPair out;
    out.fields.push_back(report::compare(a, b, extractor_));
    if (options_.measure == Measure::kContainment) out.fields.back().score = score;
    out.a = a.document;
    out.b = b.document;
    out.score = out.fields[0].score;
    return out;
  }

  Evidence read(Corpus::Reader& reader, std::uint32_t document) const {
    throw_if_stopped(options_.stop);
    if (!documents_.empty()) return read_picture(document);
    return report::read_evidence(corpus_, reader, extractor_, document, options_.stop);
  }

  const Corpus& corpus_;
  const DedupOptions& options_;
  const DedupResult& result_;
  report::PictureReader pictures_;
  std::vector<std::uint32_t> documents_;  // images that are shown, ascending; empty for others
  std::vector<Evidence> read_;            // what was read of each image
  FeatureExtractor extractor_;
};

}  // namespace

Report collect_report(Corpus& corpus, const DedupOptions& options, const DedupResult& result,
                      const RunFacts& facts, const std::vector<ScoredPair>* sample) {
  Report out;
  out.run = facts;
  out.version = version();
  const FeatureSpec& features = result.counts.config.features;
  out.values = features.values() != nullptr;
  out.pictures = features.image() != nullptr;
  out.threshold = options.threshold;
  if (features.comparison() == Comparison::kHashes)
    out.distance = distance_of_threshold(features, options.threshold);
  if (!options.config.banding && features.is_sketched()) out.wanted_recall = options.recall;
  out.measure = options.measure;
  out.keep = options.keep;
  out.clustering = options.clustering;
  out.short_policy = options.short_policy;
  out.counts = result.counts;
  out.kept = result.kept;
  out.removed = result.removed.size();
  out.removed_bytes = result.removed_bytes;
  out.clusters = result.clusters;
  report::count_removals(result, out);
  count_scores(result, out);
  report::count_sources(corpus, result, out);

  const std::vector<ClusterSummary> clusters = report::find_clusters(result, out.pictures);
  std::vector<ClusterSummary> shown = report::show_clusters(clusters, out);
  if (sample) {
    shown = clusters;
    for (auto* list : {&out.largest, &out.weakest, &out.any}) list->clear();
  }
  const auto above = report::nearest_similar(result.similar);
  const auto under = report::choose_pairs(result.below.nearest);
  const auto sampled = sample ? *sample : report::sample_removals(result);
  if (out.pictures)
    report::limit_pictures(shown, 2 * (above.size() + under.size() + sampled.size()));

  std::set<std::uint32_t> wanted;
  for (const ClusterSummary& cluster : shown) {
    wanted.insert(cluster.keeper);
    for (const std::uint32_t place : cluster.members) wanted.insert(result.removed[place].document);
  }
  for (const auto* list : {&above, &under, &sampled})
    for (const ScoredPair& pair : *list) wanted.insert({pair.a, pair.b});
  if (options.progress) options.progress({"report", 0, wanted.size()});
  const std::vector<std::uint32_t> documents(wanted.begin(), wanted.end());
  corpus.prepare(documents);

  Collector collector(corpus, options, result);
  const int threads = resolve_threads(options.threads);
  if (out.pictures) {
    collector.read_pictures(documents, threads);
    report::limit_bytes(shown, result, sampled, [&](std::uint32_t document) {
      return collector.read_picture(document).document.picture->jpeg.size();
    });
  }
  out.shown.resize(shown.size());
  parallel_for(threads, shown.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out.shown[i] = collector.cluster(shown[i]);
  });
  for (const auto& [pairs, list] :
       {std::pair{&above, &out.above}, {&under, &out.under}, {&sampled, &out.sample}}) {
    list->resize(pairs->size());
    parallel_for(threads, pairs->size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) (*list)[i] = collector.pair((*pairs)[i]);
    });
  }
  return out;
}

}  // namespace benzer
