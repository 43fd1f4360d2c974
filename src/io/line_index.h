// Keeps where each document of a corpus of lines is, in 16 bytes a document, and its id.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/big_list.h"
#include "base/workspace.h"
#include "io/id_format.h"
#include "io/line_results.h"

namespace benzer {

// Threads: one writer, then any number of readers.
class LineIndex {
  struct Block {
    std::uint32_t first_document;
    std::uint32_t source;
    std::uint64_t offset;
    std::uint64_t lines_before;
    // In memory, or in the file: the entries, then the ids.
    std::vector<LineEntry> documents;
    std::string ids;
    std::uint64_t place = 0;
    std::uint32_t ids_begin = 0;  // after the place; 0: the block is in memory
    bool is_reference = false;
  };

 public:
  // Throws Error(kBadInput) for more documents than can be numbered.
  static void check_count(std::uint64_t documents);

  // The bytes of a block of lines that always stay in memory.
  static constexpr std::size_t kBytesOfBlock = sizeof(Block);

  // With a memory limit, the index takes at most a sixteenth of it.
  static constexpr std::size_t kPartOfLimit = 16;

  // The workspace must outlive the index.
  explicit LineIndex(Workspace& workspace);

  struct Place {
    std::uint32_t source = 0;
    std::uint64_t line = 0;  // 1-based
    ByteRange range;         // with the line end
  };

  // Adds the documents of a block that begins at `offset` of the source, after `lines_before`
  // lines. is_reference: the source is one of the references.
  void append(std::uint32_t source, bool is_reference, std::uint64_t offset,
              std::uint64_t lines_before, const ParsedBlock& parsed);

  std::uint32_t size() const noexcept { return size_; }
  Place at(std::uint32_t document) const;
  // Finds the places of many documents, of which most are near the one before, for less than at().
  class Walk;
  std::uint32_t source(std::uint32_t document) const noexcept { return block_of(document).source; }
  // The first document after `document` that is of another source, or size().
  std::uint32_t end_of_source(std::uint32_t document) const noexcept;
  struct Named {
    Place place;
    // One JSON token. Of a document without an id it is empty, but "null" if another one of the
    // references, or of the inputs, has one: its number could be the id of another document.
    std::string id;
  };
  Named named(std::uint32_t document) const;
  // What the ids of the inputs are, and of the references.
  IdKinds id_kinds(bool with_references) const noexcept;

  // The number of documents whose id an earlier document has, compared by 64-bit hash. Can be
  // called once, since it uses up the hashes.
  std::uint64_t count_duplicate_ids();

 private:
  using Blocks = std::deque<Block>;  // grows without copying all blocks

  Blocks::const_iterator find_block(std::uint32_t document) const noexcept;
  const Block& block_of(std::uint32_t document) const noexcept { return *find_block(document); }
  static Place place_of(const Block& block, const LineEntry& entry) noexcept;
  LineEntry entry(const Block& block, std::size_t i) const;

  Workspace& workspace_;
  Blocks blocks_;
  ScratchFile file_;
  Sorter<std::uint64_t> id_hashes_;
  std::uint32_t size_ = 0;
  IdKinds kinds_of_references_, kinds_of_inputs_;
};

// The index must outlive it, and must not change. Threads: one.
class LineIndex::Walk {
 public:
  explicit Walk(const LineIndex& index) : index_(index) {}
  Place at(std::uint32_t document);

 private:
  const LineIndex& index_;
  const Block* block_ = nullptr;  // the one that has the documents [begin_, end_)
  std::uint32_t begin_ = 0, end_ = 0;
  const LineEntry* entries_ = nullptr;  // of the block
  std::vector<LineEntry> loaded_;       // if it is in the file
};

}  // namespace benzer
