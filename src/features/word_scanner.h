// Finds the words of a text of any language, piece by piece: the scalar half of the fast path.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "features/kernels/text_kernels.h"
#include "features/scan.h"
#include "features/unicode.h"

namespace benzer::internal {

// Normalises a text and finds its words, some at a time. What may still change (the last word, and
// what the next mark may compose with) is carried over to the next piece, so the words do not
// depend on where pieces end.
class WordScanner {
 public:
  // A piece ends after about `piece_bytes` of normalised text, or after the word or run of
  // combining marks that reaches beyond them.
  WordScanner(std::string_view text, const TextKernels& kernels, std::size_t piece_bytes,
              const std::atomic<bool>* stop, WordText& out)
      : text_(text),
        kernels_(kernels),
        piece_bytes_(piece_bytes),
        stop_(stop),
        out_(out),
        table_(CodePoints::get()) {}

  // Starts after the first `ascii` bytes, which were ASCII and are in the output with their edges.
  void skip_ascii(std::size_t ascii, std::size_t edges);

  // Puts the next words into the output. Returns false if the whole text was read before. Throws
  // Error(kInterrupted), and Error(kBadInput) if the normalised text is too long.
  bool next();

 private:
  using Kind = CodePoint::Kind;
  // Between words, in a word, or in a code point that was cut out with its marks.
  enum State : std::uint8_t { kOutside, kInWord, kInCut };
  // What a code point of a class does in a state: the state after it, whether it ends the word
  // before it, and whether it starts one.
  struct Step {
    State next;
    bool ends, starts;
  };
  static const Step kSteps[3][kCharClasses];

  const std::uint8_t* source() const noexcept {
    return reinterpret_cast<const std::uint8_t*>(text_.data());
  }
  void drop_taken() noexcept;
  bool ends_piece() noexcept;
  void make_room(std::size_t more);
  void plain_run(std::size_t end);
  void step();
  char32_t decode() noexcept;
  void mark(std::size_t start) noexcept;
  void mark_after_ascii(bool has_more) noexcept;
  void ascii_run() noexcept;
  void edge(CharClass char_class) noexcept;
  void append(const CodePoint& entry) noexcept;
  void append(char32_t c);
  void segment();

  std::string_view text_;
  const TextKernels& kernels_;
  std::size_t piece_bytes_;
  const std::atomic<bool>* stop_;
  WordText& out_;
  const CodePoints& table_;
  std::size_t at_ = 0;     // next byte of the source
  std::size_t size_ = 0;   // bytes of output
  std::size_t edges_ = 0;  // edges so far
  State state_ = kOutside;
  std::uint8_t combines_ = 0;  // combining class of the last code point of the output
  std::size_t marked_source_ = 0;
  std::size_t marked_size_ = 0;
  State marked_state_ = kOutside;
  bool started_ = false, finished_ = false;
  std::size_t dropped_ = 0;  // bytes of output of earlier pieces
};

}  // namespace benzer::internal
