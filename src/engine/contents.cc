#include "engine/contents.h"

#include "engine/whole_index.h"

namespace benzer {

Contents::Contents(StoreReader& reader) : documents_(documents_in_order(reader)) {
  for (const DocumentNumber document : documents_) {
    const DocumentNumber original = reader.original(document);
    if (original != document) copies_.push_back({original, document});
  }
  if (copies_.empty()) return;
  std::vector<DocumentNumber> copies;
  copies.reserve(copies_.size());
  for (const Copy& one : copies_) copies.push_back(one.copy);
  originals_.reserve(documents_.size() - copies.size());
  std::ranges::set_difference(documents_, copies, std::back_inserter(originals_));
  std::sort(copies_.begin(), copies_.end());
}

}  // namespace benzer
