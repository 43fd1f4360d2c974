// A file of lines: read through once, then again in part.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/workspace.h"
#include "io/byte_stream.h"
#include "io/content.h"
#include "io/input_list.h"
#include "io/line_blocks.h"

namespace benzer {

// What the first pass learns about a file.
struct LineSource {
  // The files must outlive it.
  LineSource(const InputFiles& inputs, std::size_t place)
      : files(&inputs), at(static_cast<std::uint32_t>(place)) {}
  InputFile file() const { return (*files)[at]; }
  const InputFile& traits() const noexcept { return files->traits(at); }

  const InputFiles* files;
  std::uint32_t at;
  FileIdentity identity;
  Compression compression = Compression::kNone;  // of the file, or of the spool
  std::shared_ptr<ScratchFile> spool;            // of a stream: its bytes
  bool read = false;                             // it could be opened
  std::vector<ByteRange> skipped;                // lines that gave no document

  // Records can be read at their place, without unpacking.
  bool random_access() const noexcept { return compression == Compression::kNone; }
};

// The first pass over a source.
class FirstPass {
 public:
  // A spool lies in the workspace, packed where that is limited.
  FirstPass(LineSource& source, const Workspace& workspace, int standard_input,
            const std::atomic<bool>* stop);
  // Empty if the file can be read, otherwise why not. It looks at the first bytes. summed: the
  // bytes are added up on the way; not for streams.
  std::string open(bool summed = false);
  bool no_text() const noexcept { return no_text_; }  // that is why: the file is no kind of text
  // Must not outlive this.
  std::unique_ptr<ByteStream> take_stream() { return std::move(stream_); }
  // Of what was read so far, if it was summed.
  Content content() const { return sum_ ? sum_->content() : Content(); }
  // Does the file begin with this? Reads so many bytes of it. Throws Error(kBadInput) if it cannot.
  bool begins_with(const Content& content) const;

 private:
  std::string look();

  LineSource& source_;
  const Workspace& workspace_;
  int standard_input_;
  const std::atomic<bool>* stop_;
  FileHandle file_;
  std::optional<ContentSum> sum_;
  std::unique_ptr<ByteStream> stream_;
  bool no_text_ = false;
};

// body(file, its bytes from the beginning), in their order, for files that can be read twice. What
// cannot be read is left out here and told by the scan. Throws Error(kInterrupted).
void for_each_readable_twice(
    const InputFiles& files, const std::atomic<bool>* stop,
    const std::function<void(const InputFile& file, std::unique_ptr<ByteStream> bytes)>& body);

// Bytes of the file at any place. Throws Error(kBadInput) if it is not the file of the first pass
// or cannot be read again, Error(kStorageFailed) if too many files are open. Threads: any number.
class SourceFile {
 public:
  explicit SourceFile(const LineSource& source);
  void read(ByteRange range, char* out) const;  // not for packed sources
  int fd() const noexcept { return source_->spool ? source_->spool->fd() : file_.get(); }
  void check_unchanged() const;

 private:
  const LineSource* source_;
  FileHandle file_;
};

// Ranges of a source in ascending order; packed sources are unpacked on the way.
class SecondPass {
 public:
  explicit SecondPass(const LineSource& source);
  ~SecondPass();
  using Sink = std::function<void(std::string_view bytes)>;
  // The ranges ascend and do not overlap.
  void copy(ByteRange range, const Sink& sink);
  void finish();  // throws Error(kBadInput) if the file was changed meanwhile

 private:
  void refill();

  const LineSource& source_;
  SourceFile file_;
  std::unique_ptr<ByteStream> stream_;  // of packed sources
  std::vector<char> window_;            // bytes of the source from window_offset_ on
  std::size_t window_size_ = 0;
  std::uint64_t window_offset_ = 0;
};

}  // namespace benzer
