#include "benzer/compare.h"

#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/internal/json.h"
#include "benzer/runtime.h"
#include "benzer/similarity.h"
#include "benzer/sketch.h"

#include "base/weight.h"
#include "engine/explain.h"
#include "engine/hasher.h"
#include "engine/search.h"
#include "engine/traced_field.h"
#include "features/mark_text.h"
#include "store/memory/memory_store.h"

namespace benzer {
namespace {

DocumentHashes hash(const Hasher& hasher, const Document& document, std::string_view name,
                    const std::atomic<bool>* stop) {
  std::string problem = hasher.check(document, false);
  if (!problem.empty())
    throw Error(ErrorCode::kInvalidArgument, fmt::format("'{}': {}", name, problem));
  Hasher::Scratch scratch;
  scratch.stop_when(stop);
  DocumentHashes out;
  problem = hasher.hash_query(document, scratch, out);
  if (!problem.empty()) throw Error(ErrorCode::kBadInput, fmt::format("'{}': {}", name, problem));
  out.id = name;
  return out;
}

std::vector<MarkedPiece> pieces(const FeatureExtractor& extractor, const std::string& name,
                                const Document& document, const FieldHashes* other) {
  std::vector<MarkedPiece> out;
  OverlapCounter lookup(weighting_of(extractor.spec()));
  if (other) lookup.load(other->features);
  for (const Field& field : document.fields) {
    if (field.name != name || extractor.spec().image()) continue;
    const TracedField traced = trace_field(extractor, field);
    std::vector<MarkedShingle> shingles;
    for (std::size_t i = 0; i < traced.pieces.size(); ++i) {
      const TracedField::Piece& piece = traced.pieces[i];
      const bool is_shared = lookup.contains(piece.feature);
      shingles.push_back({piece.begin, piece.end, is_shared});
      if (traced.is_text) continue;
      out.push_back({is_shared ? Mark::kShared : Mark::kOwn, ""});
      if (extractor.spec().is_weighted())
        out.back().weight = field.weights.empty()
                                ? in_units(extractor.occurrence_weight(piece.feature))
                                : field.weights[i];
      append_valid_utf8(out.back().text,
                        std::string_view(traced.text).substr(piece.begin, piece.end - piece.begin));
    }
    if (traced.is_text) out = mark_text(traced.text, 0, traced.text.size(), shingles, true);
  }
  return out;
}

void estimate(const SketchSpec& sketch, const FeatureSpec& features, const FieldHashes& a,
              const FieldHashes& b, const std::atomic<bool>* stop, ComparedField& out) {
  const MinHasher minhasher(sketch, features);
  out.estimate =
      estimate_jaccard(minhasher.sketch(a.features, stop), minhasher.sketch(b.features, stop));
  out.standard_error =
      sketch.has_positions()
          ? standard_error(out.similarity, sketch.slots)
          : standard_error_of_union(out.similarity, sketch.slots, out.overlap.set_union);
}

}  // namespace

ComparedDocuments compare_documents(const Schema& schema, const Document& a, const Document& b,
                                    const std::optional<Threshold>& threshold, ScoreRule score,
                                    const std::atomic<bool>* stop) {
  const Hasher hasher(schema.completed());
  const Schema& completed = hasher.schema();
  const DocumentHashes of_a = hash(hasher, a, "a", stop);
  const DocumentHashes of_b = hash(hasher, b, "b", stop);
  MemoryStore store(hasher.layout());
  {
    const std::unique_ptr<StoreWriter> writer = store.writer();
    writer->add_hashes(of_b);
    writer->commit();
  }
  const std::unique_ptr<StoreReader> reader = store.reader();
  const Search search(completed,
                      {.threshold = threshold, .score = score, .allow_low_recall = true});
  auto [match, is_similar] = search.compare(*reader, of_a, *reader->find("b"));
  Explainer(hasher, search, of_a, nullptr).explain(*reader, match);

  ComparedDocuments out{match.score, search.threshold(), is_similar, *match.found_probability, {}};
  for (const FieldMatch& field : match.fields) {
    throw_if_stopped(stop);
    const std::size_t number = *completed.find(field.field);
    const FeatureSpec& spec = completed.fields[number].features;
    const FieldHashes* own = of_a.find(number);
    const FieldHashes* other = of_b.find(number);
    ComparedField& row = out.fields.emplace_back();
    row.field = field.field;
    row.similarity = field.overlap.jaccard();
    row.overlap = field.overlap;
    row.shares = field.shares;
    row.equal_bands = field.explanation->bands;
    const int bits = spec.hash_bits();
    if (completed.keys) {
      row.keys = field.explanation->keys;
    } else {
      row.bands = bits > 0 ? bits / 16 : completed.banding->bands;
      row.rows = bits > 0 ? 1 : completed.banding->rows;
    }
    std::vector<Search::FieldPair> alone(completed.fields.size());
    alone[number] = {row.similarity, row.overlap.intersection, other ? other->features.size() : 0};
    row.found_probability = search.found_probability(alone);
    if (bits > 0) {
      row.distance = distance_of_score(spec, row.similarity);
    } else if (own && other && !completed.keys) {
      estimate(completed.sketch, spec, *own, *other, stop, row);
    }
    row.a = pieces(hasher.extractor(number), field.field, a, other);
    row.b = pieces(hasher.extractor(number), field.field, b, own);
  }
  return out;
}

}  // namespace benzer
