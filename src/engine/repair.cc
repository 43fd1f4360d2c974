#include "store/disk/repair.h"

#include <algorithm>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/index.h"

#include "base/given_path.h"
#include "engine/hasher.h"
#include "engine/open_store.h"
#include "engine/stored_schema.h"

namespace benzer {

bool RepairReport::is_complete() const noexcept {
  return std::all_of(files.begin(), files.end(), [](const File& file) {
    return file.lost == 0 && !file.lost_unknown && file.returned == 0;
  });
}

namespace {

RepairReport repair_redis(const std::string& url, const std::optional<Schema>& given,
                          const ServerOptions& server) {
  if (given)
    throw Error(ErrorCode::kInvalidArgument, Subject::index(shown_redis_url(url)),
                "an index in Redis has its schema with it", "give none", ": ");
  const RedisPlace place(url, redis_options(server));
  const ScrubReport scrub =
      place.repair(Hasher(read_stored_schema(place.schema(), shown_redis_url(url))).layout());
  RepairReport out;
  out.documents = scrub.documents;
  if (scrub.strays + scrub.torn > 0) {
    RepairReport::File& file = out.files.emplace_back();
    file.name = shown_redis_url(url);
    file.problem = scrub.str();
    file.saved = scrub.torn;
  }
  if (scrub.unreadable > 0) {
    RepairReport::File& file = out.files.emplace_back();
    file.name = shown_redis_url(url);
    file.problem = "records that fail their checks";
    file.lost = scrub.unreadable;
  }
  return out;
}

// Whether the folder is there and has numbered files, which only a store has.
bool has_store_files(const std::string& folder) {
  struct stat status{};
  const bool is_folder =
      file_system().stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  return is_folder && StoreFolder(folder).next_number() > 1;
}

}  // namespace

RepairReport repair_index(const std::string& location, const std::optional<Schema>& given,
                          const ServerOptions& server) {
  if (is_redis_url(location)) return repair_redis(location, given, server);
  const std::string folder = absolute_path(location);
  std::optional<Error> problem;  // of the file that holds the schema
  Schema schema;
  try {
    schema = read_stored_schema(StoreFolder::read_schema(folder), folder);
    if (given && given->completed() != schema)
      throw Error(ErrorCode::kInvalidArgument, Subject::file(folder),
                  fmt::format("the index has the schema '{}', not '{}'", schema.str(),
                              given->completed().str()));
  } catch (const Error& error) {
    const bool is_missing = error.code() == ErrorCode::kNoIndex;
    const bool is_damaged = error.code() == ErrorCode::kCorrupt ||
                            dynamic_cast<const UnreadablePage*>(&error) != nullptr;
    if (!is_missing && !is_damaged) throw;
    // The other files have only the fingerprint of the schema.
    if (!given && is_damaged)
      throw Error(ErrorCode::kCorrupt, error.subject(),
                  error.detail() + "; it held the schema, without which nothing can be read",
                  "give the one that the index was made with (" + Parameter{"field"} + ", " +
                      Parameter{"min_threshold"} + " and so on; with +tf-idf also " +
                      Parameter{"frequencies"} + ")",
                  ": ");
    if (!given || !has_store_files(folder)) throw;
    problem = is_missing ? Error(ErrorCode::kNoIndex, "it is missing") : error;
    schema = given->completed();
  }
  Repair repair(folder, Hasher(schema).layout(), schema.fingerprint());
  if (problem) repair.replace_schema(stored_schema(schema), *problem);
  RepairReport report = repair.run();
  if (repair.has_kept_files()) report.damaged = location + "/damaged";
  return report;
}

}  // namespace benzer
