#include "server_folder.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benzer/error.h"

#include "sqlite_database.h"

namespace benzer::server {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTemporary = "benzer-server-";
constexpr auto kYoung = std::chrono::minutes(1);
// Of the tables. A file with another version is put aside.
constexpr std::int64_t kTables = 1;

// Returns a descriptor that holds the lock of the folder, or -1 and the reason in errno.
int take(const std::string& folder) {
  const int lock = ::open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
  const int why = errno;
  ::close(lock);
  errno = why;
  return -1;
}

// Removes temporary folders of servers that were killed.
void sweep(const fs::path& folder) {
  std::error_code error, ignored;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string path = at->path().string();
    struct stat status{};
    if (!at->path().filename().string().starts_with(kTemporary) ||
        ::lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
        status.st_uid != ::geteuid())
      continue;
    // One that is being made has no lock yet.
    if (std::chrono::system_clock::from_time_t(status.st_mtime) + kYoung >
        std::chrono::system_clock::now())
      continue;
    const int lock = take(path);
    if (lock < 0) continue;
    fs::remove_all(path, ignored);
    ::close(lock);
  }
}

std::string system_text(int error) { return std::generic_category().message(error); }

}  // namespace

ServerFolder::ServerFolder(const std::string& root) {
  if (root.find("://") == root.npos) try {
      open_lasting(root);
      is_temporary_ = false;
      return;
    } catch (const Error& error) {
      problem_ = std::string("tasks, reports and answers are kept only until this server ends: ") +
                 error.what();
    }
  if (lock_ >= 0) ::close(lock_);
  lock_ = -1;
  open_temporary();
}

void ServerFolder::open_lasting(const std::string& root) {
  path_ = root + "/.server";
  const auto fail = [&](int why) {
    throw Error(ErrorCode::kStorageFailed, Subject::file(path_),
                why == EWOULDBLOCK ? "another server has it" : system_text(why));
  };
  if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST) fail(errno);
  lock_ = take(path_);
  if (lock_ < 0) fail(errno);
  std::error_code error;
  fs::create_directory(reports(), error);
  if (error) fail(error.value());
  put_damaged_aside();
}

// A table that is written to shows that there is room.
void ServerFolder::put_damaged_aside() {
  std::string damage;
  try {
    const SqliteDatabase opened(database(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    const auto check = opened.prepare("PRAGMA quick_check(1)");
    if (opened.step(check)) damage = opened.text(check, 0);
    const auto version = opened.prepare("PRAGMA user_version");
    const std::string tables = opened.step(version) ? opened.text(version, 0) : "";
    if (damage == "ok") damage.clear();
    if (damage.empty() && tables != "0" && tables != std::to_string(kTables))
      damage = "its tables are those of another version";
    if (damage.empty()) {
      SqliteDatabase::reset(version);
      SqliteDatabase::reset(check);
      opened.run(("PRAGMA user_version = " + std::to_string(kTables) +
                  "; CREATE TABLE IF NOT EXISTS started(at TEXT); DELETE FROM started; "
                  "INSERT INTO started VALUES(datetime());")
                     .c_str());
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kCorrupt) throw;
    damage = error.what();
  }
  if (damage.empty()) return;
  std::error_code error, ignored;
  fs::rename(database(), database() + ".damaged", error);
  if (error)
    throw Error(ErrorCode::kStorageFailed, Subject::file(database()),
                "it is damaged, and cannot be put aside: " + error.message());
  for (const char* end : {"-wal", "-shm"}) fs::remove(database() + end, ignored);
  // They list what was removed, and would be deleted as those of no task.
  const std::string aside = reports() + ".damaged";
  fs::create_directory(aside, ignored);
  for (fs::directory_iterator at(reports(), error), end; !error && at != end; at.increment(error))
    fs::rename(at->path(), aside / at->path().filename(), error);
  if (error)
    throw Error(
        ErrorCode::kStorageFailed, Subject::file(reports()),
        "reports of tasks that are no longer listed cannot be put aside: " + error.message());
  problem_ = database() + " is damaged, was put aside as server.sqlite.damaged, and begins anew: " +
             "earlier tasks are not listed, and their reports are in reports.damaged (" + damage +
             ")";
}

void ServerFolder::open_temporary() {
  path_.clear();
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  if (error) return;
  sweep(folder);
  std::string name = (folder / (std::string(kTemporary) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) return;
  path_ = name;
  lock_ = take(path_);
  fs::create_directory(reports(), error);
}

std::string ServerFolder::database() const {
  return path_.empty() ? ":memory:" : path_ + "/server.sqlite";
}

ServerFolder::~ServerFolder() {
  std::error_code ignored;
  if (is_temporary_ && !path_.empty()) fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace benzer::server
