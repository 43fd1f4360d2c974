#include "kept_documents.h"

#include <filesystem>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "benzer/error.h"

namespace benzer::server {
namespace {

// Makes commits durable (FULL), lets readers and the writer work at the same time (WAL), and waits
// up to 5 s for a lock of another connection.
constexpr const char* kSetUp =
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=FULL;"
    "PRAGMA busy_timeout=5000;"
    "CREATE TABLE IF NOT EXISTS documents(number INTEGER PRIMARY KEY, id BLOB UNIQUE NOT NULL, "
    "json TEXT NOT NULL);";

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
// A statement that has returned a row must be reset before other values can be bound.
struct ResetStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_reset(statement); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

// A connection to the database. Threads take turns by its mutex.
struct Database {
  explicit Database(const std::string& path, int flags) : file(path) {
    sqlite3* opened = nullptr;
    const int status = sqlite3_open_v2(path.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    database.reset(opened);
    if (status != SQLITE_OK) fail(status);
  }

  using Statement = std::unique_ptr<sqlite3_stmt, FinishStatement>;

  [[noreturn]] void fail(int status) const {
    const bool is_corrupt = status == SQLITE_CORRUPT || status == SQLITE_NOTADB;
    throw Error(is_corrupt ? ErrorCode::kCorrupt : ErrorCode::kStorageFailed, Subject::file(file),
                database ? sqlite3_errmsg(database.get()) : sqlite3_errstr(status));
  }
  void run(const char* sql) const {
    if (const int status = sqlite3_exec(database.get(), sql, nullptr, nullptr, nullptr))
      fail(status);
  }
  Statement prepare(const char* sql) const {
    sqlite3_stmt* out = nullptr;
    if (const int status =
            sqlite3_prepare_v3(database.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &out, nullptr))
      fail(status);
    return Statement(out);
  }
  // Returns whether there is a row.
  bool step(const Statement& statement) const {
    const int status = sqlite3_step(statement.get());
    if (status == SQLITE_ROW) return true;
    sqlite3_reset(statement.get());
    if (status != SQLITE_DONE) fail(status);
    return false;
  }
  void bind(const Statement& statement, int place, std::string_view bytes, bool is_text) const {
    const int status = is_text ? sqlite3_bind_text64(statement.get(), place, bytes.data(),
                                                     bytes.size(), SQLITE_STATIC, SQLITE_UTF8)
                               : sqlite3_bind_blob64(statement.get(), place, bytes.data(),
                                                     bytes.size(), SQLITE_STATIC);
    if (status != SQLITE_OK) fail(status);
  }
  template <class Work>
  void in_one_step(Work work) const {
    run("BEGIN IMMEDIATE");
    try {
      work();
      run("COMMIT");
    } catch (...) {
      sqlite3_exec(database.get(), "ROLLBACK", nullptr, nullptr, nullptr);
      throw;
    }
  }

  std::string file;
  mutable std::mutex mutex;
  std::unique_ptr<sqlite3, CloseDatabase> database;
};

}  // namespace

// Readers share a connection of their own, so that they do not wait for a writer, or for a copy.
struct KeptDocuments::Impl {
  explicit Impl(const std::string& path)
      : writer(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE),
        reader((writer.run(kSetUp), path), SQLITE_OPEN_READWRITE),
        put(writer.prepare("INSERT OR REPLACE INTO documents(id, json) VALUES(?1, ?2)")),
        remove(writer.prepare("DELETE FROM documents WHERE id = ?1")),
        get(reader.prepare("SELECT json FROM documents WHERE id = ?1")) {}

  Database writer, reader;
  Database::Statement put, remove, get;
};

bool KeptDocuments::is_there(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

KeptDocuments::KeptDocuments(const std::string& file) : impl_(std::make_unique<Impl>(file)) {}
KeptDocuments::~KeptDocuments() = default;
KeptDocuments::KeptDocuments(KeptDocuments&&) noexcept = default;

void KeptDocuments::put(std::span<const Row> rows) {
  const Database& writer = impl_->writer;
  const std::lock_guard lock(writer.mutex);
  writer.in_one_step([&] {
    for (const Row& row : rows) {
      writer.bind(impl_->put, 1, row.id, false);
      writer.bind(impl_->put, 2, row.json, true);
      writer.step(impl_->put);
    }
  });
}

void KeptDocuments::remove(std::span<const std::string> ids) {
  const Database& writer = impl_->writer;
  const std::lock_guard lock(writer.mutex);
  writer.in_one_step([&] {
    for (const std::string& id : ids) {
      writer.bind(impl_->remove, 1, id, false);
      writer.step(impl_->remove);
    }
  });
}

std::optional<std::string> KeptDocuments::get(std::string_view id) const {
  const Database& reader = impl_->reader;
  const std::lock_guard lock(reader.mutex);
  const std::unique_ptr<sqlite3_stmt, ResetStatement> at_the_end(impl_->get.get());
  reader.bind(impl_->get, 1, id, false);
  if (!reader.step(impl_->get)) return std::nullopt;
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(impl_->get.get(), 0));
  if (text == nullptr) reader.fail(sqlite3_errcode(reader.database.get()));  // out of memory
  return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(impl_->get.get(), 0)));
}

// A connection of its own, as in verify(), because counting reads the whole list of ids.
KeptDocuments::Size KeptDocuments::size() const {
  const Database own(impl_->writer.file, SQLITE_OPEN_READWRITE);
  own.run("PRAGMA busy_timeout=5000");
  const Database::Statement count = own.prepare(
      "SELECT (SELECT count(*) FROM documents), "
      "(SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size())");
  Size out;
  if (own.step(count)) {
    out.documents = static_cast<std::uint64_t>(sqlite3_column_int64(count.get(), 0));
    out.bytes = static_cast<std::uint64_t>(sqlite3_column_int64(count.get(), 1));
  }
  return out;
}

void KeptDocuments::verify() const {
  // A connection of its own, because this takes long, and writers and readers should not wait.
  const Database own(impl_->writer.file, SQLITE_OPEN_READWRITE);
  own.run("PRAGMA busy_timeout=5000");
  const Database::Statement check = own.prepare("PRAGMA integrity_check(1)");
  if (!own.step(check)) return;
  const std::string said(reinterpret_cast<const char*>(sqlite3_column_text(check.get(), 0)));
  if (said != "ok")
    throw Error(ErrorCode::kCorrupt, Subject::file(own.file),
                fmt::format("it is damaged: {}", said));
}

void KeptDocuments::copy_to(const std::string& file) const {
  const Database& writer = impl_->writer;
  const std::lock_guard lock(writer.mutex);
  const Database::Statement copy = writer.prepare("VACUUM INTO ?1");
  writer.bind(copy, 1, file, true);
  writer.step(copy);
}

}  // namespace benzer::server
