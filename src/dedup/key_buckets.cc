// Packs the keys of bands to send them to other machines, and finds equal ones there.
//
// A packed part has an entry after the other: the document, as the difference to the one before in
// a variable number of bytes (zigzag, seven bits a byte, the lowest first), and five bytes of the
// key.
#include <algorithm>

#include "benzer/error.h"
#include "benzer/partition.h"

#include "base/splitmix.h"

namespace benzer {
namespace {

constexpr std::size_t kKeyBytes = 5;
constexpr std::size_t kMostNumberBytes = 10;

// The part takes the upper half of the hash and the packed key is of the lower half.
std::size_t part_of(std::uint64_t hash, std::size_t parts) noexcept {
  return static_cast<std::size_t>((hash >> 32) % parts);
}

void append_number(std::uint64_t number, std::string& out) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

[[noreturn]] void refuse() { throw Error(ErrorCode::kCorrupt, "packed keys are damaged"); }

}  // namespace

std::vector<std::string> pack_keys(std::span<const std::uint64_t> keys,
                                   std::span<const std::uint64_t> documents, std::size_t parts) {
  if (parts == 0 || documents.empty() || keys.size() % documents.size() != 0) {
    if (parts > 0 && keys.empty() && documents.empty()) return std::vector<std::string>(parts);
    throw Error(ErrorCode::kInvalidArgument,
                "there must be at least one part, and as many keys of "
                "each document as of every other");
  }
  const std::size_t bands = keys.size() / documents.size();
  std::vector<std::string> out(parts);
  std::vector<std::uint64_t> last(parts);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t hash = splitmix64(keys[i]);
    const std::size_t part = part_of(hash, parts);
    const std::uint64_t document = documents[i / bands];
    const std::uint64_t step = document - last[part];
    last[part] = document;
    append_number(step << 1 ^ (0 - (step >> 63)), out[part]);
    for (std::size_t byte = 0; byte < kKeyBytes; ++byte)
      out[part] += static_cast<char>(hash >> 8 * byte);
  }
  return out;
}

void KeyBuckets::add(std::string_view packed) {
  std::uint64_t document = 0;
  const auto byte_at = [&](std::size_t i) {
    if (i >= packed.size()) refuse();
    return std::uint64_t{static_cast<unsigned char>(packed[i])};
  };
  for (std::size_t i = 0; i < packed.size();) {
    std::uint64_t step = 0;
    for (std::size_t n = 0;; ++n) {
      if (n == kMostNumberBytes) refuse();
      const std::uint64_t byte = byte_at(i++);
      step |= (byte & 0x7F) << 7 * n;
      if (byte < 0x80) break;
    }
    document += step >> 1 ^ (0 - (step & 1));
    std::uint64_t key = 0;
    for (std::size_t byte = 0; byte < kKeyBytes; ++byte) key |= byte_at(i++) << 8 * byte;
    entries_.push_back({key, document});
  }
}

KeyBuckets::Found KeyBuckets::find(std::size_t most) {
  std::sort(entries_.begin(), entries_.end());
  entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
  Found out;
  for (std::size_t begin = 0, end; begin < entries_.size(); begin = end) {
    for (end = begin + 1; end < entries_.size() && entries_[end].key == entries_[begin].key;) ++end;
    if (end - begin > most) {
      out.large.insert(out.large.end(), entries_.begin() + static_cast<std::ptrdiff_t>(begin),
                       entries_.begin() + static_cast<std::ptrdiff_t>(end));
      continue;
    }
    for (std::size_t j = begin + 1; j < end; ++j)
      for (std::size_t i = begin; i < j; ++i)
        out.pairs.push_back({entries_[i].document, entries_[j].document});
  }
  entries_ = {};
  std::sort(out.pairs.begin(), out.pairs.end());
  out.pairs.erase(std::unique(out.pairs.begin(), out.pairs.end()), out.pairs.end());
  return out;
}

}  // namespace benzer
