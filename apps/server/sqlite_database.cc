#include "sqlite_database.h"

#include "benzer/error.h"

namespace benzer::server {

SqliteDatabase::SqliteDatabase(const std::string& file, int flags) : file_(file) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(file.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(opened);
  check(status);
}

void SqliteDatabase::fail(int status) const {
  const bool is_corrupt = status == SQLITE_CORRUPT || status == SQLITE_NOTADB;
  throw Error(is_corrupt ? ErrorCode::kCorrupt : ErrorCode::kStorageFailed, Subject::file(file_),
              database_ ? sqlite3_errmsg(database_.get()) : sqlite3_errstr(status));
}

void SqliteDatabase::run(const char* sql) const {
  check(sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr));
}

SqliteDatabase::Statement SqliteDatabase::prepare(const char* sql) const {
  sqlite3_stmt* out = nullptr;
  check(sqlite3_prepare_v3(database_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &out, nullptr));
  return Statement(out);
}

void SqliteDatabase::bind_text(const Statement& statement, int place, std::string_view text) const {
  check(sqlite3_bind_text64(statement.get(), place, text.data(), text.size(), SQLITE_STATIC,
                            SQLITE_UTF8));
}

void SqliteDatabase::bind_bytes(const Statement& statement, int place,
                                std::string_view bytes) const {
  check(sqlite3_bind_blob64(statement.get(), place, bytes.data(), bytes.size(), SQLITE_STATIC));
}

void SqliteDatabase::bind(const Statement& statement, int place, std::int64_t number) const {
  check(sqlite3_bind_int64(statement.get(), place, number));
}

void SqliteDatabase::bind(const Statement& statement, int place, double number) const {
  check(sqlite3_bind_double(statement.get(), place, number));
}

bool SqliteDatabase::step(const Statement& statement) const {
  const int status = sqlite3_step(statement.get());
  if (status == SQLITE_ROW) return true;
  reset(statement);
  if (status != SQLITE_DONE) fail(status);
  return false;
}

std::string SqliteDatabase::text(const Statement& statement, int column) const {
  const void* bytes = sqlite3_column_blob(statement.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement.get(), column));
  if (bytes == nullptr) {
    const int status = sqlite3_errcode(database_.get());
    if (status == SQLITE_NOMEM) fail(status);
    return {};
  }
  return {static_cast<const char*>(bytes), size};
}

}  // namespace benzer::server
