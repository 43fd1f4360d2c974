#include "store/redis/server_error.h"

#include <string_view>

#include <fmt/format.h>

#include "benzer/error.h"

namespace benzer::redis {

bool denies(const Reply& reply) {
  for (const std::string_view known : {"NOAUTH", "WRONGPASS", "NOPERM"})
    if (reply.error_code() == known) return true;
  return reply.is_error() && reply.text.starts_with("ERR AUTH");
}

bool passes(const Reply& reply) {
  if (reply.text.starts_with("ERR max number of clients")) return true;
  const std::string_view code = reply.error_code();
  for (const std::string_view known : {"LOADING", "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN",
                                       "READONLY", "NOREPLICAS", "BUSY", "UNBLOCKED"})
    if (code == known) return true;
  return false;
}

[[noreturn]] void refuse(const Reply& reply, const Address& address) {
  const std::string_view code = reply.error_code();
  const std::string who = address.str();
  if (denies(reply))
    throw Error(ErrorCode::kDenied,
                fmt::format("{} denies it: {}; check user and password in the index's address, and "
                            "the user's rights (docs/operating.md has the list)",
                            who, reply.text));
  if (code == "OOM")
    throw Error(ErrorCode::kStorageFailed, fmt::format("{} has no memory left (maxmemory)", who),
                "give it more or remove documents, then write again what was not acknowledged",
                ": ");
  if (code == "MISCONF")
    throw Error(ErrorCode::kStorageFailed,
                fmt::format("{} cannot save to its disk, and so takes no writes", who),
                "see its log; then write again what was not acknowledged", ": ");
  if (code == "WRONGTYPE")
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: a key of the index has a value of another type: another program "
                            "writes to keys with this name",
                            who));
  if (code == "MOVED" || code == "ASK")
    throw Error(ErrorCode::kInvalidArgument, fmt::format("{} is part of a cluster", who),
                "begin the index's address with redis+cluster:// (rediss+cluster://)", ": ");
  throw Error(ErrorCode::kStorageFailed, fmt::format("{} answers: {}", who, reply.text));
}

}  // namespace benzer::redis
