// A connection to a file of SQLite, and its statements.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <sqlite3.h>

namespace benzer::server {

// Methods throw Error(kStorageFailed), or Error(kCorrupt) for a damaged file. Not thread-safe:
// threads take turns by `mutex`.
class SqliteDatabase {
 public:
  struct Finish {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finish>;

  // Makes commits durable (FULL), lets readers and the writer work at the same time (WAL), and
  // waits up to 5 s for a lock of another connection.
  static constexpr const char* kSetUp =
      "PRAGMA journal_mode=WAL;"
      "PRAGMA synchronous=FULL;"
      "PRAGMA busy_timeout=5000;";

  // flags: SQLITE_OPEN_...
  SqliteDatabase(const std::string& file, int flags);

  const std::string& file() const noexcept { return file_; }
  void run(const char* sql) const;
  Statement prepare(const char* sql) const;
  // Places of parameters count from 1.
  void bind_text(const Statement& statement, int place, std::string_view text) const;
  void bind_bytes(const Statement& statement, int place, std::string_view bytes) const;
  void bind(const Statement& statement, int place, std::int64_t number) const;
  void bind(const Statement& statement, int place, double number) const;
  // Returns whether there is a row. After one, reset() must be called before values can be bound.
  bool step(const Statement& statement) const;
  static void reset(const Statement& statement) noexcept { sqlite3_reset(statement.get()); }
  // Does so at the end of its life.
  class Reset {
   public:
    explicit Reset(const Statement& of) : of_(of) {}
    ~Reset() { reset(of_); }
    Reset(const Reset&) = delete;
    Reset& operator=(const Reset&) = delete;

   private:
    const Statement& of_;
  };
  // Columns of the row count from 0.
  std::string text(const Statement& statement, int column) const;

  // Calls `work`, all of which is committed, or nothing if it throws.
  template <class Work>
  void in_one_step(Work work) const {
    run("BEGIN IMMEDIATE");
    try {
      work();
      run("COMMIT");
    } catch (...) {
      sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
      throw;
    }
  }

  mutable std::mutex mutex;

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  void check(int status) const {
    if (status != SQLITE_OK) fail(status);
  }
  [[noreturn]] void fail(int status) const;

  std::string file_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace benzer::server
