// Keeps where the lines are that gave no document, in 16 bytes each, for the list of these lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/big_list.h"
#include "base/workspace.h"
#include "io/line_blocks.h"
#include "io/line_source.h"

namespace benzer {

// In memory, or in a temporary file if the workspace has a limit and they are many. Threads: one
// that adds, then any number of readers.
class SkippedLines {
 public:
  // The workspace must outlive the lines.
  explicit SkippedLines(const Workspace& workspace);

  // Adds a range of a source, and notes in the source which of all ranges are its own. Ranges
  // ascend, and come one source after the other.
  void add(LineSource& source, ByteRange range);
  // Called once, after the last range.
  void finish();

  // Reads the ranges of one source after the other. Threads: one.
  class Walk {
   public:
    explicit Walk(const SkippedLines& lines) : cursor_(lines.list_) {}
    // Begins with the first range of the source, which comes after those that were asked for.
    void come_to(const LineSource& source);
    // Returns the next range of the source that begins before `offset`; null if there is none. The
    // pointer is valid until the next call.
    const ByteRange* next(std::uint64_t offset);

   private:
    BigList<ByteRange>::Cursor cursor_;
    std::uint64_t at_ = 0;              // the number of the next range
    std::uint64_t end_ = 0;             // of the source
    const ByteRange* ahead_ = nullptr;  // the next range; null if the cursor is in front of it
  };

 private:
  const Workspace& workspace_;
  std::size_t most_;                   // ranges in memory
  std::vector<ByteRange> last_;        // those that are not in the file
  std::shared_ptr<ScratchFile> file_;  // null: there are no others
  std::uint64_t size_ = 0;
  BigList<ByteRange> list_;  // all, after finish()
};

}  // namespace benzer
