#include "store/disk/sync_mark.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <xxhash.h>

#include "benzer/error.h"

#include "store/disk/store_folder.h"

namespace benzer {
namespace {

constexpr std::string_view kMagic = "BENZSYN1";
constexpr std::uint64_t kSlotDistance = 4096;  // so that no write to the disk changes both
constexpr int kSlots = 2;

// Magic, log, bytes, next number, XXH3-64 of these.
using Slot = std::array<char, 40>;
constexpr std::size_t kChecked = sizeof(Slot) - sizeof(std::uint64_t);

Slot slot_of(const SyncMark::Place& place) {
  Slot out;
  kMagic.copy(out.data(), kMagic.size());
  const std::uint64_t numbers[] = {place.log, place.bytes, place.next_number};
  std::memcpy(out.data() + kMagic.size(), numbers, sizeof numbers);
  const std::uint64_t checksum = XXH3_64bits(out.data(), kChecked);
  std::memcpy(out.data() + kChecked, &checksum, sizeof checksum);
  return out;
}

std::optional<SyncMark::Place> place_of(const Slot& slot) {
  std::uint64_t numbers[4];
  std::memcpy(numbers, slot.data() + kMagic.size(), sizeof numbers);
  if (std::memcmp(slot.data(), kMagic.data(), kMagic.size()) != 0 ||
      numbers[3] != XXH3_64bits(slot.data(), kChecked))
    return std::nullopt;
  return SyncMark::Place{numbers[0], numbers[1], numbers[2]};
}

[[noreturn]] void throw_failed(const std::string& path, std::string_view what, int error) {
  throw Error(ErrorCode::kStorageFailed, Subject::file(path),
              fmt::format("it {}: {}", what, system_message(error)));
}

}  // namespace

std::optional<SyncMark::Place> SyncMark::read(const std::string& path) {
  FileHandle file;
  if (const int error = open_to_read(path, file)) {
    if (error == ENOENT) return std::nullopt;
    throw_failed(path, "cannot be opened", error);
  }
  std::optional<Place> latest;
  for (int i = 0; i < kSlots; ++i) {
    Slot slot{};
    std::size_t got = 0;
    if (const int error =
            pread_fully(file.get(), slot.data(), slot.size(), kSlotDistance * i, &got))
      fail_to_read(path, "it", error);
    const std::optional<Place> place = place_of(slot);
    if (place && (!latest || *latest < *place)) latest = place;
  }
  return latest;
}

SyncMark::SyncMark(const std::string& path) : last_(read(path)) {
  if (const int error = open_file(path, O_RDWR | O_CREAT, 0644, file_))
    throw_failed(path, "cannot be opened", error);
  Slot first{};
  std::size_t got = 0;
  pread_fully(file_.get(), first.data(), first.size(), 0, &got);
  next_slot_ = last_ && place_of(first) == last_ ? 1 : 0;
}

void SyncMark::move(const Place& place) noexcept {
  const std::lock_guard lock(mutex_);
  if (last_ && place <= *last_) return;
  const Slot slot = slot_of(place);
  // If this fails, the disk has an earlier mark, which is true, too.
  if (pwrite_fully(file_.get(), slot.data(), slot.size(), kSlotDistance * next_slot_) != 0) return;
  last_ = place;
  next_slot_ = (next_slot_ + 1) % kSlots;
}

void SyncMark::sync() noexcept {
  const std::lock_guard lock(mutex_);
  file_system().fsync(file_.get());
}

}  // namespace benzer
