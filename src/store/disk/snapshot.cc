#include "store/disk/snapshot.h"

#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "benzer/error.h"

#include "store/disk/disk_store.h"
#include "store/disk/named_files.h"

namespace benzer {
namespace {

struct Source {
  std::string path;
  std::string name;        // in the folder
  bool is_sealed = false;  // it never changes
  FileHandle file;
};

// Opens the files before any is copied: an open file can be read to its end, even if the writer
// removes it meanwhile.
class Sources {
 public:
  Sources(const StoreFolder& folder, const Manifest& manifest) : folder_(folder) {
    for (const Manifest::Part& part : manifest.parts) {
      open(folder.segment(part.segment), true);
      if (part.removed != 0) open(folder.removed(part.removed), true);
    }
    logs = folder.numbers("log", manifest.log);
    // The last one is opened first: a log has all of its records before the next one gets any, so
    // that the copies have no gap. If the last one is gone, it had no records and was given up,
    // unless the first one is gone, too.
    for (auto log = logs.rbegin(); log != logs.rend(); ++log)
      open(folder.log(*log), false, logs.size() > 1 && *log == logs.back());
  }

  std::vector<Source> files;
  std::vector<std::uint64_t> logs;

 private:
  void open(const std::string& path, bool is_sealed, bool may_be_gone = false) {
    Source source;
    source.path = path;
    source.is_sealed = is_sealed;
    source.name = path.substr(folder_.path().size() + 1);
    const int error = open_to_read(path, source.file);
    if (error == ENOENT && may_be_gone) return;
    if (error)
      throw Error(error == ENOENT ? ErrorCode::kCorrupt : ErrorCode::kStorageFailed,
                  Subject::file(path),
                  fmt::format("it cannot be opened: {}", system_message(error)));
    files.push_back(std::move(source));
  }

  const StoreFolder& folder_;
};

// Opens the manifest and all files that it names.
std::pair<Manifest, Sources> open_sources(const StoreFolder& folder) {
  for (int i = 0;; ++i) {
    Manifest manifest = folder.read_manifest();
    try {
      Sources sources(folder, manifest);
      if (folder.read_manifest() == manifest) return {std::move(manifest), std::move(sources)};
    } catch (const Error&) {
      if (folder.read_manifest() == manifest) throw;
    }
    if (i == kMostRetries) throw_replaced_too_often(folder);
  }
}

// Gives the file another name, and syncs it. Returns false if the system cannot make the link, for
// whatever reason, or if the name belongs to another file by now, as this one was removed after it
// was opened.
bool link_file(const Source& source, const std::string& to, std::uint64_t& bytes) {
  FileSystem& files = file_system();
  if (files.link(source.path.c_str(), to.c_str()) != 0) return false;
  struct stat opened{}, linked{};
  if (files.fstat(source.file.get(), &opened) != 0 || files.stat(to.c_str(), &linked) != 0 ||
      !is_same_file(opened, linked)) {
    files.unlink(to.c_str());
    return false;
  }
  // Its writer has synced it, but somebody may have put it there by hand.
  if (files.fsync(source.file.get()) != 0)
    throw Error(ErrorCode::kStorageFailed, Subject::file(to),
                fmt::format("it cannot be synced: {}", system_message(errno)));
  bytes += static_cast<std::uint64_t>(linked.st_size);
  return true;
}

// Cuts off what was being written when it was copied. All else in the copied logs is synced, so the
// mark of the copy is set to their end. mark: that of the original, read before it was copied.
void settle_logs(const StoreFolder& copy, const Manifest& manifest, const HashLayout& layout,
                 const std::optional<SyncMark::Place>& mark) {
  LogChain chain(copy, layout, mark);
  SyncMark::Place end;
  for (const std::uint64_t number : chain.begin(manifest)) {
    const LogRead read = chain.read([](LogRecord&) {});
    if (read.torn > 0) settle_log(copy.log(number), read);
    end = {number, read.bytes, read.next_number};
  }
  chain.end();  // or the mark of the copy would hide that records are missing
  SyncMark own(copy.sync_mark());
  own.move(end);
  own.sync();
}

}  // namespace

SnapshotResult snapshot_store(const StoreFolder& original, const std::string& to,
                              const HashLayout& layout, std::uint64_t fingerprint,
                              const SnapshotOptions& options, const WriteBeside& beside) {
  original.check_in_place();
  const std::string schema = StoreFolder::read_schema(original.path());
  const std::optional<SyncMark::Place> mark = SyncMark::read(original.sync_mark());
  const auto [manifest, sources] = open_sources(original);
  original.check_in_place();  // since the files are opened by their names
  StoreFolder::make_empty(to, {StoreFolder::kLock});
  StoreFolder copy(to);
  copy.lock();
  StoreFolder::make_empty(to, {StoreFolder::kLock});  // another process may have been faster
  std::vector<std::string> made;
  SnapshotResult result;
  try {
    for (const Source& source : sources.files) {
      made.push_back(fmt::format("{}/{}", to, source.name));
      const bool is_linked =
          source.is_sealed && !options.copy && link_file(source, made.back(), result.linked_bytes);
      if (!is_linked) result.copied_bytes += copy_file(source.file.get(), source.path, made.back());
    }
    made.push_back(to + "/MANIFEST");
    copy.write_manifest(manifest);
    try {
      for (const Manifest::Part& part : manifest.parts)
        Segment(copy.segment(part.segment), layout, fingerprint).check_pages();
      made.push_back(copy.sync_mark());
      settle_logs(copy, manifest, layout, mark);
      const DiskStore opened(to, layout, fingerprint, {.read_only = true});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kCorrupt) throw;
      throw Error(ErrorCode::kCorrupt, Subject::file(original.path()),
                  "no snapshot was made, since its files would be damaged, and so, most likely, is "
                  "the index (benzer verify): " +
                      error.sentence());
    }
    if (std::string file = beside(to); !file.empty()) made.push_back(std::move(file));
    original.check_in_place();
    copy.check_in_place();
    StoreFolder::write_schema(to, schema);
  } catch (...) {
    if (!copy.is_in_place()) throw;
    // The marker is deleted first: without it there is no store.
    for (const char* name : {"BENZER", "BENZER.tmp", "MANIFEST.tmp"})
      file_system().unlink(fmt::format("{}/{}", to, name).c_str());
    for (const std::string& path : made) file_system().unlink(path.c_str());
    // Last, and while it is held: whoever gets it from now on finds an empty folder.
    file_system().unlink(fmt::format("{}/{}", to, StoreFolder::kLock).c_str());
    throw;
  }
  return result;
}

}  // namespace benzer
