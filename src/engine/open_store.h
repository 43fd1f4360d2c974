// Opens the store at a location, which is a folder or the address of a Redis server.
#pragma once

#include <memory>
#include <string>

#include "benzer/index.h"

#include "store/disk/disk_store.h"
#include "store/redis_place.h"
#include "store/store.h"

namespace benzer {

struct OpenedStore {
  Schema schema;  // completed
  std::unique_ptr<Store> store;
  DiskStore* disk = nullptr;  // the store, if it is one in a folder
  std::string folder;         // its absolute path
};

// Throws Error(kInvalidArgument) if `benzer serve` keeps the documents of the index in this folder,
// and Error(kStorageFailed) if that cannot be told.
void check_keeps_no_documents(const std::string& folder);
RedisOptions redis_options(const ServerOptions& server);
bool is_index_location(const std::string& location);
OpenedStore open_store(const std::string& location, const OpenOptions& options);

}  // namespace benzer
