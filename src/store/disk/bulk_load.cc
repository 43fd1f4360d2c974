#include "store/disk/bulk_load.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "benzer/error.h"

namespace benzer {

DiskStore::Load::Load(DiskStore& store) : store_(store) {
  store.check_writable();
  const auto take_number = [&] { store.load_ = number_ = store.next_number_++; };
  {
    const std::unique_lock lock(store.lock_);
    if (store.load_ != 0)
      throw Error(ErrorCode::kBusy, "another bulk load of this store is under way; wait for it");
    take_number();
  }
  // From here on the log has no record that is not in a segment, so that none comes before or
  // behind what is loaded.
  try {
    store.ask({.flush = true});
    {
      // Larger than that of what was in memory: where nobody knows better, the segment with the
      // larger number has the later documents.
      const std::unique_lock lock(store.lock_);
      take_number();
    }
    writer_ = std::make_unique<SegmentWriter>(store.folder_.segment(number_), store.layout_,
                                              store.fingerprint_, store.id_seed_);
  } catch (...) {
    const std::unique_lock lock(store.lock_);
    store.load_ = 0;
    throw;
  }
}

DiskStore::Load::~Load() {
  writer_.reset();
  const std::unique_lock lock(store_.lock_);
  store_.load_ = 0;
}

void DiskStore::Load::add(const DocumentHashes& document) {
  if (!std::exchange(is_sound_, false))
    throw Error(ErrorCode::kStorageFailed,
                "something of this bulk load could not be written before; begin it again");
  writer_->add(document);
  is_sound_ = true;
}

DiskStore::Load::Result DiskStore::Load::finish() {
  if (!std::exchange(is_sound_, false))
    throw Error(ErrorCode::kStorageFailed,
                "not all of this bulk load could be written; begin it again");
  writer_->seal({number_, store_.active_log_, store_.active_first_record_, {}});
  store_.loaded_ = {};
  store_.ask({.load = true});
  return {store_.loaded_.documents, store_.loaded_.replaced};
}

// The worker's part: which documents the new segment replaces, and its place among the others.
void DiskStore::publish_load() {
  Written written;
  {
    const std::shared_lock lock(lock_);
    written.number = load_;
  }
  const Segment segment(folder_.segment(written.number), layout_, fingerprint_);
  written.documents = segment.size();
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
  loaded_.documents =
      written.documents -
      static_cast<std::uint64_t>(std::count(written.removed.begin(), written.removed.end(), true));
  loaded_.replaced = replaced;
}

}  // namespace benzer
