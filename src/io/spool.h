// A temporary file without a name for bytes that must be read twice and come only once.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/file.h"
#include "io/byte_stream.h"

namespace benzer {

// Errors: Error(kStorageFailed) that names the folder for temporary files.
class Spool {
 public:
  Spool() : file_(unnamed_temporary_file()) {}
  void append(std::string_view bytes);
  std::uint64_t size() const noexcept { return size_; }
  int fd() const noexcept { return file_.get(); }

 private:
  FileHandle file_;
  std::uint64_t size_ = 0;
};

// Passes the bytes on and keeps a copy in the spool, which must outlive it.
std::unique_ptr<ByteStream> stream_spooled(std::unique_ptr<ByteStream> bytes, Spool& spool);

}  // namespace benzer
