// Where records end: at every line end, or, in CSV, at every line end that no quotes enclose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace benzer {

// Takes bytes in parts of any size and remembers what it must of those before.
//
// CSV: a quote opens a field only at the field's begin; there, two quotes stand for one and a
// single one closes. Anywhere else a quote is a character like others, so that after a missing
// quote the ends are found again soon.
class RecordEnds {
 public:
  RecordEnds() = default;  // lines
  explicit RecordEnds(char delimiter) noexcept : delimiter_(delimiter) {}

  // The next part begins a record.
  void restart() noexcept {
    state_ = State::kPlain;
    before_ = '\n';
  }
  // The place behind the first end in the part; 0 if there is none. Behind an end begins a record.
  std::size_t first(std::string_view part) noexcept;
  // Likewise behind the last one.
  std::size_t last(std::string_view part) noexcept;

  // The bytes so far end inside quotes.
  bool in_quotes() const noexcept { return state_ == State::kQuoted; }

 private:
  enum class State {
    kPlain,
    kQuoted,
    kQuote,  // behind a quote inside quotes, which closes unless another one follows
  };
  static constexpr char kLines = '\n';  // in place of a delimiter

  std::size_t close_quotes(std::string_view part, std::size_t at) noexcept;
  std::size_t opening_quote(std::string_view part, std::size_t at) const noexcept;

  char delimiter_ = kLines;
  State state_ = State::kPlain;
  char before_ = '\n';  // the byte in front of the next part
};

std::uint64_t count_line_ends(std::string_view bytes) noexcept;

}  // namespace benzer
