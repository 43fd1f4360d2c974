#include "engine/open_store.h"

#include <cerrno>
#include <optional>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/file.h"
#include "base/given_path.h"
#include "engine/hasher.h"
#include "engine/stored_schema.h"

namespace benzer {
namespace {

// Parses the schema of an existing store. Throws if another one was asked for.
Schema checked_schema(const std::string& location, const std::string& text,
                      const OpenOptions& options) {
  Schema schema = read_stored_schema(text, location);
  if (options.create_with && options.create_with->completed() != schema)
    throw Error(ErrorCode::kInvalidArgument, Subject::index(location),
                fmt::format("the index has the schema '{}', not '{}'", schema.str(),
                            options.create_with->completed().str()));
  return schema;
}

[[noreturn]] void refuse_level(const std::string& location, const WriteLevel& level,
                               std::string_view allowed) {
  throw Error(ErrorCode::kInvalidArgument, Subject::index(location),
              fmt::format("the durability '{}' is not one of this index", level.str()),
              fmt::format("give {}", allowed));
}

OpenedStore open_folder(const std::string& location, const OpenOptions& options) {
  // The store opens its files again and again, and the process may call chdir() meanwhile.
  const std::string folder = absolute_path(location);
  const WriteLevel level = options.durability.value_or(Durability::kSync);
  if (level.durability != Durability::kSync && level.durability != Durability::kBatch &&
      level.durability != Durability::kNone)
    refuse_level(folder, level, "sync, batch or none");
  const bool is_checked = !options.read_only && !options.allow_kept_documents;
  if (is_checked) check_keeps_no_documents(folder);
  if (options.create_with && !options.read_only && !StoreFolder::is_at(folder))
    StoreFolder::create(folder, stored_schema(options.create_with->completed()));
  OpenedStore out;
  out.schema = checked_schema(folder, StoreFolder::read_schema(folder), options);
  auto store =
      std::make_unique<DiskStore>(folder, Hasher(out.schema).layout(), out.schema.fingerprint(),
                                  DiskOptions{.durability = level.durability,
                                              .read_only = options.read_only,
                                              .memtable_bytes = options.memtable_bytes,
                                              .on_problem = options.on_maintenance_problem});
  // A server may have made the file before the folder was locked here.
  if (is_checked) check_keeps_no_documents(folder);
  out.disk = store.get();
  out.folder = folder;
  out.store = std::move(store);
  return out;
}

OpenedStore open_redis(const std::string& url, const OpenOptions& options) {
  RedisOptions redis = redis_options(options.server);
  redis.level = options.durability.value_or(Durability::kMemory);
  if (redis.level.durability != Durability::kMemory &&
      redis.level.durability != Durability::kReplicas &&
      redis.level.durability != Durability::kDisk)
    refuse_level(shown_redis_url(url), redis.level, "memory, replicas:N or disk");
  if (redis.level.durability == Durability::kReplicas &&
      (redis.level.replicas < 1 || redis.level.replicas > WriteLevel::kMostReplicas))
    refuse_level(shown_redis_url(url), redis.level,
                 fmt::format("replicas:N with N from 1 to {}", WriteLevel::kMostReplicas));
  if (options.create_with) redis.create_schema = stored_schema(options.create_with->completed());
  redis.read_only = options.read_only;
  redis.stop = options.stop;
  const RedisPlace place(url, redis);
  OpenedStore out;
  out.schema = checked_schema(shown_redis_url(url), place.schema(), options);
  out.store = place.open(Hasher(out.schema).layout());
  return out;
}

}  // namespace

void check_keeps_no_documents(const std::string& folder) {
  const std::string file = fmt::format("{}/{}", folder, Index::kKeptDocuments);
  struct stat status{};
  if (file_system().stat(file.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return;
    throw Error(ErrorCode::kStorageFailed, Subject::file(file),
                fmt::format("it cannot be looked at: {}", system_message(errno)));
  }
  throw Error(
      ErrorCode::kInvalidArgument, Subject::file(file),
      "it holds copies of the documents of the index, which only 'benzer serve' keeps up to "
      "date",
      "send the change to the server, or move the file away to keep no copies");
}

RedisOptions redis_options(const ServerOptions& server) {
  RedisOptions out;
  out.password = server.password;
  out.ca_file = server.ca_file;
  out.timeout_seconds = server.timeout_seconds;
  out.expected_documents = server.expected_documents;
  return out;
}

bool is_index_location(const std::string& location) {
  return is_redis_url(location) || StoreFolder::is_at(location);
}

std::string Index::shown(const std::string& location) {
  return is_redis_url(location) ? shown_redis_url(location) : location;
}

OpenedStore open_store(const std::string& location, const OpenOptions& options) {
  return is_redis_url(location) ? open_redis(location, options) : open_folder(location, options);
}

}  // namespace benzer
