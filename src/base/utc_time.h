// Reads and writes moments in UTC as RFC 3339 has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace benzer {

// Microseconds since 1970-01-01T00:00:00Z, without leap seconds.
using UtcTime = std::int64_t;

UtcTime utc_now() noexcept;

// Reads "2026-11-22", which is midnight, and "2026-11-22T21:03:00.5+01:00" with 0 to 6 digits after
// the point and Z or an offset; for the T, a t or a space may stand. Years are 0001 to 9999.
// Returns nothing for anything else, also for a day that the calendar does not have.
std::optional<UtcTime> read_utc_time(std::string_view text) noexcept;

// Returns whether a moment is in the years 0001 to 9999, as all are that read_utc_time() returns.
bool is_writable_utc_time(UtcTime time) noexcept;

// "2026-11-22T21:03:00Z", with a fraction only if there is one. The time must be one that can be
// written.
std::string utc_text(UtcTime time);

}  // namespace benzer
