// An index that the server serves: the engine's index, the documents as they were sent, and who may
// write to it now.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/index.h"
#include "benzer/input.h"

#include "kept_documents.h"

namespace benzer::server {

// Has a folder built under another name, and renames it at the end: whoever finds it finds all of
// it. What a kill leaves of one is removed at the next start. Throws Error(kStorageFailed).
void build_folder(const std::string& folder, const std::function<void(const std::string&)>& build);

// Threads: any number.
class ServedIndex {
 public:
  // folder: of the index; keeps: documents are kept, too.
  ServedIndex(std::string name, std::string folder, Index index, bool keeps);
  // Removes the folder, if leave() was called: after the last request that uses it.
  ~ServedIndex();

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

class ServedIndex::Standstill {
 public:
  explicit Standstill(std::unique_lock<std::shared_mutex> lock) : lock_(std::move(lock)) {}

 private:
  std::unique_lock<std::shared_mutex> lock_;
};

// "2026-11-22T21:03:00Z"
std::string time_now();

}  // namespace benzer::server
