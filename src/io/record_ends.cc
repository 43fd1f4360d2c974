#include "io/record_ends.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>

namespace benzer {
namespace {

constexpr auto kNone = std::string_view::npos;

std::size_t behind_last_line_end(std::string_view bytes) noexcept {
  const void* found = memrchr(bytes.data(), '\n', bytes.size());
  return found ? static_cast<std::size_t>(static_cast<const char*>(found) + 1 - bytes.data()) : 0;
}

}  // namespace

// Goes from inside quotes to the place after the quote that closes them.
std::size_t RecordEnds::close_quotes(std::string_view part, std::size_t at) noexcept {
  while (at < part.size()) {
    if (state_ == State::kQuote) {
      state_ = part[at] == '"' ? State::kQuoted : State::kPlain;
      if (state_ == State::kPlain) return at;
      ++at;
      continue;
    }
    const std::size_t quote = part.find('"', at);
    if (quote == kNone) return part.size();
    state_ = State::kQuote;
    at = quote + 1;
  }
  return at;
}

// The next quote that opens a field, from a place outside of quotes.
std::size_t RecordEnds::opening_quote(std::string_view part, std::size_t at) const noexcept {
  for (; (at = part.find('"', at)) != kNone; ++at) {
    const char before = at == 0 ? before_ : part[at - 1];
    if (before == delimiter_ || before == '\n') break;
  }
  return at;
}

std::size_t RecordEnds::first(std::string_view part) noexcept {
  if (delimiter_ == kLines) return part.find('\n') + 1;
  std::size_t at = 0;
  std::size_t line_end = 0;  // after the next line end, or the end of the part
  while (at < part.size()) {
    if (state_ != State::kPlain) {
      at = close_quotes(part, at);
      continue;
    }
    if (line_end <= at) line_end = std::min(part.find('\n', at), part.size() - 1) + 1;
    const std::size_t quote = opening_quote(part.substr(0, line_end), at);
    if (quote != kNone) {
      state_ = State::kQuoted;
      at = quote + 1;
    } else if (part[line_end - 1] == '\n') {
      restart();
      return line_end;
    } else {
      at = part.size();
    }
  }
  if (!part.empty()) before_ = part.back();
  return 0;
}

std::size_t RecordEnds::last(std::string_view part) noexcept {
  if (delimiter_ == kLines) return behind_last_line_end(part);
  std::size_t at = 0;
  std::size_t end = 0;
  while (at < part.size()) {
    if (state_ != State::kPlain) {
      at = close_quotes(part, at);
      continue;
    }
    const std::size_t quote = opening_quote(part, at);
    const std::string_view plain = part.substr(at, quote == kNone ? kNone : quote - at);
    if (const std::size_t line_end = behind_last_line_end(plain)) end = at + line_end;
    if (quote == kNone) break;
    state_ = State::kQuoted;
    at = quote + 1;
  }
  if (!part.empty()) before_ = part.back();
  return end;
}

std::uint64_t count_line_ends(std::string_view bytes) noexcept {
  // Compilers make std::count() add numbers of 64 bits, which takes four times as long. Here each
  // of 16 bytes counts up to 255, which they turn into vectors of bytes.
  constexpr std::size_t kLanes = 16, kMost = 255;
  std::uint64_t sum = 0;
  while (bytes.size() >= kLanes) {
    const std::size_t rounds = std::min(kMost, bytes.size() / kLanes);
    std::uint8_t counts[kLanes] = {};
    for (std::size_t round = 0; round < rounds; ++round)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        counts[lane] =
            static_cast<std::uint8_t>(counts[lane] + (bytes[round * kLanes + lane] == '\n'));
    sum += std::accumulate(std::begin(counts), std::end(counts), std::uint64_t{0});
    bytes.remove_prefix(rounds * kLanes);
  }
  return sum + static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
}

}  // namespace benzer
