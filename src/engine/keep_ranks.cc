#include "engine/keep_ranks.h"

#include <algorithm>
#include <limits>

#include "engine/whole_index.h"

namespace benzer {
namespace {

std::uint32_t count_features(StoreReader& reader, std::uint32_t fields, DocumentNumber document) {
  std::uint64_t size = 0;
  for (std::uint32_t field = 0; field < fields; ++field)
    size += reader.features(document, field).size();
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(size, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

KeepRanks::KeepRanks(const Schema& completed, StoreReader& reader, const Contents& contents,
                     const WholeIndexOptions& options) {
  if (completed.measure != Measure::kContainment || contents.documents().empty()) return;
  const std::span<const DocumentNumber> originals = contents.originals();
  sizes_.resize(std::max(contents.documents().back(), originals.back()) + std::size_t{1});
  const auto fields = static_cast<std::uint32_t>(completed.fields.size());
  struct Piece {
    std::span<const DocumentNumber> documents;
    std::vector<std::uint32_t> sizes;
  };
  for_each_piece<Piece>(
      reader, originals,
      with_all_counted(options, "read", originals.size(), contents.documents().size()),
      [&](StoreReader& own, std::span<const DocumentNumber> of, Piece& piece) {
        piece.documents = of;
        piece.sizes.clear();
        own.prefetch(of);
        for (const DocumentNumber document : of)
          piece.sizes.push_back(count_features(own, fields, document));
      },
      [&](const Piece& piece) {
        for (std::size_t i = 0; i < piece.documents.size(); ++i) {
          const DocumentNumber original = piece.documents[i];
          sizes_[original] = piece.sizes[i];
          contents.for_each(original,
                            [&](DocumentNumber document) { sizes_[document] = piece.sizes[i]; });
        }
      });
}

void KeepRanks::sort(std::span<DocumentNumber> documents) const {
  if (sizes_.empty()) return;
  std::ranges::sort(documents, [&](DocumentNumber a, DocumentNumber b) { return precedes(a, b); });
}

}  // namespace benzer
