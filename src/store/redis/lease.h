// Keeps all others out who ask for it, for a limited time: a holder that dies is waited for no
// longer than that (redis.io/docs/latest/develop/use/patterns/distributed-locks, with one server).
#pragma once

#include <string>

#include "store/redis/session.h"

namespace benzer::redis {

// Threads: one.
class Lease {
 public:
  // Waits until it is free. Throws Error(kBusy) after some seconds, and as Session::run() does.
  explicit Lease(Session& session);
  ~Lease();  // gives it back, unless it has ended: another's stays
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  // Throws Error(kBusy) if there is not enough time left to write: others may have it.
  void check() const;

 private:
  Session& session_;
  std::string token_;
  Clock::time_point ends_;
};

}  // namespace benzer::redis
