// The indexes below one folder, by their names: made, found, opened again and removed.
#pragma once

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
#include <vector>

#include "benzer/error.h"
#include "benzer/index.h"

#include "served_index.h"

namespace benzer::server {

// Threads: any number.
class ServedIndexes {
 public:
  // Called with each new problem of the work in the background of an index, by any thread.
  using Report = std::function<void(std::string_view name, std::string_view problem)>;
  // root: a folder with indexes in it, or an index. seed: of the features of new ones, where nobody
  // gives another; absent: a new one is drawn for each. Throws Error(kNotFound).
  explicit ServedIndexes(const std::string& root, std::optional<std::uint64_t> seed = {},
                         Report report = {});
  ~ServedIndexes();

  // Throws Problem(404), or Problem(500) or (503) for one that could not be opened.
  std::shared_ptr<ServedIndex> find(std::string_view name);
  struct State {
    std::string name;
    std::shared_ptr<ServedIndex> served = {};  // null: it could not be opened
    std::string problem = {};                  // why
    ErrorCode why = ErrorCode::kCorrupt;
    // Another process writes to it, or what it lies on does not answer: later it may.
    bool may_come() const noexcept;
    // "ready", "busy", "unavailable" or "damaged".
    std::string_view state() const noexcept;
  };
  std::vector<State> list() const;
  // True: it was made; false: it was there, with this schema. Throws Problem(409) for another one.
  // draws_seeds: fields whose features have the seed 0 get that of new indexes, and are equal
  // to those of any seed.
  bool create(const std::string& name, Schema schema, bool keeps, bool draws_seeds);
  void remove(const std::string& name);
  // Where a snapshot of this index goes: a folder that is not there yet.
  std::string new_snapshot(const std::string& name) const;
  // All of them, for the end. Throws what the first throws that fails.
  void close();

 private:
  Index open_index(const std::string& name, const std::string& folder) const;
  void open(const std::string& folder, State& state) const;
  std::string folder_of(const std::string& name) const;
  bool is_there(const std::string& name, Schema schema, bool keeps, bool draws_seeds);
  void open_those_that_come();
  void stop_opening();

  std::string root_;
  std::optional<std::uint64_t> seed_;
  Report report_;
  bool is_index_;
  std::mutex creating_;  // before mutex_
  mutable std::mutex mutex_;
  std::map<std::string, State, std::less<>> all_;
  std::map<std::string, std::weak_ptr<const void>, std::less<>>
      leaving_;  // removed, and still used
  std::condition_variable ends_changed_;
  bool ends_ = false;
  std::thread opening_;  // if one may come
};

}  // namespace benzer::server
