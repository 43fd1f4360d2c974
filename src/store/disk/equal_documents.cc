#include "store/disk/equal_documents.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace benzer {
namespace {

// 64 KiB. A few dozen hashes do not fill any of so many sets, so a small segment forgets none.
constexpr std::size_t kFirstSets = 1024;

}  // namespace

EqualDocuments::EqualDocuments(std::size_t most_bytes)
    : most_sets_(std::bit_floor(std::max<std::size_t>(1, most_bytes / sizeof(Set)))),
      sets_(std::min(most_sets_, kFirstSets)) {}

EqualDocuments::Entry* EqualDocuments::find(std::uint64_t hash) noexcept {
  for (Entry& entry : set_of(hash))
    if (!entry.is_free() && entry.hash == hash) return &entry;
  return nullptr;
}

// Grows only when half of the room is taken: one hash in twenty is forgotten until then, but a
// smaller table takes less time.
void EqualDocuments::add(std::uint64_t hash, DocumentNumber document) {
  const bool is_full = !set_of(hash).back().is_free();
  if (is_full && 2 * used_ >= kWays * sets_.size() && sets_.size() < most_sets_) grow();
  put({hash, document, 0});
}

void EqualDocuments::put(const Entry& entry) noexcept {
  Set& set = set_of(entry.hash);
  auto place = std::find_if(set.begin(), set.end(), [](const Entry& one) { return one.is_free(); });
  if (place == set.end()) {
    place = std::min_element(set.begin(), set.end(), [](const Entry& x, const Entry& y) {
      return std::tie(x.copies, x.document) < std::tie(y.copies, y.document);
    });
  } else {
    ++used_;
  }
  *place = entry;
}

void EqualDocuments::grow() {
  std::vector<Set> former(2 * sets_.size());
  former.swap(sets_);
  used_ = 0;
  for (const Set& set : former)
    for (const Entry& entry : set)
      if (!entry.is_free()) put(entry);
}

}  // namespace benzer
