#include "io/open_files.h"

namespace benzer {

OpenFiles::Use OpenFiles::open(std::uint32_t source) {
  std::unique_lock lock(mutex_);
  while (true) {
    Slot* slot = find(source);
    if (slot && slot->file) {
      ++slot->users;
      slot->last_use = ++uses_;
      return {*this, *slot};
    }
    // A slot without a file is being opened by another thread.
    if (!slot) slot = oldest_unused();
    if (slot && slot->users == 0) {
      slot->source = source;
      slot->users = 1;
      slot->last_use = ++uses_;
      slot->file.reset();
      lock.unlock();
      try {
        std::optional<SourceFile> file(std::in_place, sources_[source]);
        lock.lock();
        slot->file = std::move(file);
      } catch (...) {
        release(*slot);
        throw;
      }
      changed_.notify_all();
      return {*this, *slot};
    }
    changed_.wait(lock);
  }
}

void OpenFiles::release(Slot& slot) noexcept {
  {
    const std::lock_guard lock(mutex_);
    --slot.users;
  }
  changed_.notify_all();
}

OpenFiles::Slot* OpenFiles::find(std::uint32_t source) noexcept {
  for (Slot& slot : slots_)
    if (slot.source == source && (slot.file || slot.users > 0)) return &slot;
  return nullptr;
}

OpenFiles::Slot* OpenFiles::oldest_unused() noexcept {
  Slot* oldest = nullptr;
  for (Slot& slot : slots_)
    if (slot.users == 0 && (!oldest || slot.last_use < oldest->last_use)) oldest = &slot;
  return oldest;
}

}  // namespace benzer
