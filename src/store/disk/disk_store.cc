#include "store/disk/disk_store.h"

#include <algorithm>
#include <shared_mutex>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"

#include "store/disk/disk_access.h"
#include "store/disk/named_files.h"
#include "store/disk/snapshot.h"
#include "store/disk/verify_store.h"

namespace benzer {
namespace {

constexpr Version kFirstVersion = 1;  // the state in which the store was opened

}  // namespace

// Keeps its version available as long as it lives.
class DiskStore::Reader : private Versions<State>::Pin, public Access<StoreReader> {
 public:
  explicit Reader(const DiskStore& store) : Pin(store.versions_), Access(state()) {}
};

class DiskStore::Writer : public Access<StoreWriter> {
 public:
  Writer(DiskStore& store, std::unique_lock<RwLock> lock)
      : Access(store, store.versions_.latest().at + 1), store_(store), lock_(std::move(lock)) {
    if (store.is_loading_)
      throw Error(ErrorCode::kBusy, "a bulk load of this index is under way",
                  "write when it has finished");
  }
  ~Writer() override {
    if (lock_) publish();
  }

  bool add_hashes(const DocumentHashes& document) override {
    store_.active_->load_places(document);
    const std::optional<DocumentNumber> known = find(document.id);
    if (known) prepare_to_remove(*known);
    const DocumentNumber added = store_.active_->add(document, at_);
    try {
      store_.check_room(std::uint64_t{views_.back().begin} + added);
      store_.log_->append(false, document);
    } catch (...) {
      store_.active_->remove(added, at_);
      update();
      throw;
    }
    if (known) remove_number(*known);
    update();
    return known.has_value();
  }
  bool remove(std::string_view id) override {
    const std::optional<DocumentNumber> known = find(id);
    if (!known) return false;
    prepare_to_remove(*known);
    store_.log_->append(true, {std::string(id), {}});
    remove_number(*known);
    update();
    return true;
  }
  std::function<WriteLevel()> release() override {
    // Also waits for what others have written: the answers of this writer depend on all that it
    // saw.
    std::shared_ptr<WriteLog> log = store_.log_;
    const std::uint64_t last = log->next_number() - 1;
    publish();
    const bool is_flush_due = store_.is_flush_due();
    lock_.unlock();
    if (is_flush_due) store_.flusher_->wake();
    if (store_.problems_.is_due_again(MaintenanceProblems::Work::kMerge)) store_.merger_->wake();
    return [log = std::move(log), last, level = store_.level()] {
      log->wait(last);
      return level;
    };
  }

 private:
  // The place of a view outside of the active table among the parts; the frozen table comes after
  // them.
  std::size_t place_of(const View& view) const noexcept {
    return static_cast<std::size_t>(&view - views_.data());
  }
  // Does everything in a removal that can fail.
  void prepare_to_remove(DocumentNumber document) {
    const View& view = view_of(document);
    if (!view.removed) return;
    if (!room_) room_ = store_.room_for_sealed();
    MutableDocumentBits& removed =
        view.segment ? store_.parts_[place_of(view)].removed : store_.frozen_->removed;
    removed.prepare(document - view.begin);
  }
  void remove_number(DocumentNumber document) noexcept {
    const View& view = view_of(document);
    const DocumentNumber local = document - view.begin;
    if (!view.removed) return store_.active_->remove(local, at_);
    --sealed_;
    if (view.segment) {
      Part& part = store_.parts_[place_of(view)];
      part.removed.set(local);
      ++part.removed_count;
    } else {
      store_.frozen_->removed.set(local);
      --store_.frozen_->live;
    }
  }
  void publish() noexcept {
    store_.publish_version(at_, std::move(room_));
    store_.active_->reclaim(store_.versions_);
  }

  DiskStore& store_;
  std::unique_lock<RwLock> lock_;
  std::shared_ptr<Sealed> room_;  // null: nothing was removed outside of the active table
};

DiskStore::DiskStore(const std::string& folder, const HashLayout& layout, std::uint64_t fingerprint,
                     const DiskOptions& options)
    : layout_(layout),
      fingerprint_(fingerprint),
      options_(options),
      folder_(folder),
      problems_(folder_, options.read_only, options.retry_pause, options.on_problem) {
  if (!options.read_only) {
    folder_.lock();
    // Makes names durable that another process has left and the system has not written yet.
    folder_.sync();
    load();
    folder_.check_in_place();  // what was read belongs to the folder that is locked
    folder_.remove_others(manifest_);
    next_number_ = folder_.next_number();
    // Nobody asks for this work, and if it fails the store is as sound as before. Writers get the
    // error when the work is far behind; before that maintenance_problem() has it.
    merger_ = std::make_unique<BackgroundThread>([this] { merge_if_due(); });
    flusher_ = std::make_unique<BackgroundThread>([this] { flush(false); });
    return;
  }
  // Another process that writes may replace files while they are opened here, or finish a log whose
  // last record was half written when it was read.
  constexpr int kTries = 10;
  for (int i = 0;; ++i) {
    try {
      load();
      return;
    } catch (const Error&) {
      if (i == kTries || (i > 0 && folder_.read_manifest() == manifest_)) throw;
    }
  }
}

DiskStore::~DiskStore() {
  stopping_ = true;
  try {
    close();
  } catch (const std::exception&) {
    // The log has everything that is not in a segment.
  }
  flusher_.reset();  // it wakes the merger
  merger_.reset();
}

void DiskStore::load() {
  parts_.clear();
  active_ = std::make_shared<Memtable>(layout_);
  torn_bytes_ = earlier_log_bytes_ = 0;
  restart_time_.begin();
  LogChain chain(folder_, layout_, SyncMark::read(folder_.sync_mark()));
  manifest_ = folder_.read_manifest();
  load_parts();
  restart_time_.opened_segments();
  replay(chain);
  restart_time_.read_log(log_bytes());
  active_log_ = {manifest_.log, manifest_.first_record};
  publish_version(kFirstVersion, room_for_sealed());
}

void DiskStore::load_parts() {
  for (const Manifest::Part& named : manifest_.parts) {
    Part& part = parts_.emplace_back();
    part.segment = open_named_segment(folder_, named, layout_, fingerprint_);
    if (part.segment->id_seed() != 0) id_seed_ = part.segment->id_seed();
    part.number = named.segment;
    part.removed = MutableDocumentBits(part.segment->size());
    if (named.removed != 0) load_removed(named, part);
  }
}

void DiskStore::load_removed(const Manifest::Part& named, Part& part) const {
  const NamedRemoved read = read_named_removed(folder_, named, *part.segment);
  part.removed_seal = read.seal;
  for (const std::uint32_t document : read.list.documents) {
    part.removed.prepare(document);
    part.removed.set(document);
  }
  part.removed_file = named.removed;
  part.removed_count = part.removed_written = read.list.documents.size();
}

void DiskStore::replay(LogChain& chain) {
  std::vector<std::pair<std::uint64_t, LogRead>> logs;
  for (const std::uint64_t number : chain.begin(manifest_)) {
    const LogRead read = chain.read([&](LogRecord& record) { apply(record); });
    torn_bytes_ += read.torn;
    logs.emplace_back(number, read);
  }
  chain.end();
  if (const std::uint64_t numbered = numbered_documents(); numbered > options_.most_documents)
    throw Error(ErrorCode::kCorrupt, Subject::file(folder_.path()),
                fmt::format("its segments and logs have {} documents, and an index has at most {}: "
                            "it was not written by this program",
                            numbered, options_.most_documents));
  if (options_.read_only) {
    for (const auto& [number, read] : logs) earlier_log_bytes_ += read.bytes;
    return;
  }
  // Done only after all logs were read: nothing may be cut off a damaged log that can still be
  // saved.
  const auto [last, last_read] = logs.back();
  logs.pop_back();
  for (const auto& [number, read] : logs) {
    settle_log(folder_.log(number), read);
    earlier_log_bytes_ += read.bytes;
  }
  log_ = std::make_shared<WriteLog>(folder_.log(last), last_read, options_.durability);
  mark_ = std::make_shared<SyncMark>(folder_.sync_mark());
  log_->keep_mark(mark_, last);
}

void DiskStore::apply(LogRecord& record) {
  const std::string& id = record.document.id;
  if (const auto known = active_->find(id, kFirstVersion)) {
    active_->remove(*known, kFirstVersion);
  } else {
    for (Part& part : parts_) {
      part.segment->find(id, [&](DocumentNumber found) {
        if (part.removed[found]) return false;
        part.removed.prepare(found);
        part.removed.set(found);
        ++part.removed_count;
        return true;
      });
    }
  }
  if (record.is_removal) return;
  active_->load_places(record.document);
  active_->add(record.document, kFirstVersion);
}

std::unique_ptr<StoreReader> DiskStore::reader() const { return std::make_unique<Reader>(*this); }

std::unique_ptr<StoreWriter> DiskStore::writer() {
  check_writable();
  // If the disk is too slow, writers wait for it; if the work fails, they get the error.
  if (is_flushing_far_behind()) upkeep_.stall([&] { flusher_->ask([this] { flush(false); }); });
  if (is_merging_far_behind()) upkeep_.stall([&] { merger_->ask([this] { merge_if_due(); }); });
  return std::make_unique<Writer>(*this, std::unique_lock(lock_));
}

StoreBytes DiskStore::bytes() const {
  const std::shared_lock lock(lock_);
  StoreBytes sum = active_->bytes();
  if (frozen_) sum += frozen_->table->bytes();
  return sum;
}

StoreStats DiskStore::stats() const {
  const std::shared_lock lock(lock_);
  StoreStats out;
  out.segments = parts_.size();
  for (const Part& part : parts_) {
    out.segment_bytes += part.segment->bytes();
    out.removed += part.removed_count;
  }
  out.log_bytes = log_bytes() + (frozen_ ? frozen_->log_bytes : 0);
  out.restart_seconds = restart_time_.seconds(out.log_bytes);
  out.torn_bytes = torn_bytes_;
  if (!options_.read_only) out.upkeep = upkeep_.get(problems_.failures());
  return out;
}

std::optional<MaintenanceProblem> DiskStore::maintenance_problem() const { return problems_.get(); }

void DiskStore::check_writable() const {
  if (options_.read_only)
    throw Error(ErrorCode::kInvalidArgument, "the index was opened for reading only");
}

std::uint64_t DiskStore::numbered_documents() const {
  std::uint64_t out = active_->end();
  if (frozen_) out += frozen_->table->end();
  for (const Part& part : parts_) out += part.segment->size();
  return out;
}

std::uint64_t DiskStore::sealed_documents() const {
  std::uint64_t out = frozen_ ? frozen_->live : 0;
  for (const Part& part : parts_) out += part.segment->size() - part.removed_count;
  return out;
}

std::shared_ptr<DiskStore::Sealed> DiskStore::room_for_sealed() const {
  auto out = std::make_shared<Sealed>();
  out->parts.reserve(parts_.size() + 2);  // also for a new segment, and a table that is frozen
  return out;
}

void DiskStore::publish_version(Version at, std::shared_ptr<Sealed> room) noexcept {
  State next = versions_.latest();
  next.at = at;
  if (room) {
    for (Part& part : parts_) room->parts.push_back({part.segment, nullptr, part.removed.share()});
    if (frozen_) room->parts.push_back({nullptr, frozen_->table, frozen_->removed.share()});
    room->live = sealed_documents();
    next.sealed = std::move(room);
  }
  next.active = active_;
  next.end = active_->end();
  next.documents = active_->size();
  versions_.publish(std::move(next));
}

void DiskStore::check_room(std::uint64_t numbered) const {
  if (numbered < options_.most_documents) return;
  throw Error(
      ErrorCode::kStorageFailed, Subject::file(folder_.path()),
      fmt::format("the index has {} documents, counting removed ones until it is compacted, and "
                  "takes no more: compact it if documents were removed, or begin another index",
                  numbered));
}

void DiskStore::close() {
  if (options_.read_only) return;
  const std::lock_guard one_at_a_time(closing_);
  const bool was_stopping = stopping_.exchange(true);
  try {
    flusher_->ask([this] { flush(true); });
    merger_->ask([this] { merge_if_due(); });
  } catch (const std::exception&) {
    // Nothing is lost, so a caller whose removal succeeded must not get an error.
    // maintenance_problem() has it.
  }
  stopping_ = was_stopping;
  merger_->wake();  // begins the merges again that were given up, if the store is used further
  sync_log();
  mark_->sync();
}

void DiskStore::sync_log() const {
  std::shared_ptr<WriteLog> log;
  {
    const std::shared_lock lock(lock_);
    log = log_;
  }
  if (log) log->sync();
}

void DiskStore::compact() {
  check_writable();
  flusher_->ask([this] { flush(true); });
  merger_->ask(
      [this] { problems_.watch(MaintenanceProblems::Work::kMerge, [this] { merge_all(); }); });
}

SnapshotResult DiskStore::snapshot(const std::string& folder, const SnapshotOptions& options,
                                   const WriteBeside& beside) const {
  sync_log();
  return snapshot_store(folder_, folder, layout_, fingerprint_, options, beside);
}

void DiskStore::verify() const {
  folder_.check_in_place();
  if (!options_.read_only && !StoreFolder::is_at(folder_.path()))
    throw Error(ErrorCode::kCorrupt, Subject::file(folder_.path()),
                "its file with the schema is missing");
  const auto synced = [this] {
    std::shared_ptr<WriteLog> log;
    {
      const std::shared_lock lock(lock_);
      log = log_;
    }
    return log ? log->synced() : SyncMark::read(folder_.sync_mark());
  };
  const auto opened = [this](std::uint64_t number) -> std::shared_ptr<const Segment> {
    const std::shared_lock lock(lock_);
    for (const Part& part : parts_)
      if (part.number == number) return part.segment;
    return nullptr;
  };
  verify_store(folder_, layout_, fingerprint_, synced, opened);
}

}  // namespace benzer
