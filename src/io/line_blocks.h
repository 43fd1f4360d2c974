// Cuts a stream of bytes into blocks of whole records, so that blocks can be parsed in parallel. A
// record is a line, or in CSV one or several lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/byte_stream.h"
#include "io/record_ends.h"

namespace benzer {

// Bytes of a source, counted after unpacking.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

// Whole records, and after them possibly one that is too long or incomplete. Reuse blocks, since
// their memory is costly to allocate.
struct LineBlock {
  enum class Tail {
    kNone,
    kTooLong,  // a record beyond the limit; its bytes were skipped
    kDamaged,  // the stream is damaged; `rest` is the record in front, maybe of no length
  };

  std::uint64_t offset = 0;  // of lines() in the source
  std::size_t header = 0;    // bytes at the beginning of lines() that are not records
  Tail tail = Tail::kNone;
  ByteRange rest;                // of the tail, with its line end
  std::uint64_t rest_lines = 0;  // line ends in a tail that is too long
  bool rest_ends = false;        // the tail has a line end
  bool rest_in_quotes = false;   // it has none, because of a quote that is never closed
  std::string damage;            // why the stream cannot be read further

  std::size_t capacity() const noexcept { return capacity_; }
  // Gives the memory back. Views of lines() become invalid.
  void release() noexcept {
    memory_.reset();
    capacity_ = begin_ = end_ = 0;
  }

  // Gives the memory to another block. Views of lines() become invalid; all else stays.
  void give_memory_to(LineBlock& other) noexcept {
    other.memory_ = std::move(memory_);
    other.capacity_ = capacity_;
    capacity_ = begin_ = end_ = 0;
  }

  std::string_view lines() const noexcept { return {memory_.get() + begin_, end_ - begin_}; }

  // Makes this a block without lines, of which only the place is known.
  void restore(std::uint64_t at) {
    offset = at;
    tail = Tail::kNone;
    rest = {};
    damage.clear();
    header = begin_ = end_ = 0;
  }

 private:
  friend class LineBlockReader;
  std::unique_ptr<char[]> memory_;  // capacity_ + kLinePadding bytes
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

// How many bytes after a line a parser may read; it ignores their values.
inline constexpr std::size_t kLinePadding = 64;

class LineBlockReader {
 public:
  // Records of more than max_line_bytes, line end not counted, are not held in memory.
  LineBlockReader(std::unique_ptr<ByteStream> stream, std::size_t block_bytes,
                  std::uint64_t max_line_bytes, RecordEnds ends = {});

  // Skips the first bytes of the stream, which must end with a record. Returns false if the stream
  // has fewer, or is damaged before.
  bool skip(std::uint64_t bytes);
  // Reads the next block. Returns false at the end of the stream, and after a block with damage.
  bool next(LineBlock& block);

  // Whether the blocks so far held the whole stream.
  bool ended() const noexcept { return state_ != State::kOpen && carry_.empty(); }
  // Bytes read from the stream so far.
  std::uint64_t position() const noexcept { return offset_ + carry_.size(); }

 private:
  enum class State { kOpen, kEnded, kDamaged };

  void reserve(LineBlock& block, std::size_t used, std::size_t capacity);
  void fill(LineBlock& block);
  void pass_over_line(LineBlock& block);
  void end_in_damage(LineBlock& block, std::size_t cut);

  std::unique_ptr<ByteStream> stream_;
  std::size_t block_bytes_;
  std::uint64_t max_line_bytes_;
  RecordEnds ends_;
  std::uint64_t offset_ = 0;  // of carry_ in the source
  std::vector<char> carry_;   // the beginning of a record that ends in a later block
  State state_ = State::kOpen;
  bool at_start_ = true;
  std::string damage_;
};

}  // namespace benzer
