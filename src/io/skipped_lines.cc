#include "io/skipped_lines.h"

#include <limits>
#include <utility>

namespace benzer {

SkippedLines::SkippedLines(const Workspace& workspace)
    : workspace_(workspace),
      most_(workspace.limited() ? workspace.share(256) / sizeof(ByteRange)
                                : std::numeric_limits<std::size_t>::max()) {}

void SkippedLines::add(LineSource& source, ByteRange range) {
  const bool is_first = source.skipped_begin == source.skipped_end;
  // Joins adjacent ranges, so that a file without one good line has a single range.
  if (!is_first && last_.back().offset + last_.back().length == range.offset) {
    last_.back().length += range.length;
    return;
  }
  if (last_.size() >= most_) {
    if (!file_) file_ = std::make_shared<ScratchFile>(workspace_);
    file_->append(last_.data(), last_.size() * sizeof(ByteRange));
    last_.clear();
  }
  last_.push_back(range);
  if (is_first) source.skipped_begin = size_;
  source.skipped_end = ++size_;
}

void SkippedLines::finish() {
  if (!file_) {
    list_ = BigList<ByteRange>(std::exchange(last_, {}));
    return;
  }
  file_->append(last_.data(), last_.size() * sizeof(ByteRange));
  std::vector<ByteRange>().swap(last_);
  list_ = BigList<ByteRange>(file_, size_);
}

void SkippedLines::Walk::come_to(const LineSource& source) {
  for (; at_ < source.skipped_begin; ++at_)
    if (!std::exchange(ahead_, nullptr)) cursor_.next();
  end_ = source.skipped_end;
}

const ByteRange* SkippedLines::Walk::next(std::uint64_t offset) {
  if (at_ >= end_) return nullptr;
  if (!ahead_) ahead_ = cursor_.next();
  if (ahead_->offset >= offset) return nullptr;
  ++at_;
  return std::exchange(ahead_, nullptr);
}

}  // namespace benzer
