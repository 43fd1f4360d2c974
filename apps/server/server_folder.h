// The folder in which a server keeps what is its own, and not an index's: tasks, their reports, and
// answers that it may have to repeat.
#pragma once

#include <string>

namespace benzer::server {

class ServerFolder {
 public:
  // root: what is served. The folder is ROOT/.server. If it cannot be there, because the root is
  // not a folder of this machine, or another server uses it, then it is a temporary one. Throws
  // Error(kStorageFailed) if neither can be made.
  explicit ServerFolder(const std::string& root);
  // Removes a temporary folder.
  ~ServerFolder();
  ServerFolder(const ServerFolder&) = delete;
  ServerFolder& operator=(const ServerFolder&) = delete;

  const std::string& path() const noexcept { return path_; }
  // Whether a later server finds what is in it.
  bool is_lasting() const noexcept { return lock_ >= 0; }
  // A file of SQLite for several tables. A damaged one is put aside first.
  std::string database() const { return path_ + "/server.sqlite"; }
  // What was found that somebody should know; empty: nothing.
  const std::string& problem() const noexcept { return problem_; }

 private:
  void put_damaged_aside();

  std::string path_, problem_;
  int lock_ = -1;
};

}  // namespace benzer::server
