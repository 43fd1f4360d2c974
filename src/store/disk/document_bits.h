// Keeps a bit for each document of a segment, set if the document is removed. For a reader, keeping
// the bits of a moment costs only a pointer.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace benzer {

// Threads: immutable; share freely.
class DocumentBits {
 public:
  std::size_t size() const noexcept { return size_; }
  bool operator[](std::size_t place) const noexcept {
    const Block* const block = (*blocks_)[place / kBits].get();
    return block != nullptr && ((*block)[place % kBits / 64] >> place % 64 & 1) != 0;
  }
  std::uint64_t count() const noexcept {
    std::uint64_t sum = 0;
    for (const std::shared_ptr<Block>& block : *blocks_)
      if (block)
        for (const std::uint64_t word : *block) sum += static_cast<unsigned>(std::popcount(word));
    return sum;
  }
  // Calls visit(place) for each bit that is set, in order. Costs little where few are: the writers'
  // lock is held meanwhile.
  template <class Visit>
  void for_each_set(Visit visit) const {
    for (std::size_t number = 0; number < blocks_->size(); ++number) {
      const Block* const block = (*blocks_)[number].get();
      if (block == nullptr) continue;
      for (std::size_t i = 0; i < block->size(); ++i)
        for (std::uint64_t word = (*block)[i]; word != 0; word &= word - 1)
          visit(number * kBits + i * 64 + static_cast<unsigned>(std::countr_zero(word)));
    }
  }
  std::vector<bool> all() const {
    std::vector<bool> out(size_);
    for_each_set([&](std::size_t place) { out[place] = true; });
    return out;
  }
  // Returns the places of the bits that are set, in order.
  std::vector<std::uint32_t> places() const {
    std::vector<std::uint32_t> out;
    for_each_set([&](std::size_t place) { out.push_back(static_cast<std::uint32_t>(place)); });
    return out;
  }

 protected:
  static constexpr std::size_t kBits = std::size_t{1} << 15;
  using Block = std::array<std::uint64_t, kBits / 64>;
  using Blocks = std::vector<std::shared_ptr<Block>>;  // null: no bit is set

  explicit DocumentBits(std::size_t size)
      : size_(size), blocks_(std::make_shared<Blocks>((size + kBits - 1) / kBits)) {}

  std::size_t size_;
  std::shared_ptr<Blocks> blocks_;
};

// The bits that the writer changes. Blocks that are shared with copies are copied before they are
// changed. Threads: one writer, or any number of readers.
class MutableDocumentBits : public DocumentBits {
 public:
  explicit MutableDocumentBits(std::size_t size = 0)
      : DocumentBits(size), own_(blocks_->size(), true) {}

  // After this, set() of the place needs no memory, until share() is called.
  void prepare(std::size_t place) {
    if (is_shared_) {
      own_.assign(own_.size(), false);
      blocks_ = std::make_shared<Blocks>(*blocks_);
      is_shared_ = false;
    }
    const std::size_t number = place / kBits;
    std::shared_ptr<Block>& block = (*blocks_)[number];
    if (block && own_[number]) return;
    block = block ? std::make_shared<Block>(*block) : std::make_shared<Block>();
    own_[number] = true;
  }
  void prepare_all() {
    for (std::size_t place = 0; place < size_; place += kBits) prepare(place);
  }
  // The place must have been prepared.
  void set(std::size_t place) noexcept {
    (*(*blocks_)[place / kBits])[place % kBits / 64] |= std::uint64_t{1} << place % 64;
  }
  // Returns the bits as they are now; later changes do not affect them.
  DocumentBits share() noexcept {
    is_shared_ = true;
    return *this;
  }

 private:
  std::vector<bool> own_;  // the blocks that are not shared; not used while all are
  bool is_shared_ = false;
};

}  // namespace benzer
