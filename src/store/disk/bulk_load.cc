#include "store/disk/bulk_load.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "benzer/error.h"

namespace benzer {

DiskStore::Load::Load(DiskStore& store) : store_(store) {
  store.check_writable();
  {
    const std::unique_lock lock(store.lock_);
    if (std::exchange(store.is_loading_, true))
      throw Error(ErrorCode::kBusy, "another bulk load of this index is under way", "wait for it");
  }
  // From here on the log has no record that is not in a segment, so none is earlier or later than
  // what is loaded. A new log begins, which only the manifest of the load names: an earlier
  // manifest, without the load, is recognised by the log that it names.
  try {
    store.flusher_->ask([&] {
      store.flush(true);
      store.begin_log();
    });
    {
      const std::shared_lock lock(store.lock_);
      before_ = store.numbered_documents();
    }
    // The number is taken after the flush: without a manifest, the segment with the larger number
    // is the one that has the later documents.
    number_.emplace(store);
    writer_ = std::make_unique<SegmentWriter>(store.folder_.segment(number_->get()), store.layout_,
                                              store.fingerprint_, store.id_seed_);
  } catch (...) {
    const std::unique_lock lock(store.lock_);
    store.is_loading_ = false;
    throw;
  }
}

DiskStore::Load::~Load() {
  writer_.reset();
  const std::unique_lock lock(store_.lock_);
  store_.is_loading_ = false;
}

void DiskStore::Load::add(const DocumentHashes& document) {
  if (!std::exchange(is_sound_, false))
    throw Error(ErrorCode::kStorageFailed,
                "something of this bulk load could not be written before", "begin it again");
  store_.check_room(before_ + writer_->size());
  writer_->add(document);
  is_sound_ = true;
}

DiskStore::Load::Result DiskStore::Load::finish() {
  if (!std::exchange(is_sound_, false))
    throw Error(ErrorCode::kStorageFailed, "not all of this bulk load could be written",
                "begin it again");
  LogPlace log;
  {
    const std::shared_lock lock(store_.lock_);
    log = store_.active_log_;
  }
  writer_->seal({number_->get(), number_->get(), log.log, log.first_record, {0}});
  store_.loaded_ = {};
  store_.flusher_->ask([this] { store_.publish_load(number_->get()); });
  store_.merger_->wake();
  return {store_.loaded_.documents, store_.loaded_.replaced};
}

// Finds the documents that the new segment replaces, and adds it to the other segments.
void DiskStore::publish_load(std::uint64_t number) {
  Written written;
  written.number = number;
  written.segment = open_written(number);
  const std::lock_guard publishing(publishing_);
  const Segment& segment = *written.segment;
  written.removed.resize(segment.size());
  segment.for_each_earlier([&](DocumentNumber document) { written.removed[document] = true; });
  std::uint64_t replaced = 0;
  for (const Part& part : parts_) {
    std::vector<DocumentNumber>& of_part = written.replaced.emplace_back();
    part.segment->for_each_same_id(segment, [&](DocumentNumber document, DocumentNumber loaded) {
      if (!part.removed[document] && !written.removed[loaded]) of_part.push_back(document);
    });
    replaced += of_part.size();
  }
  publish(written);
  loaded_.documents = segment.size() - static_cast<std::uint64_t>(std::count(
                                           written.removed.begin(), written.removed.end(), true));
  loaded_.replaced = replaced;
}

}  // namespace benzer
