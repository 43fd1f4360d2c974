#include "task_records.h"

#include <array>

namespace benzer::server {
namespace {

constexpr std::array<std::string_view, 5> kStatusNames = {"enqueued", "processing", "succeeded",
                                                          "failed", "canceled"};

constexpr const char* kTaskTable =
    "CREATE TABLE IF NOT EXISTS tasks(number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, "
    "client TEXT NOT NULL, kind TEXT NOT NULL, index_name TEXT NOT NULL, created TEXT NOT NULL, "
    "status INTEGER NOT NULL, seconds REAL NOT NULL, done INTEGER NOT NULL, "
    "total INTEGER NOT NULL, result TEXT NOT NULL, problem TEXT NOT NULL);";
constexpr const char* kSaveTask =
    "INSERT INTO tasks(id, client, kind, index_name, created, status, seconds, done, total, "
    "result, "
    "problem) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT(id) DO UPDATE SET "
    "status = ?6, seconds = ?7, done = ?8, total = ?9, result = ?10, problem = ?11";
constexpr const char* kPruneTasks =
    "DELETE FROM tasks WHERE number <= (SELECT max(number) FROM tasks) - ?1 AND status >= ?2";
constexpr const char* kLoadTasks =
    "SELECT id, client, kind, index_name, created, status, seconds, done, total, result, problem "
    "FROM tasks ORDER BY number";

}  // namespace

std::string_view name_of(TaskRecord::Status status) {
  return kStatusNames[static_cast<std::size_t>(status)];
}

TaskRecords::TaskRecords(const std::string& database, std::size_t most)
    : database_(database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE),
      most_(static_cast<std::int64_t>(most)),
      save_((database_.run(SqliteDatabase::kSetUp), database_.run(kTaskTable),
             database_.prepare(kSaveTask))),
      prune_(database_.prepare(kPruneTasks)),
      load_(database_.prepare(kLoadTasks)) {}

void TaskRecords::save(const TaskRecord& record) {
  const std::lock_guard lock(database_.mutex);
  database_.in_one_step([&] {
    int place = 0;
    for (const std::string* text :
         {&record.id, &record.client, &record.kind, &record.index, &record.created})
      database_.bind_text(save_, ++place, *text);
    database_.bind(save_, ++place, static_cast<std::int64_t>(record.status));
    database_.bind(save_, ++place, record.seconds);
    database_.bind(save_, ++place, static_cast<std::int64_t>(record.done));
    database_.bind(save_, ++place, static_cast<std::int64_t>(record.total));
    database_.bind_text(save_, ++place, record.result);
    database_.bind_text(save_, ++place, record.problem);
    database_.step(save_);
    database_.bind(prune_, 1, most_);
    database_.bind(prune_, 2, static_cast<std::int64_t>(TaskRecord::Status::kSucceeded));
    database_.step(prune_);
  });
}

std::vector<TaskRecord> TaskRecords::load() const {
  const std::lock_guard lock(database_.mutex);
  const SqliteDatabase::Reset at_the_end(load_);
  std::vector<TaskRecord> out;
  while (database_.step(load_)) {
    TaskRecord& one = out.emplace_back();
    int column = 0;
    for (std::string* text : {&one.id, &one.client, &one.kind, &one.index, &one.created})
      *text = database_.text(load_, column++);
    const auto status = static_cast<std::size_t>(sqlite3_column_int64(load_.get(), column++));
    one.status = status < kStatusNames.size() ? static_cast<TaskRecord::Status>(status)
                                              : TaskRecord::Status::kFailed;
    one.seconds = sqlite3_column_double(load_.get(), column++);
    one.done = static_cast<std::uint64_t>(sqlite3_column_int64(load_.get(), column++));
    one.total = static_cast<std::uint64_t>(sqlite3_column_int64(load_.get(), column++));
    one.result = database_.text(load_, column++);
    one.problem = database_.text(load_, column++);
  }
  return out;
}

}  // namespace benzer::server
