// What DiskStore does in the background: memtables become segments, and segments become fewer.
#include <algorithm>
#include <bit>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "benzer/error.h"

#include "store/disk/disk_store.h"

namespace benzer {
namespace {

// Segments of about the same size are merged as soon as there are so many of them.
constexpr std::size_t kMergeWidth = 4;

class MemtableSource : public SegmentSource {
 public:
  explicit MemtableSource(const Memtable& table) : table_(table) {}
  DocumentNumber end() const override { return table_.end(); }
  bool is_live(DocumentNumber document) const override { return table_.is_taken(document); }
  DocumentHashes get_hashes(DocumentNumber document) const override {
    return table_.get_hashes(document);
  }
  void for_each_key(
      std::uint32_t field, std::uint32_t band,
      const std::function<void(std::uint32_t, DocumentNumber)>& visit) const override {
    for (DocumentNumber document = 0; document < table_.end(); ++document)
      if (table_.is_taken(document) && table_.has(document, field))
        visit(table_.key(document, field, band), document);
  }

 private:
  const Memtable& table_;
};

class PartSource : public SegmentSource {
 public:
  PartSource(std::shared_ptr<const Segment> segment, std::vector<bool> removed)
      : segment_(std::move(segment)), removed_(std::move(removed)) {}
  DocumentNumber end() const override { return segment_->size(); }
  bool is_live(DocumentNumber document) const override { return !removed_[document]; }
  DocumentHashes get_hashes(DocumentNumber document) const override {
    return segment_->get_hashes(document);
  }
  void for_each_key(
      std::uint32_t field, std::uint32_t band,
      const std::function<void(std::uint32_t, DocumentNumber)>& visit) const override {
    segment_->for_each_key(field, band, visit);
  }

 private:
  std::shared_ptr<const Segment> segment_;
  std::vector<bool> removed_;
};

std::vector<std::uint32_t> places_of(const std::vector<bool>& bits) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < bits.size(); ++i)
    if (bits[i]) out.push_back(i);
  return out;
}

}  // namespace

void DiskStore::wake() {
  {
    const std::lock_guard lock(work_mutex_);
    awake_ = true;
  }
  work_changed_.notify_all();
}

void DiskStore::ask(bool flush, bool compact) {
  std::unique_lock lock(work_mutex_);
  // What is under way may have begun too early.
  work_changed_.wait(lock, [&] { return !busy_ && !awake_; });
  awake_ = true;
  flush_asked_ |= flush;
  compact_asked_ |= compact;
  work_changed_.notify_all();
  work_changed_.wait(lock, [&] { return !busy_ && !awake_; });
  if (work_error_) std::rethrow_exception(work_error_);
}

void DiskStore::maintain() {
  std::unique_lock lock(work_mutex_);
  for (;;) {
    work_changed_.wait(lock, [&] { return stop_ || awake_; });
    if (!awake_) return;
    awake_ = false;
    busy_ = true;
    const bool flush = std::exchange(flush_asked_, false);
    const bool compact = std::exchange(compact_asked_, false);
    lock.unlock();
    std::exception_ptr error;
    try {
      work(flush, compact);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    work_error_ = error;
    busy_ = false;
    work_changed_.notify_all();
  }
}

void DiskStore::work(bool flush, bool compact) {
  if (frozen_) flush_frozen();  // the last time it could not be written
  if (!flush) {
    const std::shared_lock lock(lock_);
    flush = is_flush_due();
  }
  if (flush) {
    freeze();
    if (frozen_) flush_frozen();
  }
  if (compact) {
    std::vector<std::size_t> all(parts_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    if (all.size() > 1 || (all.size() == 1 && parts_[0].removed_count > 0)) merge(all);
    return;
  }
  for (std::vector<std::size_t> places; !(places = parts_to_merge()).empty();) merge(places);
}

bool DiskStore::is_flush_due() const { return active_->rough_bytes() > options_.memtable_bytes; }

// The active table and its log make room for new ones.
void DiskStore::freeze() {
  {
    const std::shared_lock lock(lock_);
    if (active_->size() == 0 && log_->next_number() == active_first_record_) return;
  }
  const std::uint64_t number = next_number_++;
  try {
    auto log = std::make_shared<WriteLog>(folder_.log(number), LogRead{.next_number = 1},
                                          options_.durability);
    folder_.sync();
    const std::unique_lock lock(lock_);
    std::vector<bool> removed(active_->end());
    auto next = std::make_unique<Memtable>(layout_);
    log_->sync();  // a later log means that this one is whole
    frozen_ = std::make_unique<Frozen>(std::move(*active_), std::move(removed));
    // Nothing fails from here on.
    active_ = std::move(next);
    log->start_at(log_->next_number());
    log_ = std::move(log);
    active_log_ = number;
    active_first_record_ = log_->next_number();
  } catch (...) {
    file_system().unlink(folder_.log(number).c_str());  // or there would be more with every try
    throw;
  }
}

void DiskStore::flush_frozen() {
  const MemtableSource source(frozen_->table);
  const SegmentSource* sources[] = {&source};
  const std::uint64_t number = next_number_++;
  publish(write_segment(folder_.segment(number), layout_, fingerprint_, sources), number, {});
}

// Segments of about the same number of documents, as soon as there are enough of them; the smallest
// ones if there are too many in all; one of which more than half is removed.
std::vector<std::size_t> DiskStore::parts_to_merge() const {
  const std::shared_lock lock(lock_);
  std::vector<std::vector<std::size_t>> levels(40);
  std::vector<std::pair<std::uint64_t, std::size_t>> by_size;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::uint64_t live = parts_[i].segment->size() - parts_[i].removed_count;
    if (2 * live < parts_[i].segment->size()) return {i};
    levels[static_cast<std::size_t>(std::bit_width(live)) / 2].push_back(i);
    by_size.emplace_back(live, i);
  }
  for (const std::vector<std::size_t>& level : levels)
    if (level.size() >= kMergeWidth) return level;
  if (parts_.size() <= kMostSegments) return {};
  std::sort(by_size.begin(), by_size.end());
  std::vector<std::size_t> smallest;
  for (std::size_t i = 0; i + kMostSegments <= parts_.size() + kMergeWidth / 2; ++i)
    smallest.push_back(by_size[i].second);
  std::sort(smallest.begin(), smallest.end());
  return smallest;
}

void DiskStore::merge(const std::vector<std::size_t>& places) {
  std::vector<PartSource> sources;
  {
    const std::shared_lock lock(lock_);
    for (const std::size_t place : places)
      sources.emplace_back(parts_[place].segment, parts_[place].removed);
  }
  std::vector<const SegmentSource*> pointers;
  for (const PartSource& source : sources) pointers.push_back(&source);
  const std::uint64_t number = next_number_++;
  publish(write_segment(folder_.segment(number), layout_, fingerprint_, pointers), number, places);
}

// The new segment takes the places of what it was written from: of the merged segments, or of the
// frozen table if there are none. First on the disk, then here.
void DiskStore::publish(const WrittenSegment& written, std::uint64_t number,
                        const std::vector<std::size_t>& merged) {
  const bool is_flush = merged.empty();
  const auto is_merged = [&](std::size_t place) {
    return std::find(merged.begin(), merged.end(), place) != merged.end();
  };
  Part part;
  part.number = number;
  if (written.documents > 0) {
    part.segment = std::make_shared<Segment>(folder_.segment(number), layout_, fingerprint_);
    part.segment->check_pages();
  }
  // What was removed from the sources since they were read.
  const auto take_removed = [&] {
    part.removed.assign(written.documents, false);
    for (std::size_t i = 0; i < written.numbers.size(); ++i) {
      const std::vector<bool>& removed = is_flush ? frozen_->removed : parts_[merged[i]].removed;
      for (std::size_t document = 0; document < removed.size(); ++document)
        if (removed[document] && written.numbers[i][document] != kNoDocument)
          part.removed[written.numbers[i][document]] = true;
    }
    part.removed_count =
        static_cast<std::uint64_t>(std::count(part.removed.begin(), part.removed.end(), true));
  };

  // A list of removed documents may hold what is in the log only, so the log goes first.
  Manifest manifest;
  manifest.log = active_log_;
  manifest.first_record = active_first_record_;
  std::vector<std::pair<std::uint64_t, std::vector<std::uint32_t>>> lists;
  std::vector<Part> next;  // what parts_ will be; no memory is asked for behind the manifest
  next.reserve(parts_.size() + 1);
  std::vector<std::uint64_t> counts(parts_.size());
  std::vector<std::uint64_t> files(parts_.size());
  std::shared_ptr<WriteLog> log;
  {
    const std::shared_lock lock(lock_);
    log = log_;
    for (std::size_t place = 0; place < parts_.size(); ++place) {
      if (is_merged(place)) continue;
      const Part& kept = parts_[place];
      counts[place] = kept.removed_count;
      files[place] = kept.removed_file;
      if (kept.removed_count != kept.removed_written) {
        files[place] = next_number_++;
        lists.emplace_back(files[place], places_of(kept.removed));
      }
      manifest.parts.push_back({kept.number, files[place]});
    }
    take_removed();
    part.removed_written = part.removed_count;
    if (part.removed_count > 0) {
      part.removed_file = next_number_++;
      lists.emplace_back(part.removed_file, places_of(part.removed));
    }
    if (part.segment) manifest.parts.push_back({number, part.removed_file});
  }
  log->sync();
  for (const auto& [file, documents] : lists) folder_.write_removed(file, documents);
  folder_.sync();
  folder_.write_manifest(manifest);
  manifest_ = std::move(manifest);

  std::unique_ptr<Frozen> done;
  {
    const std::unique_lock lock(lock_);
    take_removed();
    for (std::size_t place = 0; place < parts_.size(); ++place) {
      if (is_merged(place)) continue;
      parts_[place].removed_written = counts[place];
      parts_[place].removed_file = files[place];
      next.push_back(std::move(parts_[place]));
    }
    if (part.segment) next.push_back(std::move(part));
    parts_.swap(next);
    if (is_flush) done = std::move(frozen_);
  }
  folder_.remove_others(manifest_);
}

}  // namespace benzer
