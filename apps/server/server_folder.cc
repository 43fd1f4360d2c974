#include "server_folder.h"

#include <cerrno>
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

// Returns a descriptor that holds the lock of the folder, or -1.
int take(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return -1;
  const int lock = ::open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
  ::close(lock);
  return -1;
}

}  // namespace

ServerFolder::ServerFolder(const std::string& root) : path_(root + "/.server"), lock_(take(path_)) {
  if (is_lasting()) {
    put_damaged_aside();
    return;
  }
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "benzer-server-XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr)
    throw Error(ErrorCode::kStorageFailed, Subject::file(name),
                "no folder for tasks and reports can be made: " +
                    (error ? error : std::error_code(errno, std::generic_category())).message());
  path_ = name;
}

// What is lost are old tasks, and answers that a client may ask for again. That is no reason not to
// serve indexes.
void ServerFolder::put_damaged_aside() {
  std::string damage;
  try {
    const SqliteDatabase opened(database(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    const auto check = opened.prepare("PRAGMA quick_check(1)");
    if (opened.step(check)) damage = opened.text(check, 0);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kCorrupt) throw;
    damage = error.what();
  }
  if (damage.empty() || damage == "ok") return;
  std::error_code ignored;
  fs::rename(database(), database() + ".damaged", ignored);
  for (const char* end : {"-wal", "-shm"}) fs::remove(database() + end, ignored);
  problem_ = database() + " is damaged, was put aside as server.sqlite.damaged, and begins anew: " +
             "earlier tasks are not listed (" + damage + ")";
}

ServerFolder::~ServerFolder() {
  std::error_code ignored;
  if (is_lasting())
    ::close(lock_);
  else
    fs::remove_all(path_, ignored);
}

}  // namespace benzer::server
