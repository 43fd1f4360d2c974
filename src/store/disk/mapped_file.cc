#include "store/disk/mapped_file.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"

namespace benzer {

// The handler goes through all ranges without a lock, so they are used again and never freed.
struct MappedRange {
  using State = MappedFile::State;

  // Odd while the three below it change.
  std::atomic<std::uint64_t> version{0};
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<std::atomic<State>*> states{nullptr};

  std::atomic<std::uint64_t> failures{0};
  std::atomic<std::uint64_t> last{0};  // page that could not be read

  MappedRange* next = nullptr;       // does not change any more when the handler can see it
  MappedRange* next_free = nullptr;  // under the mutex

  void set(std::uintptr_t first, std::size_t size, std::atomic<State>* of_pages) noexcept {
    ++version;
    begin = first;
    end = first + size;
    states = of_pages;
    ++version;
  }

  // Only the handler calls the functions below.

  // A file's range does not change while a thread reads the file, so a range that changes does not
  // contain the address.
  bool contains(std::uintptr_t address) const noexcept {
    const std::uint64_t before = version;
    const bool is_in = begin <= address && address < end;
    return is_in && before % 2 == 0 && version == before;
  }

  // Maps zeros over [from, to). It counts first: a thread that sees zeros must see the count, too.
  bool replace(std::uintptr_t from, std::uintptr_t to) noexcept {
    const std::uint64_t first = (from - begin) / kPageBytes;
    const std::uint64_t behind = (std::min(to, end.load()) - begin + kPageBytes - 1) / kPageBytes;
    std::atomic<State>* const of_pages = states;
    for (std::uint64_t page = first; page < behind; ++page) of_pages[page] = State::kUnreadable;
    last = first;
    ++failures;
    ++MappedFile::all_failures_;
    // Not mmap(), which the thread sanitizer takes for writing to the page.
    const long mapped = ::syscall(SYS_mmap, from, to - from, PROT_READ,
                                  MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return mapped != -1;
  }
};

namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

std::atomic<MappedRange*> ranges{nullptr};
std::mutex ranges_mutex;
MappedRange* free_ranges = nullptr;  // under the mutex

// Set before the handler is installed.
std::uintptr_t system_page = kPageBytes;
struct sigaction before_us{};

bool replace_page(const siginfo_t& info) noexcept {
  if (info.si_code <= 0) return false;  // sent by a process
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  for (MappedRange* range = ranges; range != nullptr; range = range->next) {
    if (!range->contains(address)) continue;
    const std::uintptr_t begin = address / system_page * system_page;
    // A process has a limited number of mappings, and replacing a page in the middle makes two
    // more. Replacing the whole file makes none.
    return range->replace(begin, begin + system_page) || range->replace(range->begin, range->end);
  }
  return false;
}

// Does what would have happened without this handler.
void pass_on(int signal, siginfo_t* info, void* context) {
  const bool is_ignored = before_us.sa_handler == SIG_IGN;
  if (is_ignored && info->si_code <= 0) return;
  if (is_ignored || before_us.sa_handler == SIG_DFL) {
    struct sigaction standard{};
    standard.sa_handler = SIG_DFL;
    ::sigaction(signal, &standard, nullptr);
    ::raise(signal);  // arrives when the handler returns
  } else if ((before_us.sa_flags & SA_SIGINFO) != 0) {
    before_us.sa_sigaction(signal, info, context);
  } else {
    before_us.sa_handler(signal);
  }
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  if (!replace_page(*info)) pass_on(signal, info, context);
  errno = error;
}

bool install_handler() noexcept {
  system_page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action{};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, nullptr, &before_us);
  return ::sigaction(SIGBUS, &action, nullptr) == 0;
}

MappedRange* take_range() {
  [[maybe_unused]] static const bool is_installed = install_handler();
  const std::lock_guard lock(ranges_mutex);
  MappedRange* range = free_ranges;
  if (range != nullptr) {
    free_ranges = range->next_free;
    range->failures = 0;
    return range;
  }
  range = new MappedRange;
  range->next = ranges;
  ranges = range;
  return range;
}

void give_back(MappedRange* range) noexcept {
  range->set(0, 0, nullptr);
  const std::lock_guard lock(ranges_mutex);
  range->next_free = free_ranges;
  free_ranges = range;
}

}  // namespace

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
  const auto fail = [&](ErrorCode code, int error, std::string_view what) {
    throw Error(code, Subject::file(path_),
                fmt::format("it cannot be {}: {}", what, system_message(error)));
  };
  FileHandle file;
  if (const int error = open_to_read(path_, file))
    fail(error == ENOENT ? ErrorCode::kCorrupt : ErrorCode::kStorageFailed, error, "opened");
  struct stat status{};
  if (file_system().fstat(file.get(), &status) != 0) fail(ErrorCode::kStorageFailed, errno, "read");
  size_ = static_cast<std::size_t>(status.st_size);
  states_ = std::make_unique<std::atomic<State>[]>((size_ + kPageBytes - 1) / kPageBytes);
  range_ = take_range();
  failures_ = &range_->failures;
  if (size_ == 0) return;  // nothing can be mapped
  void* const mapped = file_system().mmap(size_, file.get());
  if (mapped == MAP_FAILED) {
    const int error = errno;
    give_back(range_);
    fail(ErrorCode::kStorageFailed, error, "mapped");
  }
  data_ = static_cast<const std::byte*>(mapped);
  range_->set(reinterpret_cast<std::uintptr_t>(mapped), size_, states_.get());
}

MappedFile::~MappedFile() {
  give_back(range_);
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::load(std::uint64_t begin, std::uint64_t end) const noexcept {
  // The address must be a multiple of the system's page, which may be larger than ours.
  static const auto unit = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  begin = begin * kPageBytes / unit * unit;
  end = std::min<std::uint64_t>(size_, end * kPageBytes);
  if (begin < end) ::madvise(const_cast<std::byte*>(data_) + begin, end - begin, MADV_WILLNEED);
}

void MappedFile::set_sound(std::uint64_t page) const {
  State state = State::kUnknown;
  if (!states_[page].compare_exchange_strong(state, State::kSound) && state == State::kUnreadable)
    fail_unreadable(page);
}

void MappedFile::throw_if_unreadable(std::uint64_t page) const {
  std::atomic_thread_fence(std::memory_order_acquire);
  if (states_[page] == State::kUnreadable) fail_unreadable(page);
}

void MappedFile::throw_last() const { fail_unreadable(range_->last); }

void MappedFile::fail_unreadable(std::uint64_t page) const {
  throw UnreadablePage(ErrorCode::kStorageFailed, Subject::file(path_),
                       fmt::format("byte {} begins a page that cannot be read: {}",
                                   page * kPageBytes, system_message(EIO)));
}

}  // namespace benzer
