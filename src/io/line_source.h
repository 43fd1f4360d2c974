// Reads a file of lines: once from front to back, then parts of it again.
#pragma once

#include <atomic>
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
  // The files must outlive it. stop_flag: when it turns true, reading the file ends with
  // Error(kInterrupted); may be null.
  LineSource(const InputFiles& inputs, std::size_t place,
             const std::atomic<bool>* stop_flag = nullptr)
      : files(&inputs), at(static_cast<std::uint32_t>(place)), stop(stop_flag) {}
  InputFile file() const { return (*files)[at]; }
  const InputFile& traits() const noexcept { return files->traits(at); }

  const InputFiles* files;
  std::uint32_t at;
  const std::atomic<bool>* stop;
  FileIdentity identity;
  Compression compression = Compression::kNone;  // of the file, or of the spool
  std::shared_ptr<ScratchFile> spool;            // a copy of the bytes of a stream
  bool read = false;                             // it could be opened, and may be records
  // Which of the ranges in SkippedLines are lines of this file that gave no document.
  std::uint64_t skipped_begin = 0, skipped_end = 0;

  // Whether records can be read at their place, without unpacking.
  bool random_access() const noexcept { return compression == Compression::kNone; }
};

// The first pass over a source.
class FirstPass {
 public:
  // The spool of a stream is in the workspace, and packed if the workspace has a limit.
  FirstPass(LineSource& source, const Workspace& workspace, int standard_input);
  // Opens the file and looks at its first bytes. Returns an empty string, or why the file cannot be
  // read. With `summed`, computes the content of the bytes that are read, but not for streams.
  std::string open(bool summed = false);
  bool no_text() const noexcept { return no_text_; }  // open() failed because the file is not text
  // The stream must not outlive this object.
  std::unique_ptr<ByteStream> take_stream() { return std::move(stream_); }
  // The content of the bytes read so far, if open() was told to sum them.
  Content content() const { return sum_ ? sum_->content() : Content(); }
  // Whether the file begins with this content. Reads that many bytes of the file. Throws
  // Error(kBadInput) if they cannot be read.
  bool begins_with(const Content& content) const;

 private:
  std::string look();

  LineSource& source_;
  const Workspace& workspace_;
  int standard_input_;
  FileHandle file_;
  std::optional<ContentSum> sum_;
  std::unique_ptr<ByteStream> stream_;
  bool no_text_ = false;
};

// Calls body(file, its bytes from the beginning), in order, for the files that can be read twice.
// Skips files that cannot be read; the scan reports them. Throws Error(kInterrupted).
void for_each_readable_twice(
    const InputFiles& files, const std::atomic<bool>* stop,
    const std::function<void(const InputFile& file, std::unique_ptr<ByteStream> bytes)>& body);

// Reads bytes of a file at any place. Throws Error(kBadInput) if it is not the file of the first
// pass or cannot be read again, Error(kStorageFailed) if too many files are open. Threads: any
// number.
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

// Reads ranges of a source in ascending order; packed sources are unpacked on the way.
class SecondPass {
 public:
  explicit SecondPass(const LineSource& source);
  ~SecondPass();
  using Sink = std::function<void(std::string_view bytes)>;
  // Passes the bytes of a range to `sink`. The ranges ascend and do not overlap.
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
