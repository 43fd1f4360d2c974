// Lists that may outgrow memory: one that is written once and read anywhere, and a sorter that
// yields one.
//
// Without a limit both are vectors. With one, the sorter writes sorted runs and merges them, as
// every external merge sort does (Knuth, The Art of Computer Programming 3, 5.4.1).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <ips4o/ips4o.hpp>

#include "base/workspace.h"

namespace benzer {

template <class T>
class BigList {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  BigList() = default;
  explicit BigList(std::vector<T> items) : memory_(std::move(items)), size_(memory_.size()) {}
  // The bytes of `size` items from the beginning of the file.
  BigList(std::shared_ptr<const ScratchFile> file, std::size_t size)
      : file_(std::move(file)), size_(size) {}

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

  // Reads on from a place. The list must outlive it; one thread.
  class Cursor {
   public:
    explicit Cursor(const BigList& list, std::size_t begin = 0, std::size_t buffer = kBuffer)
        : list_(&list), next_(begin), buffer_items_(std::max<std::size_t>(buffer / sizeof(T), 1)) {}

    // Null at the end; valid until the next call.
    const T* next() {
      if (next_ == list_->size_) return nullptr;
      if (!list_->file_) return &list_->memory_[next_++];
      if (at_ == buffer_.size()) {
        buffer_.resize(std::min(buffer_items_, list_->size_ - next_));
        list_->file_->read(next_ * sizeof(T), buffer_.data(), buffer_.size() * sizeof(T));
        at_ = 0;
      }
      ++next_;
      return &buffer_[at_++];
    }

   private:
    static constexpr std::size_t kBuffer = std::size_t{256} << 10;
    const BigList* list_;
    std::size_t next_;
    std::size_t buffer_items_;
    std::vector<T> buffer_;
    std::size_t at_ = 0;
  };

  template <class Visit>
  void for_each(Visit visit) const {
    Cursor cursor(*this);
    while (const T* item = cursor.next()) visit(*item);
  }

 private:
  std::vector<T> memory_;
  std::shared_ptr<const ScratchFile> file_;  // null: in memory_
  std::size_t size_ = 0;
};

// Less must be a stateless total preorder; items that are equal under it come in any order unless
// they are equal in all.
template <class T, class Less = std::less<T>>
class Sorter {
 public:
  enum Repeats : bool { kKeep, kDrop };

  // Sorts in pieces of at most so many bytes where memory is limited.
  Sorter(const Workspace& workspace, std::size_t piece_bytes, Repeats repeats = kKeep)
      : workspace_(&workspace),
        repeats_(repeats),
        most_(workspace.limited() ? std::max<std::size_t>(piece_bytes / sizeof(T), 1024)
                                  : ~std::size_t{0}),
        next_sort_(repeats == kDrop ? std::min(most_, kFirstSort) : most_) {}

  void add(const T& item) {
    if (piece_.size() == next_sort_) make_room();
    // Doubling to the end of a piece would hold half as much again for nothing.
    if (piece_.size() == piece_.capacity() && 2 * piece_.size() > most_) piece_.reserve(most_);
    piece_.push_back(item);
  }

  // All items in order, repeats dropped if that was wanted. The sorter is empty then.
  BigList<T> finish() {
    if (runs_.empty()) {
      sort_piece();
      return BigList<T>(std::exchange(piece_, {}));
    }
    sort_piece();
    if (!piece_.empty()) write_sorted_run();
    piece_ = {};
    return merge();
  }

 private:
  // Where repeats are dropped, a list that may hold many is sorted whenever it has doubled.
  static constexpr std::size_t kFirstSort = std::size_t{1} << 20;

  struct Run {
    std::shared_ptr<ScratchFile> file;
    std::size_t size;
  };

  static bool equal(const T& x, const T& y) { return !Less()(x, y) && !Less()(y, x); }

  void sort_piece() {
    ips4o::sort(piece_.begin(), piece_.end(), Less());
    if (repeats_ == kDrop)
      piece_.erase(std::unique(piece_.begin(), piece_.end(), equal), piece_.end());
  }

  void make_room() {
    sort_piece();
    if (repeats_ == kDrop && 2 * piece_.size() < most_) {
      next_sort_ = std::min(most_, std::max(kFirstSort, 2 * piece_.size()));
      return;
    }
    write_sorted_run();
    next_sort_ = repeats_ == kDrop ? std::min(most_, kFirstSort) : most_;
  }

  void write_sorted_run() {
    auto file = std::make_shared<ScratchFile>(*workspace_);
    file->append(piece_.data(), piece_.size() * sizeof(T));
    runs_.push_back({std::move(file), piece_.size()});
    piece_.clear();
  }

  BigList<T> merge() {
    struct Head {
      const T* item;
      std::size_t run;
    };
    const auto later = [](const Head& x, const Head& y) {
      return Less()(*y.item, *x.item) || (!Less()(*x.item, *y.item) && y.run < x.run);
    };
    const std::size_t buffer = std::max<std::size_t>(most_ * sizeof(T) / (runs_.size() + 1), 4096);
    std::vector<BigList<T>> lists;
    for (Run& run : runs_) lists.emplace_back(std::move(run.file), run.size);
    runs_.clear();
    std::vector<typename BigList<T>::Cursor> cursors;
    std::vector<Head> heads;
    for (std::size_t run = 0; run < lists.size(); ++run) {
      cursors.emplace_back(lists[run], 0, buffer);
      if (const T* item = cursors.back().next()) heads.push_back({item, run});
    }
    std::make_heap(heads.begin(), heads.end(), later);

    auto merged = std::make_shared<ScratchFile>(*workspace_);
    std::vector<T> out;
    out.reserve(std::max<std::size_t>(buffer / sizeof(T), 1));
    std::size_t size = 0;
    T last{};
    while (!heads.empty()) {
      std::pop_heap(heads.begin(), heads.end(), later);
      Head& head = heads.back();
      if (repeats_ == kKeep || size == 0 || !equal(last, *head.item)) {
        if (out.size() == out.capacity()) {
          merged->append(out.data(), out.size() * sizeof(T));
          out.clear();
        }
        out.push_back(last = *head.item);
        ++size;
      }
      head.item = cursors[head.run].next();
      if (head.item) {
        std::push_heap(heads.begin(), heads.end(), later);
      } else {
        heads.pop_back();
      }
    }
    merged->append(out.data(), out.size() * sizeof(T));
    return BigList<T>(std::move(merged), size);
  }

  const Workspace* workspace_;
  Repeats repeats_;
  std::size_t most_;       // items of a piece
  std::size_t next_sort_;  // items of this piece at which room must be made
  std::vector<T> piece_;
  std::vector<Run> runs_;
};

}  // namespace benzer
