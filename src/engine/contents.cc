#include "engine/contents.h"

#include "engine/whole_index.h"

namespace benzer {

Contents::Contents(StoreReader& reader, const AttributeFilter& live)
    : documents_(documents_in_order(reader)) {
  if (live.is_needed())
    std::erase_if(documents_, [&](DocumentNumber document) {
      if (live.passes(reader, document)) return false;
      expired_.push_back(document);
      return true;
    });
  for (const DocumentNumber document : documents_) {
    const DocumentNumber original = reader.original(document);
    if (original != document) copies_.push_back({original, document});
  }
  if (copies_.empty()) return;
  std::sort(copies_.begin(), copies_.end());
  std::vector<DocumentNumber> copies;
  copies.reserve(copies_.size());
  for (const Copy& one : copies_) copies.push_back(one.copy);
  std::sort(copies.begin(), copies.end());
  originals_.reserve(documents_.size() - copies.size());
  std::ranges::set_difference(documents_, copies, std::back_inserter(originals_));
  if (expired_.empty()) return;
  const auto middle = static_cast<std::ptrdiff_t>(originals_.size());
  for (const DocumentNumber document : expired_)
    if (count_copies(document) > 0) originals_.push_back(document);
  std::inplace_merge(originals_.begin(), originals_.begin() + middle, originals_.end());
}

}  // namespace benzer
