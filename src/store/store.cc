#include "store/store.h"

#include "store/smallest_ids.h"

namespace benzer {

std::size_t bytes_of(const DocumentHashes& document) noexcept {
  std::size_t out = document.id.size() + document.attributes.size();
  for (const FieldHashes& field : document.fields)
    out += sizeof field + field.cut.size() + sizeof field.keys[0] * field.keys.size() +
           sizeof field.features[0] * field.features.size();
  return out;
}

std::uint64_t StoreReader::count_copies(DocumentNumber original) {
  std::uint64_t out = 0;
  for_each_copy(original, [&](DocumentNumber) {
    ++out;
    return true;
  });
  return out;
}

std::vector<DocumentNumber> StoreReader::first_copies(DocumentNumber original, std::size_t most) {
  SmallestIds first(most);
  for_each_copy(original, [&](DocumentNumber copy) {
    first.offer(id(copy), copy);
    return true;
  });
  return first.take();
}

std::vector<DocumentNumber> StoreReader::ids_after(std::string_view after, std::size_t most,
                                                   const Accepts& accepts) {
  SmallestIds first(most);
  for_each([&](DocumentNumber document) {
    const std::string_view own = id(document);
    if (own > after && first.has_room_for(own) && accepts(document)) first.offer(own, document);
    return true;
  });
  return first.take();
}

}  // namespace benzer
