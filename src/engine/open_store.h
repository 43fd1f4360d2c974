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

RedisOptions redis_options(const ServerOptions& server);
bool is_index_location(const std::string& location);
OpenedStore open_store(const std::string& location, const OpenOptions& options);

}  // namespace benzer
