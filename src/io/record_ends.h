// Finds where records end: at every line end or, in CSV, at every line end outside of quotes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace benzer {

// Takes bytes in parts of any size and remembers its state between parts.
//
// In CSV a quote opens quotes only at the beginning of a field. Inside them two quotes mean one,
// and a single quote closes them. Anywhere else a quote is a character like others, so that the
// right ends are found again soon after a missing quote.
class RecordEnds {
 public:
  RecordEnds() = default;  // lines
  explicit RecordEnds(char delimiter) noexcept : delimiter_(delimiter) {}

  // The next part begins a record.
  void restart() noexcept {
    state_ = State::kPlain;
    before_ = '\n';
  }
  // The place after the first end in the part, where the next record begins; 0 if there is none.
  std::size_t first(std::string_view part) noexcept;
  // The same for the last end in the part.
  std::size_t last(std::string_view part) noexcept;

  // Whether the bytes so far end inside quotes.
  bool in_quotes() const noexcept { return state_ == State::kQuoted; }

 private:
  enum class State {
    kPlain,
    kQuoted,
    kQuote,  // after a quote inside quotes, which closes them unless another quote follows
  };
  static constexpr char kLines = '\n';  // instead of a delimiter: records are lines

  std::size_t close_quotes(std::string_view part, std::size_t at) noexcept;
  std::size_t opening_quote(std::string_view part, std::size_t at) const noexcept;

  char delimiter_ = kLines;
  State state_ = State::kPlain;
  char before_ = '\n';  // the byte in front of the next part
};

std::uint64_t count_line_ends(std::string_view bytes) noexcept;

}  // namespace benzer
