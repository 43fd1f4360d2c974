// Keeps and sorts lists that may outgrow memory: BigList is written once and read from any place,
// and Sorter makes a sorted one.
//
// A list that fits into a piece is a vector. For a longer one the sorter writes sorted runs to one
// file and merges them, as every external merge sort does (Knuth, The Art of Computer Programming
// 3, 5.4.1). For any number of runs two or three files are open, and the buffers of a merge fit
// into a piece.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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
  // A list of the `size` items that begin at item `begin` of the file.
  BigList(std::shared_ptr<const ScratchFile> file, std::size_t size, std::size_t begin = 0)
      : file_(std::move(file)), begin_(begin), size_(size) {}

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

  // Reads the list forwards from item `begin`. The list must outlive it. Threads: one.
  class Cursor {
   public:
    explicit Cursor(const BigList& list, std::size_t begin = 0, std::size_t buffer = kBuffer)
        : list_(&list), next_(begin), buffer_items_(std::max<std::size_t>(buffer / sizeof(T), 1)) {}

    // Returns null at the end. The pointer is valid until the next call.
    const T* next() {
      if (next_ == list_->size_) return nullptr;
      if (!list_->file_) return &list_->memory_[next_++];
      if (at_ == buffer_.size()) {
        buffer_.resize(std::min(buffer_items_, list_->size_ - next_));
        list_->file_->read((list_->begin_ + next_) * sizeof(T), buffer_.data(),
                           buffer_.size() * sizeof(T));
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
  void for_each(Visit&& visit) const {
    Cursor cursor(*this);
    while (const T* item = cursor.next()) visit(*item);
  }

 private:
  std::vector<T> memory_;
  std::shared_ptr<const ScratchFile> file_;  // null: the items are in memory_
  std::size_t begin_ = 0;                    // first item in the file
  std::size_t size_ = 0;
};

// Sorts items in a limited amount of memory. Less must be a stateless total preorder; items that
// are equal under it come in no particular order.
template <class T, class Less = std::less<T>>
class Sorter {
 public:
  enum Repeats : bool { kKeep, kDrop };

  // Sorts in pieces of at most `piece_bytes` (Workspace::share()).
  Sorter(const Workspace& workspace, std::size_t piece_bytes, Repeats repeats = kKeep)
      : workspace_(&workspace),
        repeats_(repeats),
        most_(std::max<std::size_t>(piece_bytes / sizeof(T), 1024)),
        next_sort_(repeats == kDrop ? std::min(most_, kFirstSort) : most_) {}

  void add(const T& item) {
    if (piece_.size() == next_sort_) make_room();
    // Doubling the capacity once more would allocate memory beyond a piece, which is never used.
    if (piece_.size() == piece_.capacity() && piece_.size() > most_ / 2) piece_.reserve(most_);
    piece_.push_back(item);
  }

  // Returns all items in order, with kDrop without repeats, and leaves the sorter empty.
  BigList<T> finish() {
    if (runs_.empty()) {
      sort_piece();
      return BigList<T>(std::exchange(piece_, {}));
    }
    sort_piece();
    if (!piece_.empty()) write_sorted_run();
    std::vector<T>().swap(piece_);  // frees its memory, which an assignment of {} would keep
    while (runs_.size() > fan_in()) merge_in_groups();
    auto merged = std::make_shared<ScratchFile>(*workspace_);
    const Run all = merge(runs_, *merged);
    runs_.clear();
    file_.reset();
    return BigList<T>(std::move(merged), all.size);
  }

 private:
  // With kDrop, a piece of this many items is sorted to drop its repeats, and again whenever it has
  // doubled.
  static constexpr std::size_t kFirstSort = std::size_t{1} << 20;

  // The least number of bytes that a merge reads of a run at a time, since a hard disk is slow at
  // many small reads. fan_in() follows from it, so that the buffers of a merge fit into a piece.
  static constexpr std::size_t kLeastBuffer = std::size_t{16} << 10;

  // A sorted run: where it is in the file of runs, in items.
  struct Run {
    std::size_t begin;
    std::size_t size;
  };

  // The largest number of runs that are merged at a time. The output has a buffer, too.
  std::size_t fan_in() const {
    return std::max<std::size_t>(most_ / (kLeastBuffer / sizeof(T) + 1), 3) - 1;
  }

  static bool equal(const T& x, const T& y) { return !Less()(x, y) && !Less()(y, x); }

  void sort_piece() {
    ips4o::sort(piece_.begin(), piece_.end(), Less());
    if (repeats_ == kDrop)
      piece_.erase(std::unique(piece_.begin(), piece_.end(), equal), piece_.end());
  }

  void make_room() {
    sort_piece();
    if (repeats_ == kDrop && piece_.size() < most_ / 2) {
      next_sort_ = std::min(most_, std::max(kFirstSort, 2 * piece_.size()));
      return;
    }
    write_sorted_run();
    next_sort_ = repeats_ == kDrop ? std::min(most_, kFirstSort) : most_;
  }

  void write_sorted_run() {
    if (!file_) file_ = std::make_shared<ScratchFile>(*workspace_);
    const std::uint64_t begin = file_->append(piece_.data(), piece_.size() * sizeof(T));
    runs_.push_back({static_cast<std::size_t>(begin / sizeof(T)), piece_.size()});
    piece_.clear();
  }

  // Merges all runs in one pass into fewer and longer ones, in a new file.
  void merge_in_groups() {
    auto longer = std::make_shared<ScratchFile>(*workspace_);
    std::vector<Run> merged;
    const std::span<const Run> runs = runs_;
    for (std::size_t at = 0; at < runs.size(); at += fan_in())
      merged.push_back(merge(runs.subspan(at, std::min(fan_in(), runs.size() - at)), *longer));
    file_ = std::move(longer);
    runs_ = std::move(merged);
  }

  // Appends the items of the runs to the file, in order.
  Run merge(std::span<const Run> runs, ScratchFile& merged) const {
    struct Head {
      const T* item;
      std::size_t run;
    };
    const auto later = [](const Head& x, const Head& y) {
      return Less()(*y.item, *x.item) || (!Less()(*x.item, *y.item) && y.run < x.run);
    };
    const std::size_t buffer =
        std::max<std::size_t>(most_ * sizeof(T) / (runs.size() + 1), sizeof(T));
    std::vector<BigList<T>> lists;
    for (const Run& run : runs) lists.emplace_back(file_, run.size, run.begin);
    std::vector<typename BigList<T>::Cursor> cursors;
    std::vector<Head> heads;
    for (std::size_t run = 0; run < lists.size(); ++run) {
      cursors.emplace_back(lists[run], 0, buffer);
      if (const T* item = cursors.back().next()) heads.push_back({item, run});
    }
    std::make_heap(heads.begin(), heads.end(), later);

    const std::uint64_t begin = merged.size();
    std::vector<T> out;
    out.reserve(std::max<std::size_t>(buffer / sizeof(T), 1));
    std::size_t size = 0;
    T last{};
    while (!heads.empty()) {
      std::pop_heap(heads.begin(), heads.end(), later);
      Head& head = heads.back();
      if (repeats_ == kKeep || size == 0 || !equal(last, *head.item)) {
        if (out.size() == out.capacity()) {
          merged.append(out.data(), out.size() * sizeof(T));
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
    merged.append(out.data(), out.size() * sizeof(T));
    return {static_cast<std::size_t>(begin / sizeof(T)), size};
  }

  const Workspace* workspace_;
  Repeats repeats_;
  std::size_t most_;       // items of a piece, at most
  std::size_t next_sort_;  // items in the piece at which make_room() is called
  std::vector<T> piece_;
  std::shared_ptr<ScratchFile> file_;  // holds the runs; null if there are none
  std::vector<Run> runs_;
};

}  // namespace benzer
