#include "passages/kept_words.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <xxhash.h>

#include "base/mersenne61.h"
#include "base/random_seed.h"
#include "base/splitmix.h"

namespace benzer {
namespace {

// Up to this many words are compared one by one, more by their hashes.
constexpr std::uint64_t kOneByOne = 1024;

// Returns the hash of a run that is longer by a word. Of two runs that differ, a random base gives
// equal hashes with a probability of at most their length / 2^61 (Karp and Rabin 1987).
std::uint64_t longer(std::uint64_t hash, std::uint64_t base, std::uint64_t word) noexcept {
  return linear_mersenne61(hash, base, mod_mersenne61(word));
}

// Words that are compared at once.
constexpr std::size_t kAtOnce = 16;

// Returns how many of the first words are equal.
std::size_t equal_words(const std::uint64_t* a, const std::uint64_t* b,
                        std::size_t count) noexcept {
  std::size_t same = 0;
  while (count - same >= kAtOnce && std::memcmp(a + same, b + same, kAtOnce * sizeof *a) == 0)
    same += kAtOnce;
  while (same < count && a[same] == b[same]) ++same;
  return same;
}

}  // namespace

KeptWords::KeptWords(Workspace& workspace)
    : pages_({kPageWords * sizeof(std::uint64_t)}, workspace),
      base_(mod_mersenne61(random_seed())),
      boundary_(random_seed()) {
  add_boundary();
}

void KeptWords::add(std::uint64_t word) {
  if (page_.size() % kBlock == 0) hashes_.push_back(hash_);
  hash_ = longer(hash_, base_, word);
  page_.push_back(word);
  if (page_.size() < kPageWords) return;
  const void* page = page_.data();
  pages_.append(std::span(&page, 1), 1);
  page_.clear();
}

// That two boundaries are equal is as unlikely as that two words have the same hash.
void KeptWords::add_boundary() { add(splitmix64(boundary_ += kSplitmixStep) | kBoundary); }

WordPlace KeptWords::append(std::span<const std::uint64_t> part) {
  const WordPlace begin = size();
  for (const std::uint64_t word : part) add(word & ~kBoundary);
  add_boundary();
  return begin;
}

void KeptWords::add_to_digest(std::string_view bytes) {
  digest_ = XXH3_64bits_withSeed(bytes.data(), bytes.size(), digest_);
}

void KeptWords::finish() {
  while (!page_.empty()) add_boundary();
}

WordComparer::WordComparer(const KeptWords& words) : row_(words), copies_(kCopies) {
  std::uint64_t power = words.base_;
  for (std::uint64_t& each : powers_) {
    each = power;
    power = linear_mersenne61(power, power, 0);
  }
}

std::span<const std::uint64_t> WordComparer::words(WordPlace place, bool* is_copy) {
  const std::uint64_t page = place / KeptWords::kPageWords;
  const std::size_t begin = place % KeptWords::kPageWords;
  const auto* words = static_cast<const std::uint64_t*>(row_.pages_.resident(page, 0));
  if (is_copy != nullptr) *is_copy = words == nullptr;
  if (words == nullptr) {
    PageCopy& copy = copies_[page % kCopies];
    if (copy.page != page) {
      row_.pages_.value(page, 0, copy.words);
      copy.page = page;
    }
    words = reinterpret_cast<const std::uint64_t*>(copy.words.data());
  }
  return {words + begin, KeptWords::kPageWords - begin};
}

std::uint64_t WordComparer::word(WordPlace place) { return words(place).front(); }

std::uint64_t WordComparer::equal_up_to(WordPlace a, WordPlace b, std::uint64_t most) {
  std::uint64_t done = 0;
  while (done < most) {
    bool is_copy = false;
    std::span<const std::uint64_t> of_a = words(a + done, &is_copy);
    std::array<std::uint64_t, kAtOnce> some;
    if (is_copy) {  // two pages may have the same place among the copies
      const std::size_t count = std::min(some.size(), of_a.size());
      std::copy_n(of_a.begin(), count, some.begin());
      of_a = {some.data(), count};
    }
    const std::span<const std::uint64_t> of_b = words(b + done);
    const std::size_t both = std::min<std::uint64_t>({of_a.size(), of_b.size(), most - done});
    const std::size_t same = equal_words(of_a.data(), of_b.data(), both);
    done += same;
    if (same < both) break;
  }
  return done;
}

std::uint64_t WordComparer::power(std::uint64_t exponent) const noexcept {
  std::uint64_t power = 1;
  for (std::size_t bit = 0; exponent != 0; ++bit, exponent >>= 1)
    if (exponent & 1) power = linear_mersenne61(power, powers_[bit], 0);
  return power;
}

std::uint64_t WordComparer::hash_before(WordPlace place) {
  const std::uint64_t block = place / KeptWords::kBlock;
  std::uint64_t hash = row_.hashes_[block];
  const std::span<const std::uint64_t> of_block = words(block * KeptWords::kBlock);
  for (std::size_t i = 0; i < place % KeptWords::kBlock; ++i)
    hash = longer(hash, row_.base_, of_block[i]);
  return hash;
}

std::uint64_t WordComparer::equal(WordPlace a, WordPlace b, std::uint64_t known) {
  constexpr std::uint64_t kBlock = KeptWords::kBlock;
  // Word by word at first, up to the end of a block of `a`: from there on its hashes are those that
  // are kept.
  const WordPlace least = a + known + kOneByOne;
  const std::uint64_t few = kOneByOne + (kBlock - least % kBlock) % kBlock;
  std::uint64_t count = known + equal_up_to(a + known, b + known, few);
  if (count < known + few) return count;
  const std::uint64_t most = row_.size() - std::max(a, b) - 1;
  std::uint64_t before_a = hash_before(a + count), before_b = hash_before(b + count);
  const auto extend = [&](std::uint64_t step) {
    if (count + step > most) return false;
    const std::uint64_t shift = power(step);
    const auto between = [&](std::uint64_t begin, std::uint64_t end) {
      return mod_mersenne61(end + kMersenne61 - linear_mersenne61(begin, shift, 0));
    };
    const std::uint64_t end_a = hash_before(a + count + step);
    const std::uint64_t end_b = hash_before(b + count + step);
    if (between(before_a, end_a) != between(before_b, end_b)) return false;
    before_a = end_a;
    before_b = end_b;
    count += step;
    return true;
  };
  // Doubles the step while it holds, then halves it.
  std::uint64_t step = kOneByOne;
  while (extend(step)) step *= 2;
  for (step /= 2; step >= kBlock; step /= 2) extend(step);
  return count + equal_up_to(a + count, b + count, kBlock);
}

}  // namespace benzer
