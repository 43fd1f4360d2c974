// Combines what the server has of an index: the engine's index, the documents as they were sent,
// and the locks that order writes.
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

#include "core_shares.h"
#include "kept_documents.h"
#include "sampled_figures.h"

namespace benzer::server {

// Calls `build` with a temporary name of the folder, and renames it at the end, so that the folder
// is complete or not there. If the process is killed, the next start of the server removes the
// temporary folder. Throws Error(kStorageFailed).
void build_folder(const std::string& folder, const std::function<void(const std::string&)>& build);

// Thread-safe.
class ServedIndex {
 public:
  // folder is that of the index. keeps: the documents are stored as they were sent, too.
  ServedIndex(std::string name, std::string folder, Index index, bool keeps);
  // Runs after the last request that uses the index. Removes the folder if leave() was called.
  ~ServedIndex();

  const std::string& name() const noexcept { return name_; }
  Index& index() noexcept { return index_; }
  const Index& index() const noexcept { return index_; }
  const Schema& schema() const noexcept { return index_.schema(); }
  // Then a list of its documents goes through all of them.
  bool is_in_redis() const noexcept;
  // Null if documents are not kept.
  const KeptDocuments* kept() const noexcept { return kept_ ? &*kept_ : nullptr; }

  // Nothing if documents are not kept, or if there is none with this id.
  std::optional<std::string> kept_json(std::string_view id) const {
    return kept_ ? kept_->get(id) : std::nullopt;
  }

  // A document that was kept, as it is compared.
  struct Kept {
    std::optional<Document> document = {};
    // What is kept has other features than those that the index stores, because only one of both
    // was written. Then it says nothing about the document, and is not returned.
    bool is_another = false;
  };
  // Returns neither if no document with this id is kept. Cost: hashing the document.
  Kept kept_document(const std::string& id, const std::atomic<bool>* stop = nullptr) const;

  // Reads a document that is asked about from a JSON object, without its attributes, which are not
  // used. Throws Problem, also for an image that is named by a path: requests must not make the
  // server read files of this machine.
  Document document(std::string_view json) const;

  // A document, and the JSON that it was read from.
  struct Sent {
    Document document;
    std::string_view json;
    std::string strict = {};  // the same for all readers of JSON; empty: `json` is that
    std::string_view kept() const noexcept { return strict.empty() ? json : strict; }
  };
  // Reads a document that is to be stored. The parser can be used again, for many documents.
  DocumentParser parser() const { return DocumentParser(fields_); }
  static Sent sent(std::string_view json, DocumentParser& parser);
  Sent sent(std::string_view json) const;

  // These do what they do in Index, and update the kept documents accordingly. They throw
  // Problem(503) while a Standstill exists. stop: ends what comes before anything is written, with
  // Error(kInterrupted). cores: those that hash the documents of this client; null: the thread of
  // the caller hashes them.
  std::vector<IndexResult> put(std::vector<Sent> sent, const std::atomic<bool>* stop,
                               CoreShares* cores = nullptr, const std::string& client = {});
  CheckResult check_and_add(const Sent& sent, const SimilarOptions& options);
  std::vector<bool> remove(const std::vector<std::string>& ids, WriteLevel& reached);
  // The document that was kept stays as it was sent.
  IndexResult change_attributes(const AttributeChange& change);
  // Removes documents that have expired, if it is time to look for them. stop: ends the search for
  // them with Error(kInterrupted).
  void remove_expired(const std::atomic<bool>* stop);
  std::optional<Decision> put_decision(Decision decision);
  bool remove_decision(std::uint64_t id, std::uint64_t version);

  // While a Standstill exists, nobody else can write. Throws Problem(503) if other writers hold the
  // lock for too long.
  class Standstill;
  std::unique_ptr<Standstill> stand_still();
  // have_left is called when the documents have left the index. What is kept of them goes after
  // that, which may fail.
  std::vector<bool> remove(const std::vector<std::string>& ids, const Standstill& still,
                           const std::function<void()>& have_left);

  void verify();
  SnapshotResult snapshot(const std::string& folder, const SnapshotOptions& options);
  struct Verified {
    std::string at;
    std::string problem;  // empty: no damage was found
  };
  std::optional<Verified> last_verified() const;
  // Figures of a sample of its documents.
  SampledFigures& figures() noexcept { return figures_; }

  // Throws Problem(404) if the index was removed.
  void check_there() const;
  // Called when the index is removed and its folder has been renamed to `folder`. Later writes are
  // refused, and the destructor removes the folder.
  void leave(std::string folder, const Standstill& still);
  // Expires when the destructor has finished, its work on the disk included.
  std::weak_ptr<const void> presence() const noexcept { return presence_; }

 private:
  std::shared_lock<std::shared_mutex> write() const;
  std::unique_lock<std::mutex> take_turns() const;  // locks nothing if documents are not kept

  // The first member, so that it is destroyed last.
  std::shared_ptr<const void> presence_ = std::make_shared<int>();
  std::string name_, folder_;
  std::string removed_;  // guarded by writing_
  std::atomic<bool> has_left_{false};
  Index index_;
  std::vector<InputField> fields_;
  std::optional<KeptDocuments> kept_;
  // Writers hold writing_ shared; a Standstill holds it exclusively. If documents are kept, writers
  // also hold in_order_, so that the index and the kept documents change in the same order.
  mutable std::shared_mutex writing_;
  mutable std::mutex in_order_;
  mutable std::mutex facts_;
  std::optional<Verified> verified_;
  SampledFigures figures_{index_};
  std::int64_t look_for_expired_at_ = 0;  // used by one thread
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
