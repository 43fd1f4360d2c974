// Declares the store of an index that several processes and machines share, in the memory of Redis
// servers.
//
// Readers have no consistent snapshot, and there is no single writer: each document is written and
// replaced as a whole (its record is one value), and a query finds the documents that are there
// when it looks. Postings are written before the record and removed after it, so that a document
// that is there is found, whoever else writes.
#pragma once

#include <mutex>

#include "base/pool.h"
#include "store/redis/session.h"
#include "store/redis_place.h"
#include "store/store.h"

namespace benzer::redis {

// Errors: those of Client, and of Session.
class RedisStore : public Store {
 public:
  explicit RedisStore(Settings settings) : settings_(std::move(settings)) {}

  std::unique_ptr<StoreReader> reader() const override;
  std::unique_ptr<StoreWriter> writer() override;
  StoreStats stats() const override;
  WriteLevel level() const override { return settings_.level; }
  // Throws Error(kCorrupt) if a scrub finds anything.
  void verify() const override;
  // Always throws Error(kInvalidArgument).
  SnapshotResult snapshot(const std::string& folder, const SnapshotOptions& options,
                          const WriteBeside& beside) const override;

  // Compares all postings and records, also while others write. With repair, removes strays and
  // unreadable records, and adds postings that documents lack. The postings of a write under way
  // look like strays; so strays are looked at again after a time in which every write ends.
  ScrubReport scrub(bool repair) const;

 private:
  class Reader;
  class Writer;

  const Settings settings_;
  mutable Pool<Session> sessions_;
  std::mutex writing_;  // one writer of this process at a time
};

}  // namespace benzer::redis
