#include "store/redis/lease.h"

#include <chrono>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/random_pause.h"
#include "base/random_seed.h"

namespace benzer::redis {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLength{10'000};
constexpr milliseconds kMargin{5'000};  // what is begun in time must have ended before others begin
constexpr milliseconds kPatience{30'000};

}  // namespace

Lease::Lease(Session& session) : session_(session) {
  token_ = fmt::format("{:016x}", random_seed());
  const std::string key = session.layout().lock_key();
  Pipeline pipeline;
  pipeline.add({"SET", key, token_, "NX", "GET", "PX", std::to_string(kLength.count())});
  // change_if() needs this right to give the lock back: a user without it gets the error
  // before anything is written.
  pipeline.add({"WATCH", key});
  const Clock::time_point begun = Clock::now();
  for (;;) {
    ends_ = Clock::now() + kLength;  // not later than the server's end
    const Reply reply = std::move(session.run(pipeline)[0]);
    // If the reply is this token, an earlier answer was lost, and it is unknown when the lock was
    // given. So this waits until it ends, too.
    if (reply.is_nil()) return;
    if (reply.text != token_ && Clock::now() - begun > kPatience)
      throw Error(ErrorCode::kBusy, Subject::index(session.settings().access->url.str()),
                  fmt::format("others have been checking and adding for {} s, one after the other",
                              kPatience.count() / 1000),
                  "try again");
    session.client().pause(random_time(milliseconds(1), milliseconds(4)));
  }
}

Lease::~Lease() {
  try {
    // The lock may have ended since the last check, and belong to another process.
    session_.client().change_if(
        session_.layout().lock_key(), [&](const Reply& now) { return now.text == token_; },
        std::nullopt);
  } catch (const std::exception&) {
    // The lock ends by itself.
  }
}

void Lease::check(bool was_tried) const {
  if (Clock::now() <= ends_ - kMargin) return;
  const Subject index = Subject::index(session_.settings().access->url.str());
  if (was_tried)
    throw Error(
        ErrorCode::kUnavailable, index,
        "the server did not answer in time when the document was added, so it may be in the "
        "index, and others may have added a similar one",
        "look whether it is there, or try again");
  throw Error(
      ErrorCode::kBusy, index,
      "checking took so long that others may have added a similar document; nothing was added",
      "try again");
}

}  // namespace benzer::redis
