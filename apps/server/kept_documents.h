// Stores the documents of an index exactly as clients sent them. The index itself holds only their
// hashes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace benzer::server {

// An SQLite database. Thread-safe. Methods throw Error(kStorageFailed) or Error(kCorrupt).
class KeptDocuments {
 public:
  struct Row {
    std::string_view id, json;
  };

  static bool is_there(const std::string& file);
  // Creates the file if it does not exist. One that exists is opened when it is first used, so that
  // many indexes that nobody uses have no files open.
  explicit KeptDocuments(const std::string& file);
  ~KeptDocuments();
  KeptDocuments(KeptDocuments&&) noexcept;

  // Stores all rows or none, and syncs them.
  void put(std::span<const Row> rows);
  void remove(std::span<const std::string> ids);
  std::optional<std::string> get(std::string_view id) const;
  struct Size {
    std::uint64_t documents = 0, bytes = 0;
  };
  Size size() const;
  // Throws Error(kCorrupt).
  void verify() const;
  // Writes a copy to a new file.
  void copy_to(const std::string& file) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace benzer::server
