// Does the background work of DiskStore: writes memtables to segments, and merges segments.
#include <algorithm>
#include <bit>
#include <iterator>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "store/disk/disk_store.h"
#include "store/disk/segment_writer.h"

namespace benzer {
namespace {

// Segments of about the same size are merged as soon as there are this many of them.
constexpr std::size_t kMergeWidth = 4;

// Deletes new files that no manifest names yet, unless they are kept, or the folder is no longer
// that of the store. The last one is deleted first: a list of removed documents may name some that
// the segment made before it replaces.
class NewFiles {
 public:
  explicit NewFiles(const StoreFolder& folder) : folder_(folder) {}
  ~NewFiles() {
    if (!paths_.empty() && !folder_.is_in_place()) return;
    for (auto path = paths_.rbegin(); path != paths_.rend(); ++path)
      file_system().unlink(path->c_str());
  }
  void add(std::string path) { paths_.push_back(std::move(path)); }
  void keep() noexcept { paths_.clear(); }

 private:
  const StoreFolder& folder_;
  std::vector<std::string> paths_;
};

}  // namespace

DiskStore::InWork::InWork(DiskStore& store) : store_(store), number_(store.next_number_++) {
  const std::lock_guard lock(store_.in_work_mutex_);
  store_.in_work_.insert(number_);
}

DiskStore::InWork::~InWork() {
  const std::lock_guard lock(store_.in_work_mutex_);
  store_.in_work_.erase(number_);
}

void DiskStore::flush(bool even_if_not_due) {
  problems_.watch(MaintenanceProblems::Work::kFlush, [&] {
    if (frozen_) flush_frozen();  // it could not be written the last time
    bool is_wanted = even_if_not_due;
    if (!is_wanted) {
      const std::shared_lock lock(lock_);
      is_wanted = is_flush_due();
    }
    if (is_wanted) {
      freeze();
      if (frozen_) flush_frozen();
    }
  });
}

void DiskStore::merge_if_due() {
  try {
    problems_.watch(MaintenanceProblems::Work::kMerge, [this] {
      for (std::vector<std::size_t> places; !(places = parts_to_merge()).empty();) {
        // Given up and not finished: an earlier problem of it remains.
        if (takes_long(places)) throw_if_stopped(&stopping_);
        merge(places);
      }
    });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInterrupted) throw;
  }
}

bool DiskStore::takes_long(const std::vector<std::size_t>& places) const {
  const std::shared_lock lock(lock_);
  std::uint64_t bytes = 0;
  for (const std::size_t place : places) bytes += parts_[place].segment->bytes();
  return bytes > options_.memtable_bytes;
}

void DiskStore::merge_all() {
  std::vector<std::size_t> all;
  bool has_removed = false;
  {
    const std::shared_lock lock(lock_);
    for (const Part& part : parts_) {
      all.push_back(all.size());
      has_removed |= part.removed_count > 0;
    }
  }
  if (all.size() > 1 || has_removed) merge(all);
}

std::uint64_t DiskStore::log_bytes() const {
  return earlier_log_bytes_ + (log_ ? log_->size() : 0);
}

bool DiskStore::is_flush_due() const {
  // What could not be written the last time is tried again.
  if (frozen_ && problems_.is_due_again(MaintenanceProblems::Work::kFlush)) return true;
  return active_->rough_bytes() > options_.memtable_bytes ||
         log_bytes() > options_.memtable_bytes / 4 * 7;  // leaves room for what is written until it
                                                         // is frozen
}

bool DiskStore::is_merging_far_behind() const {
  const std::shared_lock lock(lock_);
  return parts_.size() > 4 * kMostSegments;
}

bool DiskStore::is_flushing_far_behind() const {
  const std::shared_lock lock(lock_);
  return active_->rough_bytes() > 4 * options_.memtable_bytes ||
         log_bytes() > 4 * options_.memtable_bytes;
}

std::shared_ptr<WriteLog> DiskStore::make_log(std::uint64_t number) const {
  folder_.check_in_place();
  auto log = std::make_shared<WriteLog>(folder_.log(number), LogRead{.next_number = 1},
                                        options_.durability);
  folder_.sync();
  return log;
}

void DiskStore::replace_log(std::shared_ptr<WriteLog> log, std::uint64_t number) {
  log_->sync();  // a later log means that this one is whole
  // Nothing fails from here on.
  log->start_at(log_->next_number());
  log->keep_mark(mark_, number);
  log_ = std::move(log);
  active_log_ = {number, log_->next_number()};
}

// Freezes the active table and its log, and begins new ones.
void DiskStore::freeze() {
  {
    const std::shared_lock lock(lock_);
    if (active_->size() == 0 && log_->next_number() == active_log_.first_record) return;
  }
  const std::uint64_t number = next_number_++;
  NewFiles made(folder_);  // deletes the new log after an error, or every try would leave one
  made.add(folder_.log(number));
  std::shared_ptr<WriteLog> log = make_log(number);
  const std::unique_lock lock(lock_);
  auto frozen = std::make_unique<Frozen>();
  frozen->removed = MutableDocumentBits(active_->end());
  auto next = std::make_shared<Memtable>(layout_);
  std::shared_ptr<Sealed> room = room_for_sealed();
  const Version at = versions_.latest().at;
  frozen->at = at;
  frozen->live = active_->size();
  frozen->log = active_log_;
  frozen->log_bytes = log_bytes();
  replace_log(std::move(log), number);
  made.keep();
  frozen->table = std::exchange(active_, std::move(next));
  frozen_ = std::move(frozen);
  earlier_log_bytes_ = 0;
  publish_version(at, std::move(room));
}

void DiskStore::begin_log() {
  const std::uint64_t number = next_number_++;
  NewFiles made(folder_);
  made.add(folder_.log(number));
  std::shared_ptr<WriteLog> log = make_log(number);
  const std::unique_lock lock(lock_);
  replace_log(std::move(log), number);
  made.keep();
}

void DiskStore::flush_frozen() {
  const InWork number(*this);
  folder_.check_in_place();
  Written written;
  written.number = number.get();
  written.is_flush = true;
  const Memtable& table = *frozen_->table;
  std::vector<DocumentNumber>& numbers = written.numbers.emplace_back(table.end(), kNoDocument);
  SegmentWriter writer(folder_.segment(written.number), layout_, fingerprint_, id_seed_);
  for (DocumentNumber document = 0; document < table.end(); ++document)
    if (table.has_document(document, frozen_->at))
      numbers[document] = writer.add(table.get_hashes(document));
  // Only the work of the flusher changes where the active table's log begins.
  writer.seal({written.number, written.number, active_log_.log, active_log_.first_record, {}});
  written.segment = open_written(written.number);
  const std::lock_guard publishing(publishing_);
  publish(written);
  upkeep_.count_flush();
  merger_->wake();
}

// Chooses one segment of which more than half is removed; or segments of about the same number of
// documents, as soon as there are enough of them; or the smallest ones if there are too many in
// all.
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
  constexpr DocumentNumber kAtOnce = 256;
  const std::atomic<bool>* stop = takes_long(places) ? &stopping_ : nullptr;
  folder_.check_in_place();
  const InWork number(*this);
  Written written;
  written.number = number.get();
  written.merged = places;
  SegmentOrigin origin;
  std::vector<std::shared_ptr<const Segment>> segments;
  std::vector<std::vector<bool>> removed;
  std::shared_ptr<WriteLog> log;  // has the removals that were taken over here
  std::uint64_t bytes = 0;
  {
    const std::shared_lock lock(lock_);
    const LogPlace& begins = frozen_ ? frozen_->log : active_log_;
    origin.log = begins.log;
    origin.first_record = begins.first_record;
    log = log_;
    for (const std::size_t place : places) {
      segments.push_back(parts_[place].segment);
      bytes += segments.back()->bytes();
      removed.push_back(parts_[place].removed.all());
      origin.merged.push_back(parts_[place].number);
    }
  }
  origin.number = written.number;
  UpkeepCounters::Merge merging(upkeep_, bytes);
  SegmentWriter writer(folder_.segment(written.number), layout_, fingerprint_, id_seed_);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Segment& segment = *segments[i];
    origin.newest = std::max(origin.newest, segment.origin().newest);
    std::vector<DocumentNumber>& numbers =
        written.numbers.emplace_back(segment.size(), kNoDocument);
    for (DocumentNumber document = 0; document < segment.size(); ++document) {
      if (document % kAtOnce == 0) throw_if_stopped(stop);
      if (!removed[i][document]) numbers[document] = writer.add(segment.get_hashes(document));
    }
  }
  // From here on a repair without the manifest uses this segment in place of its sources.
  log->sync();
  writer.seal(origin, stop);
  written.segment = open_written(written.number, stop);
  const std::lock_guard publishing(publishing_);
  publish(written);
  merging.succeeded();
}

// Opens a segment that was just written, and reads all of it once.
std::shared_ptr<const Segment> DiskStore::open_written(std::uint64_t number,
                                                       const std::atomic<bool>* stop) const {
  const std::string path = folder_.segment(number);
  NewFiles made(folder_);
  made.add(path);
  auto out = std::make_shared<Segment>(path, layout_, fingerprint_);
  out->check_pages(stop);
  made.keep();
  return out;
}

// Puts the new segment in place of what it was written from, first on the disk, then in memory.
void DiskStore::publish(const Written& written) {
  const auto is_merged = [&](std::size_t place) {
    return std::find(written.merged.begin(), written.merged.end(), place) != written.merged.end();
  };
  const auto for_each_replaced = [&](std::size_t place, auto visit) {
    if (place >= written.replaced.size()) return;
    for (const DocumentNumber document : written.replaced[place]) visit(document);
  };
  folder_.check_in_place();
  NewFiles made(folder_);
  made.add(folder_.segment(written.number));
  Part part;
  part.number = written.number;
  if (written.segment->size() > 0) part.segment = written.segment;
  // Takes over what was removed from the sources since they were read.
  const auto take_removed = [&] {
    for (std::size_t i = 0; i < written.numbers.size(); ++i) {
      const DocumentBits& removed =
          written.is_flush ? frozen_->removed : parts_[written.merged[i]].removed;
      removed.for_each_set([&](std::size_t document) {
        const DocumentNumber number = written.numbers[i][document];
        if (number != kNoDocument) part.removed.set(number);
      });
    }
    part.removed_count = part.removed.count();
  };

  // A list of removed documents may hold removals that only the log has, so the log is synced
  // first.
  Manifest manifest;
  std::vector<std::pair<std::uint64_t, RemovedList>> lists;
  std::vector<Part> next;  // what parts_ will be; allocated before the manifest is written
  next.reserve(parts_.size() + 1);
  std::vector<std::uint64_t> counts(parts_.size());
  std::vector<std::uint64_t> files(parts_.size());
  std::shared_ptr<WriteLog> log;
  std::shared_ptr<Sealed> room;
  part.removed = MutableDocumentBits(written.segment->size());
  part.removed.prepare_all();
  for (std::size_t document = 0; document < written.removed.size(); ++document)
    if (written.removed[document]) part.removed.set(document);
  {
    const std::unique_lock lock(lock_);  // exclusive, as it prepares the lists for what is replaced
    log = log_;
    room = room_for_sealed();
    // The documents of the frozen table are only in the log until their own segment is there.
    const LogPlace& first = frozen_ && !written.is_flush ? frozen_->log : active_log_;
    manifest.log = first.log;
    manifest.first_record = first.first_record;
    for (std::size_t place = 0; place < parts_.size(); ++place) {
      if (is_merged(place)) continue;
      Part& kept = parts_[place];
      std::vector<DocumentNumber> more;  // that are replaced, and not removed yet
      for_each_replaced(place, [&](DocumentNumber document) {
        kept.removed.prepare(document);
        if (!kept.removed[document]) more.push_back(document);
      });
      std::sort(more.begin(), more.end());
      more.erase(std::unique(more.begin(), more.end()), more.end());
      counts[place] = kept.removed_count + more.size();
      files[place] = kept.removed_file;
      if (counts[place] != kept.removed_written) {
        files[place] = next_number_++;
        const std::vector<DocumentNumber> earlier = kept.removed.places();
        std::vector<DocumentNumber> removed;
        std::set_union(earlier.begin(), earlier.end(), more.begin(), more.end(),
                       std::back_inserter(removed));
        lists.push_back(
            {files[place], {kept.number, kept.segment->seal().checksum, std::move(removed)}});
      }
      manifest.parts.push_back(
          {kept.number, kept.segment->seal(), files[place], kept.removed_seal});
    }
    take_removed();
    part.removed_written = part.removed_count;
    if (part.removed_count > 0) {
      part.removed_file = next_number_++;
      lists.push_back(
          {part.removed_file, {part.number, part.segment->seal().checksum, part.removed.places()}});
    }
    if (part.segment)
      manifest.parts.push_back({part.number, part.segment->seal(), part.removed_file, {}});
  }
  log->sync();
  for (const auto& [file, list] : lists) {
    const Seal seal = folder_.write_removed(file, list);
    made.add(folder_.removed(file));
    for (Manifest::Part& named : manifest.parts)
      if (named.removed == file) named.removed_seal = seal;
  }
  folder_.sync();
  try {
    folder_.write_manifest(manifest);
    made.keep();
  } catch (...) {
    // The new manifest may be in place although writing it failed. If it is not, its files are
    // deleted, or there would be more with every try.
    try {
      if (folder_.read_manifest() == manifest) made.keep();
    } catch (...) {
      made.keep();
    }
    throw;
  }
  manifest_ = std::move(manifest);

  std::unique_ptr<Frozen> done;
  {
    const std::unique_lock lock(lock_);
    take_removed();
    for (std::size_t place = 0; place < parts_.size(); ++place) {
      if (is_merged(place)) continue;
      Part& kept = parts_[place];
      kept.removed_written = counts[place];
      kept.removed_file = files[place];
      kept.removed_seal = manifest_.parts[next.size()].removed_seal;
      for_each_replaced(place, [&](DocumentNumber document) {
        kept.removed_count += !kept.removed[document];
        kept.removed.set(document);
      });
      next.push_back(std::move(kept));
    }
    if (part.segment) {
      part.removed_seal = manifest_.parts.back().removed_seal;
      next.push_back(std::move(part));
    }
    parts_.swap(next);
    if (written.is_flush) done = std::move(frozen_);
    publish_version(versions_.latest().at, std::move(room));
  }
  const std::lock_guard nobody_begins(in_work_mutex_);
  in_work_.erase(written.number);  // from now on the manifest says whether its file stays
  folder_.remove_others(manifest_, in_work_);
}

}  // namespace benzer
