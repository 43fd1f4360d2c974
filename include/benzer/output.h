// An output that appears under its name only when it is whole.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace benzer {

// A regular file is written under a temporary name in the same folder, synced, and renamed by
// commit(); without commit() nothing remains. Devices, pipes and "-" (standard output) are written
// directly and never renamed over. A name that ends in .gz or .zst is compressed.
// Threads: one. Errors: Error(kStorageFailed) with path and reason; a closed pipe is one too.
class OutputFile {
 public:
  // threads: how many the compressor may use.
  explicit OutputFile(const std::string& path, int threads = 1);
  ~OutputFile();
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;

  void write(std::string_view bytes);
  void commit();  // flush, close, sync and rename; call once

  const std::string& path() const noexcept;

  // Is this path written directly, that is "-", a device or a pipe?
  static bool is_direct(const std::string& path);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace benzer
