#include "base/utc_time.h"

#include <charconv>
#include <chrono>

#include <fmt/format.h>

namespace benzer {
namespace {

using std::chrono::microseconds;
constexpr UtcTime kSecond = 1'000'000;
constexpr UtcTime kDay = 86'400 * kSecond;

// Takes pieces off the front of a text, and remembers whether all were there.
struct Left {
  std::string_view text;
  bool ok = true;

  // A number of exactly that many digits, from `least` to `most`.
  int number(std::size_t digits, int least, int most) noexcept {
    int out = 0;
    ok = ok && text.size() >= digits;
    for (std::size_t i = 0; ok && i < digits; ++i) {
      ok = text[i] >= '0' && text[i] <= '9';
      out = 10 * out + (text[i] - '0');
    }
    ok = ok && out >= least && out <= most;
    if (ok) text.remove_prefix(digits);
    return out;
  }
  bool take(std::string_view allowed) noexcept {
    if (!ok || text.empty() || allowed.find(text[0]) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
  }
  void need(std::string_view allowed) noexcept { ok = take(allowed); }
};

// The fraction of a second behind a point, in microseconds.
UtcTime take_fraction(Left& left) noexcept {
  UtcTime out = 0, unit = kSecond;
  while (left.ok && !left.text.empty() && left.text[0] >= '0' && left.text[0] <= '9') {
    unit /= 10;
    left.ok = unit > 0;
    out += unit * (left.text[0] - '0');
    left.text.remove_prefix(1);
  }
  left.ok = left.ok && unit < kSecond;
  return out;
}

}  // namespace

UtcTime utc_now() noexcept {
  return std::chrono::duration_cast<microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::optional<UtcTime> read_utc_time(std::string_view text) noexcept {
  Left left{text};
  const int year = left.number(4, 1, 9999);
  left.need("-");
  const int month = left.number(2, 1, 12);
  left.need("-");
  const int day = left.number(2, 1, 31);
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!left.ok || !date.ok()) return std::nullopt;
  UtcTime out = std::chrono::sys_days(date).time_since_epoch().count() * kDay;
  if (left.text.empty()) return out;
  left.need("Tt ");
  out += left.number(2, 0, 23) * 3600 * kSecond;
  left.need(":");
  out += left.number(2, 0, 59) * 60 * kSecond;
  left.need(":");
  out += left.number(2, 0, 59) * kSecond;
  if (left.take(".")) out += take_fraction(left);
  if (!left.take("Zz")) {
    const bool is_behind = left.take("-");
    if (!is_behind) left.need("+");
    UtcTime offset = left.number(2, 0, 23) * 3600 * kSecond;
    left.need(":");
    offset += left.number(2, 0, 59) * 60 * kSecond;
    out += is_behind ? offset : -offset;
  }
  if (!left.ok || !left.text.empty()) return std::nullopt;
  // An offset may lead out of the years that can be written.
  if (!is_writable_utc_time(out)) return std::nullopt;
  return out;
}

bool is_writable_utc_time(UtcTime time) noexcept {
  static const UtcTime first = *read_utc_time("0001-01-01"), last = *read_utc_time("9999-12-31");
  return first <= time && time < last + kDay;
}

std::string utc_text(UtcTime time) {
  const std::chrono::sys_days days = std::chrono::floor<std::chrono::days>(
      std::chrono::sys_time<microseconds>(microseconds(time)));
  const std::chrono::year_month_day date(days);
  const UtcTime of_day = time - days.time_since_epoch().count() * kDay;
  const UtcTime seconds = of_day / kSecond, fraction = of_day % kSecond;
  std::string out =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (fraction != 0) {
    out += fmt::format(".{:06}", fraction);
    out.erase(out.find_last_not_of('0') + 1);
  }
  return out + "Z";
}

}  // namespace benzer
