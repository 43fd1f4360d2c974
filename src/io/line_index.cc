#include "io/line_index.h"

#include <algorithm>
#include <limits>

#include "benzer/error.h"

namespace benzer {

void LineIndex::append(std::uint32_t source, std::uint64_t offset, std::uint64_t lines_before,
                       const ParsedBlock& parsed) {
  if (parsed.documents.size() > std::numeric_limits<std::uint32_t>::max() - size_)
    throw Error(ErrorCode::kBadInput,
                "the inputs hold more than 4294967295 documents; work on them in parts");
  // Copies have just the size they need; the buffers of `parsed` are used again.
  blocks_.push_back({size_, source, offset, lines_before, parsed.documents, parsed.ids});
  if (!parsed.id_hashes.empty()) id_hashes_.push_back(parsed.id_hashes);
  size_ += static_cast<std::uint32_t>(parsed.documents.size());
}

LineIndex::Place LineIndex::at(std::uint32_t document) const noexcept {
  const auto after = std::upper_bound(
      blocks_.begin(), blocks_.end(), document,
      [](std::uint32_t number, const Block& block) { return number < block.first_document; });
  const Block& block = *(after - 1);
  const std::size_t i = document - block.first_document;
  const LineEntry& entry = block.documents[i];
  const std::uint32_t id_begin = i == 0 ? 0 : block.documents[i - 1].id_end;
  return {block.source,
          block.lines_before + entry.line + 1,
          {block.offset + entry.offset, entry.length},
          std::string_view(block.ids).substr(id_begin, entry.id_end - id_begin)};
}

std::uint64_t LineIndex::count_duplicate_ids() {
  std::size_t count = 0;
  for (const auto& part : id_hashes_) count += part.size();
  std::vector<std::uint64_t> hashes;
  hashes.reserve(count);
  for (auto& part : id_hashes_) {
    hashes.insert(hashes.end(), part.begin(), part.end());
    part = {};
  }
  id_hashes_ = {};
  std::sort(hashes.begin(), hashes.end());
  const auto distinct = std::unique(hashes.begin(), hashes.end()) - hashes.begin();
  return count - static_cast<std::uint64_t>(distinct);
}

}  // namespace benzer
