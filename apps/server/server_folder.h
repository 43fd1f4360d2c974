// The folder in which a server keeps what is its own, and not an index's: tasks, their reports, and
// answers that it may have to repeat.
#pragma once

#include <string>

namespace benzer::server {

class ServerFolder {
 public:
  // root: what is served. The folder is ROOT/.server. If that cannot be used, because the root is
  // no folder of this machine, another server has it, or its disk is full or damaged, then a
  // temporary one takes its place, and without any there are only tables in memory, and no reports:
  // that is no reason not to serve indexes.
  explicit ServerFolder(const std::string& root);
  // Removes a temporary folder.
  ~ServerFolder();
  ServerFolder(const ServerFolder&) = delete;
  ServerFolder& operator=(const ServerFolder&) = delete;

  // A file of SQLite for several tables.
  std::string database() const;
  // May not be there yet.
  std::string reports() const { return path_ + "/reports"; }
  // What somebody should know, in a sentence; empty: nothing.
  const std::string& problem() const noexcept { return problem_; }

 private:
  void open_lasting(const std::string& root);
  void open_temporary();
  void put_damaged_aside();

  std::string path_, problem_;  // no path: there is no folder
  int lock_ = -1;
  bool is_temporary_ = true;
};

}  // namespace benzer::server
