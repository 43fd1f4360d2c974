#include "io/line_index.h"

#include <algorithm>
#include <array>
#include <limits>

#include "benzer/error.h"

namespace benzer {

LineIndex::LineIndex(Workspace& workspace)
    : workspace_(workspace), file_(workspace), id_hashes_(workspace, workspace.share(32)) {}

void LineIndex::check_count(std::uint64_t documents) {
  if (documents > std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorCode::kBadInput, "the inputs hold more than 4294967295 documents",
                "work on them in parts");
}

void LineIndex::append(std::uint32_t source, bool is_reference, std::uint64_t offset,
                       std::uint64_t lines_before, const ParsedBlock& parsed) {
  check_count(size_ + std::uint64_t{parsed.documents.size()});
  Block& block = blocks_.emplace_back(Block{size_, source, offset, lines_before, {}, {}});
  block.is_reference = is_reference;
  IdKinds& kinds = is_reference ? kinds_of_references_ : kinds_of_inputs_;
  std::uint32_t id_begin = 0;
  for (const LineEntry& entry : parsed.documents) {
    if (entry.id_end > id_begin)
      kinds.add(std::string_view(parsed.ids).substr(id_begin, entry.id_end - id_begin));
    id_begin = entry.id_end;
  }
  const std::size_t entry_bytes = parsed.documents.size() * sizeof(LineEntry);
  if (workspace_.hold(sizeof(Block) + entry_bytes + parsed.ids.size())) {
    // Copies instead of moving: the copies have no spare capacity, and `parsed` keeps its buffers.
    block.documents = parsed.documents;
    block.ids = parsed.ids;
  } else {
    block.place = file_.append(parsed.documents.data(), entry_bytes);
    file_.append(parsed.ids.data(), parsed.ids.size());
    block.ids_begin = static_cast<std::uint32_t>(entry_bytes);
  }
  for (const std::uint64_t hash : parsed.id_hashes) id_hashes_.add(hash);
  size_ += static_cast<std::uint32_t>(parsed.documents.size());
}

LineIndex::Blocks::const_iterator LineIndex::find_block(std::uint32_t document) const noexcept {
  const auto after = std::upper_bound(
      blocks_.begin(), blocks_.end(), document,
      [](std::uint32_t number, const Block& block) { return number < block.first_document; });
  return after - 1;
}

std::uint32_t LineIndex::end_of_source(std::uint32_t document) const noexcept {
  const auto after = std::upper_bound(
      blocks_.begin(), blocks_.end(), source(document),
      [](std::uint32_t source, const Block& block) { return source < block.source; });
  return after == blocks_.end() ? size_ : after->first_document;
}

LineEntry LineIndex::entry(const Block& block, std::size_t i) const {
  if (block.ids_begin == 0) return block.documents[i];
  LineEntry out;
  file_.read(block.place + i * sizeof out, &out, sizeof out);
  return out;
}

LineIndex::Place LineIndex::place_of(const Block& block, const LineEntry& entry) noexcept {
  return {block.source,
          block.lines_before + entry.line + 1,
          {block.offset + entry.offset, entry.length}};
}

LineIndex::Place LineIndex::at(std::uint32_t document) const {
  const Block& block = block_of(document);
  return place_of(block, entry(block, document - block.first_document));
}

LineIndex::Place LineIndex::Walk::at(std::uint32_t document) {
  if (document < begin_ || document >= end_) {
    const auto found = index_.find_block(document);
    const auto next = found + 1;
    block_ = &*found;
    begin_ = found->first_document;
    end_ = next == index_.blocks_.end() ? index_.size_ : next->first_document;
    entries_ = found->documents.data();
    if (found->ids_begin != 0) {
      loaded_.resize(end_ - begin_);
      index_.file_.read(found->place, loaded_.data(), loaded_.size() * sizeof(LineEntry));
      entries_ = loaded_.data();
    }
  }
  return place_of(*block_, entries_[document - begin_]);
}

LineIndex::Named LineIndex::named(std::uint32_t document) const {
  const Block& block = block_of(document);
  const std::size_t i = document - block.first_document;
  const bool has_previous = i > 0;
  std::array<LineEntry, 2> read;
  const LineEntry* previous = read.data();
  if (block.ids_begin == 0) {
    previous = block.documents.data() + i - has_previous;
  } else {
    file_.read(block.place + (i - has_previous) * sizeof(LineEntry), read.data(),
               (1 + has_previous) * sizeof(LineEntry));
  }
  const LineEntry& entry = previous[has_previous];
  const std::uint32_t begin = has_previous ? previous->id_end : 0;
  const std::uint32_t size = entry.id_end - begin;
  Named out{place_of(block, entry), {}};
  if (size == 0) {
    const IdKinds& beside = block.is_reference ? kinds_of_references_ : kinds_of_inputs_;
    if (beside.has_any) out.id = "null";
  } else if (block.ids_begin == 0) {
    out.id.assign(block.ids, begin, size);
  } else {
    out.id.resize(size);
    file_.read(block.place + block.ids_begin + begin, out.id.data(), size);
  }
  return out;
}

IdKinds LineIndex::id_kinds(bool with_references) const noexcept {
  IdKinds out = kinds_of_inputs_;
  if (with_references) out.add(kinds_of_references_);
  return out;
}

std::uint64_t LineIndex::count_duplicate_ids() {
  std::uint64_t repeats = 0;
  std::uint64_t last = 0;
  bool any = false;
  id_hashes_.finish().for_each([&](std::uint64_t hash) {
    repeats += any && hash == last;
    last = hash;
    any = true;
  });
  return repeats;
}

}  // namespace benzer
