// Keeps copies of the documents that will be read again, if their source cannot be read at random.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/workspace.h"
#include "io/line_blocks.h"

namespace benzer {

// In a temporary file, which is made with the first copy, and 12 bytes of memory each. Documents
// are added in ascending order. Threads: one that adds, then any number that write and read.
class DocumentCopies {
 public:
  explicit DocumentCopies(const Workspace& workspace) : file_(workspace) {}

  void add(std::uint32_t document, std::string_view bytes);
  // Makes room for a copy that is written later. All documents are added in the same way.
  void reserve(std::uint32_t document, std::uint64_t size);
  // Writes bytes in the room that was made.
  void write(std::uint64_t offset, std::string_view bytes) {
    file_.write(offset, bytes.data(), bytes.size());
  }

  std::span<const std::uint32_t> documents() const noexcept { return documents_; }
  // Returns where the i-th of the documents begins in the file. It ends where the next one begins.
  std::uint64_t offset(std::size_t i) const noexcept { return offsets_[i]; }

  // Returns where the document is in the file; nothing if it has no copy.
  std::optional<ByteRange> find(std::uint32_t document) const noexcept;
  void read(std::uint64_t offset, void* out, std::size_t size) const {
    file_.read(offset, out, size);
  }

 private:
  std::vector<std::uint32_t> documents_;
  std::vector<std::uint64_t> offsets_;
  ScratchFile file_;
};

// Throws Error(kInvalidArgument).
[[noreturn]] void throw_not_prepared(std::uint32_t document);

}  // namespace benzer
