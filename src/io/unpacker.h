// What the decoders of packed streams have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_stream.h"

namespace benzer {

// Reads packed bytes in full blocks, so that decoding does not depend on how the bytes arrive, and
// reports damage once all bytes in front of it were handed out.
class Unpacker : public ByteStream {
 public:
  explicit Unpacker(std::unique_ptr<ByteStream> packed) : packed_(std::move(packed)) {}

  std::size_t read(char* out, std::size_t size) final;

 protected:
  // As read(), but what was decoded before a throw is left in decoded_before_damage_.
  virtual std::size_t decode(char* out, std::size_t size) = 0;

  // False at the end of the packed bytes.
  bool refill();

  std::uint64_t position() const { return consumed_ + at_; }
  std::size_t left() const { return input_.size() - at_; }
  // Do the bytes at hand begin with `magic`, as far as there are so many?
  bool at_magic(std::string_view magic) const;
  [[noreturn]] void damaged(std::string_view decoder, std::string_view what,
                            std::size_t decoded_before);
  // The sentence for a file whose name promises what its first bytes do not hold.
  [[noreturn]] void wrong_magic(std::string_view format);

  std::vector<char> input_;
  std::size_t at_ = 0;
  std::size_t decoded_before_damage_ = 0;

 private:
  std::unique_ptr<ByteStream> packed_;
  std::uint64_t consumed_ = 0;
  std::string damage_;
};

// Decodes into an output of a fixed size, for decoders whose result in front of damage depends on
// the room that they are given. The copy is a small part of decoding.
class SteadyUnpacker : public Unpacker {
 public:
  SteadyUnpacker(std::unique_ptr<ByteStream> packed, std::size_t output_bytes)
      : Unpacker(std::move(packed)), output_(output_bytes) {}

 protected:
  // Decodes the next bytes into output_ and sets output_end_, which may stay 0. False at the end.
  virtual bool fill() = 0;

  std::vector<char> output_;
  std::size_t output_end_ = 0;

 private:
  std::size_t decode(char* out, std::size_t size) final;

  std::size_t output_at_ = 0;
};

// Decodes files of one or more streams in a row, which come to their end when they are whole.
class StreamsUnpacker : public SteadyUnpacker {
 protected:
  struct Format {
    std::string_view decoder;  // as sentences name it
    std::string_view name;
    std::string_view magic;  // at the begin of every stream
    // Zero bytes after a stream are padding. May another stream follow them?
    bool goes_on_after_padding;
  };
  enum class Step { kMore, kEnd, kDamage };

  StreamsUnpacker(std::unique_ptr<ByteStream> packed, Format format);

  virtual void start() = 0;  // a stream
  // Decodes from input_ and at_ on, possibly of no bytes, into output_; sets at_ and output_end_.
  virtual Step step() = 0;
  virtual std::string problem() const = 0;  // what is wrong, after Step::kDamage

 private:
  bool fill() final;
  bool begins_stream();

  Format format_;
  bool open_ = false;   // in a stream
  bool any_ = false;    // a stream came to its end
  bool ended_ = false;  // no packed bytes follow those at hand
  bool padding_ = false;
  bool damaged_ = false;
};

}  // namespace benzer
