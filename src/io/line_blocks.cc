#include "io/line_blocks.h"

#include <algorithm>
#include <cstring>

#include "benzer/internal/text.h"

namespace benzer {
namespace {

constexpr std::size_t kSmallestBlock = 16;  // room for a byte order mark

}  // namespace

LineBlockReader::LineBlockReader(std::unique_ptr<ByteStream> stream, std::size_t block_bytes,
                                 std::uint64_t max_line_bytes, RecordEnds ends)
    : stream_(std::move(stream)),
      block_bytes_(std::max(block_bytes, kSmallestBlock)),
      max_line_bytes_(max_line_bytes),
      ends_(ends) {}

void LineBlockReader::reserve(LineBlock& block, std::size_t used, std::size_t capacity) {
  if (block.capacity_ >= capacity) return;
  auto memory = std::make_unique_for_overwrite<char[]>(capacity + kLinePadding);
  if (used > 0) std::memcpy(memory.get(), block.memory_.get(), used);
  block.memory_ = std::move(memory);
  block.capacity_ = capacity;
}

// Reads until the block is full or the stream ends.
void LineBlockReader::fill(LineBlock& block) {
  try {
    while (state_ == State::kOpen && block.end_ < block.capacity_) {
      const std::size_t got =
          stream_->read(block.memory_.get() + block.end_, block.capacity_ - block.end_);
      if (got == 0) state_ = State::kEnded;
      block.end_ += got;
    }
  } catch (const StreamDamage& damage) {
    state_ = State::kDamaged;
    damage_ = damage.what();
  }
}

bool LineBlockReader::skip(std::uint64_t bytes) {
  std::vector<char> buffer(std::size_t{64} << 10);
  try {
    for (offset_ = 0; offset_ < bytes;) {
      const std::size_t got = stream_->read(
          buffer.data(),
          static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), bytes - offset_)));
      if (got == 0) return false;
      offset_ += got;
    }
  } catch (const StreamDamage&) {
    return false;
  }
  at_start_ = bytes == 0;
  return true;
}

bool LineBlockReader::next(LineBlock& block) {
  if (state_ != State::kOpen && carry_.empty() && damage_.empty()) return false;

  block.tail = LineBlock::Tail::kNone;
  block.rest = {};
  block.rest_lines = 0;
  block.rest_ends = block.rest_in_quotes = false;
  block.header = 0;
  block.damage.clear();
  block.begin_ = 0;
  block.end_ = carry_.size();
  reserve(block, 0, std::max(block_bytes_, carry_.size()));
  if (!carry_.empty()) std::memcpy(block.memory_.get(), carry_.data(), carry_.size());
  carry_.clear();
  block.offset = offset_;
  ends_.restart();

  std::size_t searched = 0;  // bytes that hold no end of a record
  std::size_t cut = 0;       // after the last end; 0: none so far
  while (true) {
    fill(block);
    if (at_start_) {
      at_start_ = false;
      if (block.lines().starts_with(kByteOrderMark)) {
        block.begin_ = kByteOrderMark.size();
        block.offset += kByteOrderMark.size();
        searched = block.begin_;
      }
    }
    if (state_ == State::kEnded) break;
    cut = ends_.last({block.memory_.get() + searched, block.end_ - searched});
    if (cut > 0) cut += searched;
    if (state_ == State::kDamaged) break;
    if (cut > 0) {
      carry_.assign(block.memory_.get() + cut, block.memory_.get() + block.end_);
      block.end_ = cut;
      break;
    }
    searched = block.end_;
    const std::uint64_t length = block.end_ - block.begin_;
    if (length > max_line_bytes_) {
      pass_over_line(block);
      break;
    }
    // One byte more than the longest line: its line end.
    const std::uint64_t most = block.begin_ + max_line_bytes_ + 1;
    reserve(block, block.end_,
            static_cast<std::size_t>(std::min<std::uint64_t>(2 * block.capacity_, most)));
  }
  if (!damage_.empty() && block.tail == LineBlock::Tail::kNone)
    end_in_damage(block, std::max(cut, block.begin_));
  offset_ = block.tail == LineBlock::Tail::kNone ? block.offset + block.lines().size()
                                                 : block.rest.offset + block.rest.length;
  std::memset(block.memory_.get() + block.end_, 0, kLinePadding);
  return true;
}

// The block holds the beginning of one record that is too long. Drops it and reads to its end.
void LineBlockReader::pass_over_line(LineBlock& block) {
  block.tail = LineBlock::Tail::kTooLong;
  block.rest = {block.offset, block.end_ - block.begin_};
  block.rest_lines = count_line_ends(block.lines());
  while (true) {
    block.begin_ = block.end_ = 0;
    fill(block);
    const std::size_t end = ends_.first(block.lines());
    const std::string_view part = block.lines().substr(0, end > 0 ? end : block.end_);
    block.rest.length += part.size();
    block.rest_lines += count_line_ends(part);
    block.rest_in_quotes = ends_.in_quotes();
    if (end > 0) {
      block.rest_ends = true;
      carry_.assign(part.end(), block.lines().end());
      break;  // the next block reports damage after this record
    }
    if (state_ == State::kDamaged) {
      block.tail = LineBlock::Tail::kDamaged;
      block.damage = std::move(damage_);
      damage_.clear();
    }
    if (state_ != State::kOpen) break;
  }
  block.end_ = 0;
}

// The last record of a damaged stream is incomplete. Makes it the tail.
void LineBlockReader::end_in_damage(LineBlock& block, std::size_t cut) {
  block.tail = LineBlock::Tail::kDamaged;
  block.rest = {block.offset + (cut - block.begin_), block.end_ - cut};
  block.end_ = cut;
  block.damage = std::move(damage_);
  damage_.clear();
}

}  // namespace benzer
