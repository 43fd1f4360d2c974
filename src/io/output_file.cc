#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benzer/error.h"
#include "benzer/output.h"
#include "benzer/runtime.h"

#include "base/file.h"
#include "base/given_path.h"
#include "io/byte_stream.h"
#include "io/file_kind.h"
#include "io/output_file_names.h"
#include "io/pack.h"
#include "io/uncached_writer.h"

namespace benzer {
namespace {

// Small on purpose: writing a file of 400 MB in pieces of 16 to 32 KiB always took 0.27 s of CPU,
// in larger ones 0.15 to 0.9 s, because the kernel then looks for large free pages.
constexpr std::size_t kBufferBytes = 32u << 10;
// Files are written past the page cache from here on. Smaller ones are likely to be read soon.
constexpr std::uint64_t kUncachedFrom = 16u << 20;
constexpr int kMostLinks = 40;  // that the kernel allows
// STATX_ATTR_MOUNT_ROOT, which older headers lack; Linux tells it from 5.8 on.
constexpr std::uint64_t kMountRoot = 0x2000;
constexpr std::size_t kMostName = 255;
// How long to wait at a time for a pipe that has no reader, or a busy one.
constexpr int kLookAroundMs = 100;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The file that a path means after all symbolic links; it need not exist.
std::string resolve_links(std::string path) {
  for (int i = 0; i < kMostLinks; ++i) {
    std::vector<char> target(4096);
    const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
    if (length < 0 || static_cast<std::size_t>(length) == target.size()) break;
    std::string next(target.data(), static_cast<std::size_t>(length));
    path = next.starts_with('/') ? next : folder_of(path) + "/" + next;
  }
  return path;
}

}  // namespace

struct OutputFile::Impl {
  Impl(const std::string& path, int threads, const std::atomic<bool>* stop);
  ~Impl();

  void open_descriptor(int number);
  void open_direct();
  void open_unfinished();
  bool look_at_target(struct stat& status);
  void check_replaceable(const struct stat& status) const;
  template <typename Make>
  int make_temporary(const Make& make);
  void write(std::string_view bytes);
  void flush();
  void pack_and_put(std::string_view bytes);
  void put(std::string_view bytes);
  void put_uncached(std::string_view bytes);
  void wait_for_reader() const;
  void finish();
  void commit();
  void sync_folder() const noexcept;
  [[noreturn]] void fail(std::string_view doing, int error);

  std::string path;
  std::string shown;
  std::string target;     // absolute path without links
  std::string temporary;  // a name next to the target; empty as long as, or if, there is none
  RememberedName remembered;
  FileHandle file;
  std::optional<int> descriptor;  // the open descriptor that the path names, if it does
  bool direct = false;
  bool may_block = false;  // a write may block while it waits for a reader
  const std::atomic<bool>* stop;
  enum class State { kOpen, kFinished, kEnded } state = State::kOpen;  // ended: committed or failed
  std::unique_ptr<Packer> packer;
  std::vector<char> buffer;
  std::uint64_t given = 0;                   // to write()
  std::uint64_t written = 0;                 // packed, to the file
  std::unique_ptr<UncachedWriter> uncached;  // of a large temporary file, from kUncachedFrom on
};

OutputFile::Impl::Impl(const std::string& name, int threads, const std::atomic<bool>* stop_flag)
    : path(name), shown(name == "-" ? "standard output" : name), stop(stop_flag) {
  if (path.empty()) throw Error(ErrorCode::kInvalidArgument, "the output has an empty name");
  if (path != "-") packer = make_packer(compression_by_name(path), threads);
  buffer.reserve(kBufferBytes);
  direct = is_direct(path);
  descriptor = named_descriptor(path);
  if (descriptor) {
    open_descriptor(*descriptor);
  } else if (direct) {
    open_direct();
  } else {
    open_unfinished();
  }
}

OutputFile::Impl::~Impl() {
  uncached.reset();
  file.reset();
  if (!temporary.empty()) file_system().unlink(temporary.c_str());
}

// A descriptor may be shared with other processes, so it must not be made non-blocking. A pipe is
// opened once more, for this process alone. Terminals and sockets get small pieces, each when there
// is room for it.
void OutputFile::Impl::open_descriptor(int number) {
  struct stat status{};
  const bool known = file_system().fstat(number, &status) == 0;
  if (known && S_ISFIFO(status.st_mode)) {
    const std::string again = path_of_descriptor(number);
    const int fd = file_system().open(again.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd >= 0) {
      file = FileHandle(fd);
      return;
    }
  }
  file = FileHandle(::fcntl(number, F_DUPFD_CLOEXEC, 3));
  if (!file) fail("opening", errno);
  may_block = known && !S_ISREG(status.st_mode);
}

// Without O_NONBLOCK, opening a pipe would wait for its reader and ignore `stop`.
void OutputFile::Impl::open_direct() {
  while (true) {
    throw_if_stopped(stop);
    const int fd =
        file_system().open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
    if (fd >= 0) {
      file = FileHandle(fd);
      return;
    }
    const int error = errno;
    struct stat status{};
    const bool no_reader = error == ENXIO && file_system().stat(path.c_str(), &status) == 0 &&
                           S_ISFIFO(status.st_mode);
    if (no_reader) ::poll(nullptr, 0, kLookAroundMs);
    if (!no_reader && error != EINTR) fail("opening", error);
  }
}

// Returns whether there is such a file. Whatever else keeps it from being looked at (a name that is
// too long, links in a circle) would keep the output from getting its name at the end of the run.
bool OutputFile::Impl::look_at_target(struct stat& status) {
  int error = 0;
  do {
    error = file_system().stat(path.c_str(), &status) == 0 ? 0 : errno;
  } while (error == EINTR);
  if (error != 0 && error != ENOENT) fail("opening", error);
  return error == 0;
}

// Refuses a file that the system does not let another one replace.
void OutputFile::Impl::check_replaceable(const struct stat& status) const {
  const auto refuse = [this](std::string_view why, std::string_view hint) {
    throw Error(ErrorCode::kStorageFailed, Subject::file(shown), why, hint);
  };
  struct statx more{};
  const bool known = ::statx(AT_FDCWD, target.c_str(), 0, STATX_BASIC_STATS, &more) == 0;
  const std::uint64_t attributes = known ? more.stx_attributes & more.stx_attributes_mask : 0;
  if ((attributes & kMountRoot) != 0)
    refuse("this file is mounted by itself, so it cannot be replaced by the complete output",
           "mount the folder that it is in, or name another file");
  if ((attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0)
    refuse("this file is marked as immutable or append-only (chattr), so it cannot be replaced",
           "name another file");
  struct stat folder{};
  const uid_t user = ::geteuid();
  if (user != 0 && user != status.st_uid &&
      file_system().stat(folder_of(target).c_str(), &folder) == 0 &&
      (folder.st_mode & S_ISVTX) != 0 && user != folder.st_uid)
    refuse("this file belongs to another user, and in this folder only its owner may replace it",
           "name another file");
}

// A file without a name is not left behind, whenever the process is killed. finish() names it.
// Where the file system has none, or /proc is not there to name it from, it has a temporary name at
// once.
void OutputFile::Impl::open_unfinished() {
  target = resolve_links(absolute_path(path));
  struct stat status{};
  const bool exists = look_at_target(status);
  if (exists && S_ISDIR(status.st_mode))
    throw Error(ErrorCode::kStorageFailed, Subject::file(shown),
                "this is a folder, the output must be a file");
  if (exists) check_replaceable(status);
  struct stat own{};
  if (open_file(folder_of(target), O_TMPFILE | O_WRONLY, 0666, file) != 0 ||
      file_system().stat(path_of_descriptor(file.get()).c_str(), &own) != 0) {
    const int error = make_temporary([this](const char* name) {
      return open_file(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666, file);
    });
    if (error == ENOENT)
      throw Error(ErrorCode::kStorageFailed, Subject::file(shown),
                  "there is no folder " + FileName{given_path(folder_of(target))}, "make it first");
    if (error != 0) fail("making a temporary file next to it", error);
  }
  // Gives the new file the mode of the old one. This may fail on file systems without modes.
  if (exists) static_cast<void>(::fchmod(file.get(), status.st_mode & 07777));
}

// Calls `make` with names next to the target until it makes a file of that name. Returns 0, or the
// error.
template <typename Make>
int OutputFile::Impl::make_temporary(const Make& make) {
  static std::atomic<unsigned> counter{0};
  std::string name = target.substr(target.rfind('/') + 1);  // npos + 1 is 0
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string suffix = fmt::format(".benzer-{}-{:04x}.tmp", ::getpid(), ++counter);
    name.resize(std::min(name.size(), kMostName - 1 - suffix.size()));
    const std::string candidate = fmt::format("{}/.{}{}", folder_of(target), name, suffix);
    remembered.remember(candidate);  // before it exists: a signal may come in between
    const int error = make(candidate.c_str());
    if (error == 0) {
      temporary = candidate;
      return 0;
    }
    remembered.forget();
    if (error != EEXIST && error != EINTR) return error;
  }
  return EEXIST;
}

void OutputFile::Impl::fail(std::string_view doing, int error) {
  state = State::kEnded;
  if (error == EPIPE) {
    const std::string ended = fmt::format("closed pipe, its reader ended after {} bytes", written);
    if (descriptor == 1) throw StdoutClosed(ErrorCode::kStorageFailed, Subject::file(shown), ended);
    throw Error(ErrorCode::kStorageFailed, Subject::file(shown), ended);
  }
  const bool is_full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  throw Error(ErrorCode::kStorageFailed, Subject::file(shown),
              fmt::format("{} failed after {} bytes: {}", doing, written, system_message(error)),
              is_full ? "more space is needed there, or another place" : "");
}

void OutputFile::Impl::put(std::string_view bytes) {
  while (!bytes.empty()) {
    if (uncached) return put_uncached(bytes);
    if (may_block) wait_for_reader();
    std::size_t most = may_block ? PIPE_BUF : bytes.size();
    if (!direct && written < kUncachedFrom)
      most = static_cast<std::size_t>(std::min<std::uint64_t>(most, kUncachedFrom - written));
    const ssize_t n = file_system().write(file.get(), bytes.data(), std::min(bytes.size(), most));
    const int error = n < 0 ? errno : 0;
    if (n == 0) fail("writing", EIO);
    if (error == EAGAIN) {
      wait_for_reader();
    } else if (error == EINTR) {
      throw_if_stopped(stop);
    } else if (error != 0) {
      fail("writing", error);
    }
    if (n < 0) continue;
    bytes.remove_prefix(static_cast<std::size_t>(n));
    written += static_cast<std::size_t>(n);
    if (!direct && written == kUncachedFrom) uncached = UncachedWriter::begin(file.get());
  }
}

void OutputFile::Impl::put_uncached(std::string_view bytes) {
  throw_if_stopped(stop);
  if (const int error = uncached->write(bytes)) {
    written += uncached->written();
    fail("writing", error);
  }
}

void OutputFile::Impl::wait_for_reader() const {
  struct pollfd ready = {file.get(), POLLOUT, 0};
  do {
    throw_if_stopped(stop);
  } while (::poll(&ready, 1, kLookAroundMs) <= 0);
}

void OutputFile::Impl::flush() {
  if (!buffer.empty()) pack_and_put({buffer.data(), buffer.size()});
  buffer.clear();
}

void OutputFile::Impl::pack_and_put(std::string_view bytes) {
  if (packer)
    packer->pack(bytes, [this](std::string_view packed) { put(packed); });
  else
    put(bytes);
}

void OutputFile::Impl::write(std::string_view bytes) {
  if (state != State::kOpen)
    throw Error(ErrorCode::kStorageFailed, Subject::file(shown), "written to after its end");
  given += bytes.size();
  if (buffer.size() + bytes.size() <= kBufferBytes && bytes.size() < kBufferBytes / 2) {
    buffer.insert(buffer.end(), bytes.begin(), bytes.end());
    return;
  }
  state = State::kEnded;  // if this throws, bytes are missing
  flush();
  if (bytes.size() < kBufferBytes / 2) {
    buffer.insert(buffer.end(), bytes.begin(), bytes.end());
  } else {  // large pieces are written without a copy
    pack_and_put(bytes);
  }
  state = State::kOpen;
}

void OutputFile::Impl::finish() {
  if (state != State::kOpen)
    throw Error(ErrorCode::kStorageFailed, Subject::file(shown), "finished after its end");
  state = State::kEnded;  // in case the packer throws
  flush();
  if (packer) packer->finish([this](std::string_view packed) { put(packed); });
  packer.reset();  // it may hold much memory, and other files may still be packed
  if (uncached) {
    const int error = uncached->finish();
    written += uncached->written();
    uncached.reset();
    if (error) fail("writing", error);
  }
  if (!direct && file_system().fsync(file.get()) != 0) fail("syncing", errno);
  if (!direct && temporary.empty()) {
    const int error = make_temporary([from = path_of_descriptor(file.get())](const char* name) {
      return file_system().link(from.c_str(), name) == 0 ? 0 : errno;
    });
    if (error != 0) fail("naming a temporary file next to it", error);
  }
  // Network file systems report late write errors here.
  if (file_system().close(file.release()) != 0 && errno != EINTR) fail("closing", errno);
  state = State::kFinished;
}

void OutputFile::Impl::commit() {
  if (state == State::kEnded)
    throw Error(ErrorCode::kStorageFailed, Subject::file(shown), "committed after its end");
  if (state == State::kOpen) finish();
  state = State::kEnded;
  if (direct) return;
  const bool is_renamed = file_system().rename(temporary.c_str(), target.c_str()) == 0;
  const int error = errno;
  const std::string kept = std::exchange(temporary, {});
  remembered.forget();
  if (is_renamed) return sync_folder();
  // The work of hours may be in it.
  struct stat status{};
  const bool is_there = file_system().stat(kept.c_str(), &status) == 0;
  throw Error(ErrorCode::kStorageFailed, Subject::file(shown),
              fmt::format("renaming failed after {} bytes: {}", written, system_message(error)),
              is_there ? "the complete output is in " + FileName{given_path(kept)} : ErrorText());
}

// Makes the new name survive a loss of power. Ignores errors: the file is complete under its name,
// so the output has not failed. Some folders may be written but not read, and some file systems
// cannot sync folders.
void OutputFile::Impl::sync_folder() const noexcept {
  FileHandle folder;
  if (open_to_read(folder_of(target), folder) == 0) file_system().fsync(folder.get());
}

OutputFile::OutputFile(const std::string& path, int threads, const std::atomic<bool>* stop) {
  check_name(path);
  impl_ = std::make_unique<Impl>(path, threads, stop);
}
OutputFile::~OutputFile() = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;

void OutputFile::write(std::string_view bytes) { impl_->write(bytes); }
void OutputFile::finish() { impl_->finish(); }
void OutputFile::commit() { impl_->commit(); }
const std::string& OutputFile::path() const noexcept { return impl_->path; }
std::uint64_t OutputFile::bytes() const noexcept { return impl_->given; }

void OutputFile::check_name(const std::string& path) {
  if (const std::string why = why_no_output(path); !why.empty())
    throw Error(ErrorCode::kInvalidArgument, Subject::file(path), why);
}

void OutputFile::check_place(const std::string& path) { const Impl file(path, 0, nullptr); }

bool OutputFile::packs(const std::string& path) {
  const Compression how = compression_by_name(path);
  return how == Compression::kGzip || how == Compression::kZstd;
}

bool OutputFile::is_direct(const std::string& path) {
  if (named_descriptor(path)) return true;
  struct stat status{};
  if (file_system().stat(path.c_str(), &status) != 0) return false;
  return !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

// "/dev/stdout" and similar paths name an open descriptor. Opening such a path instead would write
// from the start of a file to which others append.
std::optional<int> OutputFile::named_descriptor(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") return 1;
  if (path == "/dev/stderr") return 2;
  for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(prefix)) continue;
    path.remove_prefix(prefix.size());
    if (path.empty() || path.size() > 9 || path.find_first_not_of("0123456789") != path.npos)
      return std::nullopt;
    return std::atoi(std::string(path).c_str());
  }
  return std::nullopt;
}

}  // namespace benzer
