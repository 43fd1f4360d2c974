#include "store/disk/verify_store.h"

#include <vector>

#include "benzer/error.h"

#include "store/disk/named_files.h"
#include "store/disk/read_log.h"

namespace benzer {

void verify_store(const StoreFolder& folder, const HashLayout& layout, std::uint64_t fingerprint,
                  const std::function<std::optional<SyncMark::Place>()>& synced,
                  const std::function<std::shared_ptr<const Segment>(std::uint64_t)>& opened) {
  StoreFolder::read_schema(folder.path());
  std::vector<std::shared_ptr<const Segment>> segments;
  // A writer may remove files before they are opened here. After an error the files are opened once
  // more, and as often as there is another manifest by then.
  for (int i = 0;; ++i) {
    LogChain logs(folder, layout, synced());
    const Manifest manifest = folder.read_manifest();
    segments.clear();
    try {
      for (const Manifest::Part& named : manifest.parts) {
        segments.push_back(open_named_segment(folder, named, layout, fingerprint));
        if (named.removed != 0) read_named_removed(folder, named, *segments.back());
        const std::shared_ptr<const Segment> known = opened(named.segment);
        if (known && known->seal() == segments.back()->seal()) segments.back() = known;
      }
      for (std::size_t left = logs.begin(manifest).size(); left > 0; --left)
        logs.read([](LogRecord&) {});
      logs.end();
      break;
    } catch (const Error&) {
      const bool is_replaced = folder.read_manifest() != manifest;
      if (i > 0 && !is_replaced) throw;
      if (i == kMostRetries) throw_replaced_too_often(folder);
    }
  }
  // Open segments stay readable even if a merge removes their files.
  for (const auto& segment : segments) segment->verify();
}

}  // namespace benzer
