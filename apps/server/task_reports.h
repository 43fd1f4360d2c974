// Stores the reports of deduplications, in each of their forms.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dedup_report.h"

namespace benzer::server {

// Files in a folder. Thread-safe.
class TaskReports {
 public:
  explicit TaskReports(std::string folder) : folder_(std::move(folder)) {}

  // Writes all forms of a report or none, in place of an earlier one of this task. Drops the oldest
  // of other tasks if there are too many. Throws Error(kStorageFailed), and Error(kInterrupted)
  // soon after `stop` turns true.
  void write(const std::string& task, const DedupFindings& findings,
             const std::atomic<bool>* stop = nullptr);
  // form: "json", "ndjson" or "html". Returns the pieces of the report, until nothing is left; or
  // nothing if there is none.
  using Pieces = std::function<std::optional<std::string>()>;
  std::optional<Pieces> read(const std::string& task, std::string_view form) const;
  void remove(const std::string& task);
  // Returns the tasks that have reports.
  std::set<std::string> tasks() const;
  // Removes what a killed server has left half-written. Called when no report is being written.
  void sweep();

 private:
  std::string file(const std::string& task, std::string_view form) const;
  std::vector<std::filesystem::path> files() const;
  void drop_old();

  std::string folder_;
};

}  // namespace benzer::server
