// Creates, finds, reopens and removes the indexes in one folder, by their names.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "benzer/error.h"
#include "benzer/index.h"

#include "served_index.h"

namespace benzer::server {

// Whether an index may have this name.
bool is_index_name(std::string_view name);

// Thread-safe.
class ServedIndexes {
 public:
  // Called with each new problem of an index's background work, from any thread.
  using Report = std::function<void(std::string_view name, std::string_view problem)>;
  // root is a folder with indexes in it, or an index. seed is the default for the features of new
  // indexes; without it, a random seed is drawn for each. open: how indexes are opened. Throws
  // Error(kNotFound).
  explicit ServedIndexes(const std::string& root, std::optional<std::uint64_t> seed = {},
                         Report report = {}, OpenOptions open = {});
  ~ServedIndexes();

  const std::string& root() const noexcept { return root_; }

  // Throws Problem(404), or Problem(500) or Problem(503) for an index that could not be opened.
  std::shared_ptr<ServedIndex> find(std::string_view name);
  struct State {
    std::string name;
    std::shared_ptr<ServedIndex> served = {};  // null: it could not be opened
    std::string problem = {};                  // why
    ErrorCode why = ErrorCode::kCorrupt;
    // Whether opening it may succeed later: another process has it open, or its storage does not
    // respond.
    bool may_come() const noexcept;
    // "ready", "busy", "unavailable" or "damaged".
    std::string_view state() const noexcept;
  };
  std::vector<State> list() const;
  // Names and states of those that could not be opened. The caller becomes no user of an index, the
  // last of which may have to wait for the disk.
  std::vector<std::pair<std::string, std::string>> list_unserved() const;
  // Returns whether the index was created; false if it exists with this schema. Throws Problem(409)
  // if it exists with another one. draws_seeds: fields with the seed 0 get the seed of new indexes,
  // and match any seed of an existing index.
  bool create(const std::string& name, Schema schema, bool keeps, bool draws_seeds);
  // forget: removes what is kept of the index beside it. Called once the index has left, and before
  // another one can have its name.
  void remove(const std::string& name, const std::function<void()>& forget);
  // Ends the removals that the end of the process cut off. Called before the first request.
  void finish_removals(const std::function<void(std::string_view name)>& forget);
  // The folder for a snapshot of this index, which does not exist yet.
  std::string new_snapshot(const std::string& name) const;
  // Closes all indexes when the server stops, even if one fails; then rethrows the first error.
  void close();

 private:
  Index open_index(const std::string& name, const std::string& folder) const;
  void open(const std::string& folder, State& state) const;
  std::string folder_of(const std::string& name) const;
  bool is_there(const std::string& name, Schema schema, bool keeps, bool draws_seeds);
  void open_those_that_come();
  // Calls work(index) for each index once a second.
  template <class Work>
  void for_each_again_and_again(Work work);
  void remove_expired(ServedIndex& one) const;
  void take_sample(ServedIndex& one) const;
  void start_threads();
  void stop_threads();

  std::string root_;
  std::optional<std::uint64_t> seed_;
  Report report_;
  OpenOptions open_options_;
  bool is_index_;
  std::mutex creating_;  // locked before mutex_
  mutable std::mutex mutex_;
  std::map<std::string, State, std::less<>> all_;
  std::map<std::string, std::weak_ptr<const void>, std::less<>>
      leaving_;  // removed indexes that are still in use
  std::condition_variable ends_changed_;
  bool ends_ = false;
  std::atomic<bool> stops_{false};  // for what a thread is doing when the server ends
  std::thread expiring_;            // removes documents that have expired
  std::thread sampling_;            // takes samples that were asked for
  std::thread opening_;             // tries again to open indexes while State::may_come()
};

}  // namespace benzer::server
