// Locks a store against all others that ask for the lock, for a limited time: if its holder dies,
// others wait no longer than that (redis.io/docs/latest/develop/use/patterns/distributed-locks,
// with one server).
#pragma once

#include <string>

#include "store/redis/session.h"

namespace benzer::redis {

// Threads: one.
class Lease {
 public:
  // Waits until the lock is free. Throws Error(kBusy) after some seconds, and as Session::run()
  // does.
  explicit Lease(Session& session);
  ~Lease();  // gives the lock back; if it has ended, that of another is kept
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  // Throws Error(kBusy) if too little time is left to write: others may have the lock by then. If
  // the write was tried before, and its end is unknown, throws Error(kUnavailable) in its place.
  void check(bool was_tried) const;

 private:
  Session& session_;
  std::string token_;
  Clock::time_point ends_;
};

}  // namespace benzer::redis
