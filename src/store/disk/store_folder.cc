#include "store/disk/store_folder.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "benzer/error.h"

#include "base/checked_text.h"
#include "base/record_log.h"
#include "store/disk/sealed_file.h"
#include "store/disk/write_log.h"

namespace benzer {
namespace {

constexpr std::string_view kMarker = "BENZER";
// The first bytes of each text file, before its version.
constexpr std::string_view kStoreHead = "benzer store ";
constexpr int kStoreVersion = 1;
constexpr std::string_view kManifestHead = "benzer manifest ";
constexpr int kManifestVersion = 2;
// A schema may hold document frequencies, up to 4.2 million bytes a field.
constexpr std::size_t kLargestText = std::size_t{64} << 20;

[[noreturn]] void fail(const std::string& path, std::string_view what, int error) {
  throw Error(ErrorCode::kStorageFailed, Subject::file(path),
              fmt::format("it {}: {}", what, system_message(error)));
}

[[noreturn]] void fail_corrupt(const std::string& path, std::string_view what) {
  throw Error(ErrorCode::kCorrupt, Subject::file(path), what);
}

void sync_folder(const std::string& folder) {
  FileHandle handle;
  if (const int error = open_file(folder, O_RDONLY | O_DIRECTORY, 0, handle))
    fail(folder, "cannot be opened", error);
  if (file_system().fsync(handle.get()) != 0) fail(folder, "cannot be synced", errno);
}

// Writes a small text with a checksum as its last line, completely or not at all.
void write_text(const std::string& folder, std::string_view name, std::string text) {
  text = with_checksum(text);
  const std::string path = fmt::format("{}/{}", folder, name);
  if (text.size() > kLargestText)
    throw Error(ErrorCode::kInvalidArgument, Subject::file(path),
                fmt::format("it would have {} bytes; allowed are {}", text.size(), kLargestText));
  const std::string temporary = path + ".tmp";
  FileHandle file;
  const auto fail_without_it = [&](std::string_view what, int error) {
    file_system().unlink(temporary.c_str());
    fail(temporary, what, error);
  };
  if (const int error = open_file(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0644, file))
    fail(temporary, "cannot be written", error);
  if (const int error = write_fully(file.get(), text.data(), text.size()))
    fail_without_it("cannot be written", error);
  if (file_system().fsync(file.get()) != 0) fail_without_it("cannot be synced", errno);
  file.reset();
  if (file_system().rename(temporary.c_str(), path.c_str()) != 0)
    fail_without_it("cannot be renamed", errno);
  sync_folder(folder);
}

struct Text {
  int version = 0;
  std::string content;  // after the first line
};

// Returns nothing if there is no such file. Throws Error(kInvalidArgument) for a later version.
std::optional<Text> read_text(const std::string& path, std::string_view head, int newest) {
  FileHandle file;
  if (const int error = open_to_read(path, file)) {
    if (error == ENOENT || error == ENOTDIR) return std::nullopt;
    fail(path, "cannot be opened", error);
  }
  struct stat status{};
  if (file_system().fstat(file.get(), &status) != 0) fail(path, "cannot be looked at", errno);
  const std::uint64_t size = status.st_size < 0 ? 0 : static_cast<std::uint64_t>(status.st_size);
  std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(size, kLargestText)), '\0');
  std::size_t got = 0;
  if (const int error = pread_fully(file.get(), text.data(), text.size(), 0, &got))
    fail_to_read(path, "it", error);
  text.resize(got);
  if (!text.starts_with(head))
    fail_corrupt(path, fmt::format("it does not begin with \"{}\": it is damaged", head));
  const std::optional<std::string_view> checked = without_checksum(text);
  if (!checked) fail_corrupt(path, "its checksum does not fit: it is damaged");
  int version = 0;
  const char* const end = checked->data() + checked->size();
  const auto [behind, error] = std::from_chars(checked->data() + head.size(), end, version);
  if (error != std::errc() || version < 1 || behind == end || *behind != '\n')
    fail_corrupt(path, "it has no version");
  if (version > newest)
    throw Error(
        ErrorCode::kInvalidArgument, Subject::file(path),
        fmt::format("it has the version {}, and this program reads 1 to {}", version, newest),
        "use the program that made it");
  return Text{version, std::string(behind + 1, end)};
}

// Returns the numbers of a line such as "log 17 4" after "log"; nothing if it is another line.
std::optional<std::vector<std::uint64_t>> numbers_of(std::string_view line, std::string_view name,
                                                     std::size_t count) {
  if (!line.starts_with(name)) return std::nullopt;
  line.remove_prefix(name.size());
  std::vector<std::uint64_t> out;
  while (line.starts_with(' ')) {
    line.remove_prefix(1);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc()) return std::nullopt;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    out.push_back(number);
  }
  return line.empty() && out.size() == count ? std::optional(out) : std::nullopt;
}

void for_each_name(const std::string& folder, const std::function<void(std::string_view)>& visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(file_system().opendir(folder.c_str()),
                                                   ::closedir);
  if (!opened) fail(folder, "cannot be read", errno);
  errno = 0;
  while (const dirent* entry = file_system().readdir(opened.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") visit(name);
    errno = 0;
  }
  // A log that was not seen would be overwritten.
  if (errno != 0) fail(folder, "cannot be read", errno);
}

// For "log-000012": {"log", 12}.
struct Name {
  std::string_view kind;
  std::uint64_t number;
};
std::optional<Name> numbered_name(std::string_view name) {
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view kind = name.substr(0, dash);
  if (kind != "log" && kind != "segment" && kind != "removed" && kind != "repair")
    return std::nullopt;
  const auto number = numbers_of(fmt::format(" {}", name.substr(dash + 1)), "", 1);
  if (!number || name.size() < dash + 7) return std::nullopt;
  return Name{kind, (*number)[0]};
}

}  // namespace

void fail_to_read(const std::string& path, std::string_view what, int error) {
  const std::string detail = fmt::format("{} cannot be read: {}", what, system_message(error));
  if (error == EIO) throw UnreadablePage(ErrorCode::kStorageFailed, Subject::file(path), detail);
  throw Error(ErrorCode::kStorageFailed, Subject::file(path), detail);
}

int read_at(int fd, char* out, std::size_t size, std::uint64_t offset, Unreadable unreadable,
            std::size_t* got) {
  const int whole = pread_fully(fd, out, size, offset, got);
  if (whole != EIO || unreadable == Unreadable::kFails) return whole;
  *got = 0;
  while (*got < size) {
    const std::size_t page = std::min(kPageBytes, size - *got);
    std::size_t of_page = 0;
    const int error = pread_fully(fd, out + *got, page, offset + *got, &of_page);
    if (error && error != EIO) return error;
    if (error) std::fill_n(out + *got + of_page, page - of_page, '\0');
    *got += error ? page : of_page;
    if (!error && of_page < page) break;
  }
  return 0;
}

std::uint64_t copy_file(int from, const std::string& path, const std::string& to,
                        Unreadable unreadable) {
  FileHandle file;
  if (const int error = open_file(to, O_WRONLY | O_CREAT | O_EXCL, 0644, file))
    fail(to, "cannot be written", error);
  const auto fail_without_it = [&](const std::string& of, std::string_view what, int error) {
    file_system().unlink(to.c_str());  // a partial copy is of no use
    fail(of, what, error);
  };
  std::string piece(std::size_t{1} << 20, '\0');
  std::uint64_t at = 0;
  for (std::size_t got = piece.size(); got == piece.size(); at += got) {
    int error = read_at(from, piece.data(), piece.size(), at, unreadable, &got);
    if (error) fail_without_it(path, "cannot be read", error);
    error = write_fully(file.get(), piece.data(), got);
    if (error) fail_without_it(to, "cannot be written", error);
  }
  if (file_system().fsync(file.get()) != 0) fail_without_it(to, "cannot be synced", errno);
  return at;
}

void StoreFolder::make_empty(const std::string& folder, const std::set<std::string_view>& allowed) {
  if (file_system().mkdir(folder.c_str(), 0755) != 0) {
    const int error = errno;
    struct stat status{};
    const bool is_file = error == EEXIST && file_system().stat(folder.c_str(), &status) == 0 &&
                         !S_ISDIR(status.st_mode);
    if (is_file || error == ENOTDIR)
      throw Error(ErrorCode::kInvalidArgument, Subject::file(folder),
                  fmt::format("a new index is a folder, and this {} a file",
                              is_file ? "is" : "path goes through"),
                  "name another one");
    if (error != EEXIST) fail(folder, "cannot be made", error);
  }
  bool empty = true;
  for_each_name(folder, [&](std::string_view name) { empty &= allowed.contains(name); });
  if (!empty)
    throw Error(ErrorCode::kInvalidArgument, Subject::file(folder),
                "a new index needs an empty folder, and this one has files", "name another one");
  const std::size_t slash = folder.find_last_not_of('/');
  const std::size_t parent = folder.rfind('/', slash);
  sync_folder(parent == std::string::npos ? "." : folder.substr(0, parent + 1));
}

void StoreFolder::write_schema(const std::string& folder, std::string_view schema) {
  write_text(folder, kMarker, fmt::format("{}{}\nschema {}\n", kStoreHead, kStoreVersion, schema));
}

void StoreFolder::create(const std::string& folder, std::string_view schema) {
  // Files of a process that ended while it made a store here are allowed.
  make_empty(folder, {kLock, "log-000001", "MANIFEST", "MANIFEST.tmp", "BENZER.tmp"});
  StoreFolder made(folder);
  made.lock();
  if (is_at(folder)) return;  // another process was faster
  struct stat log{};
  if (file_system().stat(made.log(1).c_str(), &log) == 0 &&
      static_cast<std::uint64_t>(log.st_size) > record_log_magic().size())
    throw Error(ErrorCode::kInvalidArgument, Subject::file(made.log(1)),
                fmt::format("it has records, so this was an index, whose file {} is lost", kMarker),
                "repair it (benzer verify " + Parameter{"repair"} + ")");
  settle_log(made.log(1), {});
  made.write_manifest({1, 1, {}});
  // Written last: without it there is no store.
  write_schema(folder, schema);
}

bool StoreFolder::is_at(const std::string& folder) {
  const std::string path = fmt::format("{}/{}", folder, kMarker);
  struct stat status{};
  if (file_system().stat(path.c_str(), &status) == 0) return true;
  if (errno != ENOENT && errno != ENOTDIR) fail(path, "cannot be looked at", errno);
  return false;
}

std::string StoreFolder::read_schema(const std::string& folder) {
  const std::string path = fmt::format("{}/{}", folder, kMarker);
  const auto text = read_text(path, kStoreHead, kStoreVersion);
  if (!text)
    throw Error(ErrorCode::kNoIndex, Subject::file(folder),
                fmt::format("there is no index here (no file {})", kMarker));
  const std::string& content = text->content;
  if (!content.starts_with("schema ") || !content.ends_with('\n'))
    fail_corrupt(path, "it has no schema");
  return content.substr(7, content.size() - 8);
}

// The lock belongs to the open file, and a process that was forked has that, too: without this it
// would hold the lock as long as it runs. A forked process itself must not release it.
StoreFolder::~StoreFolder() {
  if (lock_ && ::getpid() == locked_by_) file_system().flock(lock_.get(), LOCK_UN);
}

void StoreFolder::lock() {
  const std::string path = fmt::format("{}/{}", folder_, kLock);
  FileHandle file;
  if (const int error = open_file(path, O_RDWR | O_CREAT, 0644, file))
    fail(path, "cannot be opened", error);
  const int fd = file.get();
  if (file_system().flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) fail(path, "cannot be locked", errno);
    // The process that has just locked it may not have written its number yet.
    char pid[32] = {};
    std::size_t got = 0;
    pread_fully(fd, pid, sizeof pid - 1, 0, &got);
    const std::string who =
        got > 0 ? fmt::format("process {}, or one forked from it,", std::string_view(pid, got))
                : std::string("another process");
    throw Error(ErrorCode::kBusy, Subject::file(folder_),
                fmt::format("{} writes to this index", who), "wait for it, or only read");
  }
  // Whoever had it may have removed it with the rest, and then others can lock a new one.
  struct stat opened{}, named{};
  if (file_system().fstat(fd, &opened) != 0) fail(path, "cannot be looked at", errno);
  if (file_system().stat(path.c_str(), &named) != 0 && errno != ENOENT)
    fail(path, "cannot be looked at", errno);
  if (!is_same_file(opened, named))
    throw Error(ErrorCode::kBusy, Subject::file(folder_),
                "another process has just removed what was in it", "try again");
  const std::string pid = fmt::format("{}", ::getpid());
  if (file_system().ftruncate(fd, 0) != 0) fail(path, "cannot be written", errno);
  if (const int error = write_fully(fd, pid.data(), pid.size()))
    fail(path, "cannot be written", error);
  lock_path_ = path;
  lock_ = std::move(file);
  locked_by_ = ::getpid();
}

int StoreFolder::look_in_place(bool& is_same) const noexcept {
  is_same = true;
  if (!lock_) return 0;
  struct stat locked{}, named{};
  if (file_system().fstat(lock_.get(), &locked) != 0) return errno;
  int error = 0;
  do {
    error = file_system().stat(lock_path_.c_str(), &named) == 0 ? 0 : errno;
  } while (error == EINTR);
  if (error == ENOENT || error == ENOTDIR) is_same = false;
  if (error != 0) return is_same ? error : 0;
  is_same = is_same_file(locked, named);
  return 0;
}

bool StoreFolder::is_in_place() const noexcept {
  bool is_same = false;
  return look_in_place(is_same) == 0 && is_same;
}

void StoreFolder::check_in_place() const {
  bool is_same = false;
  if (const int error = look_in_place(is_same)) fail(lock_path_, "cannot be looked at", error);
  if (is_same) return;
  throw Error(ErrorCode::kStorageFailed, Subject::file(folder_),
              fmt::format("this folder, or its file {}, was moved, removed or replaced while the "
                          "index was open, so nothing is written here",
                          kLock),
              "close the index, and open it where it is now");
}

Manifest StoreFolder::read_manifest() const {
  const std::string path = folder_ + "/MANIFEST";
  const auto text = read_text(path, kManifestHead, kManifestVersion);
  if (!text) fail_corrupt(path, "it is missing");
  Manifest out;
  bool has_log = false;
  for (std::string_view rest = text->content; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (const auto log = numbers_of(line, "log", 2); log && !has_log) {
      has_log = true;
      out.log = (*log)[0];
      out.first_record = (*log)[1];
    } else if (const auto part = numbers_of(line, "segment", text->version == 1 ? 2 : 6)) {
      const std::vector<std::uint64_t>& of = *part;
      if (text->version == 1) {
        out.parts.push_back({of[0], {}, of[1], {}});
      } else {
        out.parts.push_back({of[0], {of[1], of[2]}, of[3], {of[4], of[5]}});
      }
    } else {
      fail_corrupt(path, "it has a line that is not understood");
    }
  }
  if (!has_log) fail_corrupt(path, "it names no log");
  return out;
}

void StoreFolder::write_manifest(const Manifest& manifest) {
  check_in_place();
  std::string text = fmt::format("{}{}\nlog {} {}\n", kManifestHead, kManifestVersion, manifest.log,
                                 manifest.first_record);
  for (const Manifest::Part& part : manifest.parts)
    text += fmt::format("segment {} {} {} {} {} {}\n", part.segment, part.segment_seal.bytes,
                        part.segment_seal.checksum, part.removed, part.removed_seal.bytes,
                        part.removed_seal.checksum);
  write_text(folder_, "MANIFEST", std::move(text));
}

std::string StoreFolder::numbered(std::string_view kind, std::uint64_t number) const {
  return fmt::format("{}/{}-{:06}", folder_, kind, number);
}

std::vector<std::uint64_t> StoreFolder::numbers(std::string_view kind, std::uint64_t first) const {
  std::vector<std::uint64_t> out;
  for_each_name(folder_, [&](std::string_view name) {
    const auto found = numbered_name(name);
    if (found && found->kind == kind && found->number >= first) out.push_back(found->number);
  });
  std::sort(out.begin(), out.end());
  return out;
}

std::uint64_t StoreFolder::next_number() const {
  std::uint64_t largest = 0;
  for_each_name(folder_, [&](std::string_view name) {
    if (const auto found = numbered_name(name)) largest = std::max(largest, found->number);
  });
  return largest + 1;
}

void StoreFolder::begin_repair(std::uint64_t first_number) const {
  const std::string path = numbered("repair", first_number);
  FileHandle file;
  if (const int error = open_file(path, O_WRONLY | O_CREAT, 0644, file))
    fail(path, "cannot be written", error);
  sync();  // it must be on the disk before the files of the repair
}

void StoreFolder::end_repair() const {
  for (const std::uint64_t number : numbers("repair")) {
    const std::string path = numbered("repair", number);
    if (file_system().unlink(path.c_str()) != 0) fail(path, "cannot be removed", errno);
  }
}

void StoreFolder::remove_unfinished_repair() const {
  const std::vector<std::uint64_t> begun = numbers("repair");
  if (begun.empty()) return;
  Manifest manifest;
  try {
    manifest = read_manifest();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kCorrupt) throw;  // a damaged manifest names none of them
  }
  const bool is_done = manifest.log >= begun.front();
  std::set<std::string> wanted;
  for (const Manifest::Part& part : manifest.parts) {
    wanted.insert(segment(part.segment));
    wanted.insert(removed(part.removed));
  }
  for (const std::string_view kind : {"removed", "segment", "log"}) {
    for (const std::uint64_t number : numbers(kind, begun.front())) {
      const std::string path = numbered(kind, number);
      if (wanted.contains(path) || (kind == "log" && is_done)) continue;
      keep_damaged(path.substr(path.rfind('/') + 1));
      if (file_system().unlink(path.c_str()) != 0) fail(path, "cannot be removed", errno);
    }
  }
  sync();  // the files must be gone before the marker of the repair
  end_repair();
}

void StoreFolder::remove_others(const Manifest& manifest,
                                const std::set<std::uint64_t>& spared) const noexcept {
  if (!is_in_place()) return;
  try {
    std::set<std::string> wanted;
    for (const std::uint64_t number : spared) wanted.insert(segment(number));
    for (const Manifest::Part& part : manifest.parts) {
      wanted.insert(segment(part.segment));
      wanted.insert(removed(part.removed));
    }
    // Deletes in an order in which a repair without the manifest finds at each moment what it
    // needs. First the file that says that a repair is not done. Then lists, before segments: a
    // list may be about a segment that stays, and name documents that a segment has which does not
    // count. Then segments in the order of their numbers, so that what was merged goes before the
    // segment that says so. Logs go last, when nothing is left that was written from them.
    std::vector<std::tuple<int, std::uint64_t, std::string>> others;
    for_each_name(folder_, [&](std::string_view name) {
      const std::string path = fmt::format("{}/{}", folder_, name);
      const auto found = numbered_name(name);
      if (!found || wanted.contains(path)) return;
      if (found->kind == "log" && found->number >= manifest.log) return;
      const int turn = found->kind == "repair"    ? 0
                       : found->kind == "removed" ? 1
                       : found->kind == "segment" ? 2
                                                  : 3;
      others.emplace_back(turn, found->number, path);
    });
    std::sort(others.begin(), others.end());
    for (const auto& [turn, number, path] : others)
      if (file_system().unlink(path.c_str()) != 0 && errno != ENOENT) return;
  } catch (const std::exception&) {
    // They take room but do no harm; the next process that opens the store to write tries again.
  }
}

void StoreFolder::keep_damaged(const std::string& name) const {
  const std::string folder = folder_ + "/damaged";
  if (file_system().mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST)
    fail(folder, "cannot be made", errno);
  const std::string from = fmt::format("{}/{}", folder_, name);
  FileHandle file;
  if (const int error = open_to_read(from, file)) fail(from, "cannot be opened", error);
  std::string to = fmt::format("{}/{}", folder, name);
  struct stat status{};
  for (int i = 2; file_system().stat(to.c_str(), &status) == 0; ++i)
    to = fmt::format("{}/{}.{}", folder, name, i);
  copy_file(file.get(), from, to, Unreadable::kAsZeros);
  sync_folder(folder);
}

void StoreFolder::sync() const { sync_folder(folder_); }

Seal StoreFolder::write_removed(std::uint64_t number, const RemovedList& list) const {
  SealedFileWriter file(removed(number));
  file.append(RemovedList::kMagic.data(), RemovedList::kMagic.size());
  file.append(&list.segment, sizeof list.segment);
  file.append(&list.segment_checksum, sizeof list.segment_checksum);
  file.append(list.documents.data(), list.documents.size() * sizeof list.documents[0]);
  return file.seal();
}

RemovedList StoreFolder::read_removed(const std::string& path) const {
  constexpr std::size_t kMagicBytes = RemovedList::kMagic.size();
  const SealedFile file(path);
  const auto begins_with = [&](std::string_view magic) {
    return file.size() >= magic.size() &&
           std::memcmp(file.bytes(0, magic.size()).data(), magic.data(), magic.size()) == 0;
  };
  const bool is_old = begins_with(RemovedList::kMagicOfVersion1);
  const std::size_t head = is_old ? RemovedList::kHeadOfVersion1 : RemovedList::kHead;
  if ((!is_old && !begins_with(RemovedList::kMagic)) || file.size() < head ||
      file.size() % sizeof(std::uint32_t) != 0)
    file.fail(0, "is not where a list of removed documents begins");
  RemovedList out;
  out.segment = file.number<std::uint64_t>(kMagicBytes);
  if (!is_old) out.segment_checksum = file.number<std::uint64_t>(kMagicBytes + 8);
  file.throw_if_more(0);
  out.documents.resize((file.size() - head) / sizeof(std::uint32_t));
  if (out.documents.empty()) return out;
  std::memcpy(out.documents.data(), file.bytes(head, file.size() - head).data(),
              file.size() - head);
  file.throw_if_more(0);
  if (std::adjacent_find(out.documents.begin(), out.documents.end(), std::greater_equal<>()) !=
      out.documents.end())
    file.fail(head, "begins a list that is not in order");
  return out;
}

}  // namespace benzer
