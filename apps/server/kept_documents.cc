#include "kept_documents.h"

#include <filesystem>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"

#include "sqlite_database.h"

namespace benzer::server {
namespace {

constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS documents(number INTEGER PRIMARY KEY, id BLOB UNIQUE NOT NULL, "
    "json TEXT NOT NULL);";

}  // namespace

namespace {

// Readers share a connection of their own, so that they do not wait for a writer, or for a copy.
struct Connections {
  explicit Connections(const std::string& path)
      : writer(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE),
        reader((set_up(), path), SQLITE_OPEN_READWRITE),
        put(writer.prepare("INSERT OR REPLACE INTO documents(id, json) VALUES(?1, ?2)")),
        remove(writer.prepare("DELETE FROM documents WHERE id = ?1")),
        get(reader.prepare("SELECT json FROM documents WHERE id = ?1")) {}

  void set_up() const {
    writer.run(SqliteDatabase::kSetUp);
    writer.run(kTable);
  }

  SqliteDatabase writer, reader;
  SqliteDatabase::Statement put, remove, get;
};

}  // namespace

struct KeptDocuments::Impl {
  explicit Impl(std::string path) : file(std::move(path)) {}

  Connections& open() {
    const std::lock_guard lock(opening);
    if (!connections) connections.emplace(file);
    return *connections;
  }

  const std::string file;
  std::mutex opening;
  std::optional<Connections> connections;
};

bool KeptDocuments::is_there(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

KeptDocuments::KeptDocuments(const std::string& file) : impl_(std::make_unique<Impl>(file)) {
  if (!is_there(file)) impl_->open();
}
KeptDocuments::~KeptDocuments() = default;
KeptDocuments::KeptDocuments(KeptDocuments&&) noexcept = default;

void KeptDocuments::put(std::span<const Row> rows) {
  Connections& open = impl_->open();
  const SqliteDatabase& writer = open.writer;
  const std::lock_guard lock(writer.mutex);
  writer.in_one_step([&] {
    for (const Row& row : rows) {
      writer.bind_bytes(open.put, 1, row.id);
      writer.bind_text(open.put, 2, row.json);
      writer.step(open.put);
    }
  });
}

void KeptDocuments::remove(std::span<const std::string> ids) {
  Connections& open = impl_->open();
  const SqliteDatabase& writer = open.writer;
  const std::lock_guard lock(writer.mutex);
  writer.in_one_step([&] {
    for (const std::string& id : ids) {
      writer.bind_bytes(open.remove, 1, id);
      writer.step(open.remove);
    }
  });
}

std::optional<std::string> KeptDocuments::get(std::string_view id) const {
  Connections& open = impl_->open();
  const SqliteDatabase& reader = open.reader;
  const std::lock_guard lock(reader.mutex);
  const SqliteDatabase::Reset at_the_end(open.get);
  reader.bind_bytes(open.get, 1, id);
  if (!reader.step(open.get)) return std::nullopt;
  return reader.text(open.get, 0);
}

// A connection of its own, as in verify(), because counting reads the whole list of ids.
KeptDocuments::Size KeptDocuments::size() const {
  impl_->open();  // makes the table, if a kill came before it
  const SqliteDatabase own(impl_->file, SQLITE_OPEN_READWRITE);
  own.run("PRAGMA busy_timeout=5000");
  const SqliteDatabase::Statement count = own.prepare(
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
  impl_->open();
  // A connection of its own, because this takes long, and writers and readers should not wait.
  const SqliteDatabase own(impl_->file, SQLITE_OPEN_READWRITE);
  own.run("PRAGMA busy_timeout=5000");
  const SqliteDatabase::Statement check = own.prepare("PRAGMA integrity_check(1)");
  if (!own.step(check)) return;
  const std::string said = own.text(check, 0);
  if (said != "ok")
    throw Error(ErrorCode::kCorrupt, Subject::file(own.file()),
                fmt::format("it is damaged: {}", said));
}

void KeptDocuments::copy_to(const std::string& file) const {
  const SqliteDatabase& writer = impl_->open().writer;
  const std::lock_guard lock(writer.mutex);
  const SqliteDatabase::Statement copy = writer.prepare("VACUUM INTO ?1");
  writer.bind_text(copy, 1, file);
  writer.step(copy);
}

}  // namespace benzer::server
