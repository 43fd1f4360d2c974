// The stores below one folder, by their names.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "benzer/error.h"
#include "benzer/index.h"
#include "benzer/input.h"

#include "kept_documents.h"

namespace benzer::server {

// Has a folder built under another name, and renames it at the end: whoever finds it finds all of
// it. What a kill leaves of one is removed at the next start. Throws Error(kStorageFailed).
void build_folder(const std::string& folder, const std::function<void(const std::string&)>& build);

class Collection {
 public:
  // folder: of the store; keeps: documents are kept, too.
  Collection(std::string name, std::string folder, Index index, bool keeps);
  // Removes the folder, if leave() was called: after the last request that uses it.
  ~Collection();

  const std::string& name() const noexcept { return name_; }
  Index& index() noexcept { return index_; }
  const Index& index() const noexcept { return index_; }
  const Schema& schema() const noexcept { return index_.schema(); }
  // Null: documents are not kept.
  const KeptDocuments* kept() const noexcept { return kept_ ? &*kept_ : nullptr; }

  // None: they are not kept, or this one is not there.
  std::optional<std::string> kept_json(std::string_view id) const {
    return kept_ ? kept_->get(id) : std::nullopt;
  }

  // From a JSON object. Throws Problem: also for an image that is named by a path, since no path of
  // this machine comes from a request.
  Document document(std::string_view json) const;
  // The same for many.
  DocumentParser parser() const { return DocumentParser(fields_); }
  static Document document(std::string_view json, DocumentParser& parser);

  // A document, and the JSON that it was made of.
  struct Sent {
    Document document;
    std::string_view json;
  };
  // As Index has these, and what is kept follows. Throw Problem(503) while duplicates are removed.
  std::vector<IndexResult> put(std::vector<Sent> sent);
  CheckResult check_and_add(const Sent& sent, const SimilarOptions& options);
  std::vector<bool> remove(const std::vector<std::string>& ids, WriteLevel& reached);
  std::optional<Decision> put_decision(Decision decision);
  bool remove_decision(std::uint64_t id, std::uint64_t version);

  // As long as it lives, nobody writes. Throws Problem(503) if writers do not let it.
  class Standstill;
  std::unique_ptr<Standstill> stand_still();
  std::vector<bool> remove(const std::vector<std::string>& ids, const Standstill& still);

  // Have queries taken long of late? Then others should not wait for them.
  bool is_slow() const noexcept;
  void took(std::chrono::steady_clock::duration time) noexcept;  // of a query

  void verify();
  SnapshotResult snapshot(const std::string& folder, const SnapshotOptions& options);
  struct Verified {
    std::string at;
    std::string problem;  // empty: nothing was wrong
  };
  std::optional<Verified> last_verified() const;
  // A look at 200 documents; a newer one only if the last is old, since it takes its time.
  std::shared_ptr<const SampleFigures> figures();

  // Throws Problem(404) if it has left.
  void check_there() const;
  // From now on nobody writes: the folder has got this name, and goes with the object.
  void leave(std::string folder, const Standstill& still);
  // Expires when the object is gone, with all that it does on the disk.
  std::weak_ptr<const void> presence() const noexcept { return presence_; }

 private:
  std::shared_lock<std::shared_mutex> write() const;
  std::unique_lock<std::mutex> take_turns() const;  // unless only the index changes

  // The first, so that it is destroyed last.
  std::shared_ptr<const void> presence_ = std::make_shared<int>();
  std::string name_, folder_;
  std::string removed_;  // with writing_
  std::atomic<bool> has_left_{false};
  Index index_;
  std::vector<InputField> fields_;
  std::optional<KeptDocuments> kept_;
  // Exclusive: nobody writes. Shared: a writer; where documents are kept, with the other one, so
  // that index and kept documents change in the same order.
  mutable std::shared_mutex writing_;
  mutable std::mutex in_order_;
  mutable std::mutex facts_;
  std::optional<Verified> verified_;
  std::mutex looking_;
  std::shared_ptr<const SampleFigures> figures_;
  std::int64_t figures_at_ = 0;
  std::uint64_t figures_of_ = 0;  // so many documents
  std::atomic<std::int64_t> slow_until_{0};
};

class Collection::Standstill {
 public:
  explicit Standstill(std::unique_lock<std::shared_mutex> lock) : lock_(std::move(lock)) {}

 private:
  std::unique_lock<std::shared_mutex> lock_;
};

// Threads: any number.
class Collections {
 public:
  // Called with each new problem of the work in the background of a collection, by any thread.
  using Report = std::function<void(std::string_view name, std::string_view problem)>;
  // root: a folder with stores in it, or a store. seed: of the features of new ones, where nobody
  // gives another; absent: a new one is drawn for each. Throws Error(kNotFound).
  explicit Collections(const std::string& root, std::optional<std::uint64_t> seed = {},
                       Report report = {});
  ~Collections();

  // Throws Problem(404), or Problem(500) or (503) for one that could not be opened.
  std::shared_ptr<Collection> find(std::string_view name);
  struct State {
    std::string name;
    std::shared_ptr<Collection> collection = {};  // null: it could not be opened
    std::string problem = {};                     // why
    ErrorCode why = ErrorCode::kCorrupt;
    // Another process writes to it, or what it lies on does not answer: later it may.
    bool may_come() const noexcept;
    // "ready", "busy", "unavailable" or "damaged".
    std::string_view state() const noexcept;
  };
  std::vector<State> list() const;
  // True: it was made; false: it was there, with this schema. Throws Problem(409) for another one.
  // draws_seeds: fields whose features have the seed 0 get that of new collections, and are equal
  // to those of any seed.
  bool create(const std::string& name, Schema schema, bool keeps, bool draws_seeds);
  void remove(const std::string& name);
  // Where a snapshot of this collection goes: a folder that is not there yet.
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
  bool is_store_;
  std::mutex creating_;  // before mutex_
  mutable std::mutex mutex_;
  std::map<std::string, State, std::less<>> all_;
  std::map<std::string, std::weak_ptr<const void>, std::less<>>
      leaving_;  // removed, and still used
  std::condition_variable ends_changed_;
  bool ends_ = false;
  std::thread opening_;  // if one may come
};

// "2026-11-22T21:03:00Z"
std::string time_now();

}  // namespace benzer::server
