// Provides base classes for the decoders of packed streams.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "io/byte_stream.h"

namespace benzer {

// Reads packed bytes in full blocks, so that decoding does not depend on how the bytes arrive, and
// reports damage only after all bytes in front of it were handed out.
class Unpacker : public ByteStream {
 public:
  explicit Unpacker(std::unique_ptr<ByteStream> packed) : packed_(std::move(packed)) {}

  std::size_t read(char* out, std::size_t size) final;

 protected:
  // Like read(), but if it throws, decoded_before_damage_ is how many bytes were decoded into
  // `out`.
  virtual std::size_t decode(char* out, std::size_t size) = 0;

  // Reads the next packed bytes. Returns false at their end.
  bool refill();

  std::uint64_t position() const { return consumed_ + at_; }
  std::size_t left() const { return input_.size() - at_; }
  // Whether the bytes at hand begin with `magic`, or with its beginning if they are fewer.
  bool at_magic(std::string_view magic) const;
  [[noreturn]] void damaged(std::string_view decoder, std::string_view what,
                            std::size_t decoded_before);
  // Throws the damage of a file whose first bytes are not of the format that its name says.
  [[noreturn]] void wrong_magic(std::string_view format);

  std::span<char> input_;  // the packed bytes at hand
  std::size_t at_ = 0;
  std::size_t decoded_before_damage_ = 0;

 private:
  std::unique_ptr<ByteStream> packed_;
  // Not filled with zeros, here and below: of a small file most pages are never touched.
  std::unique_ptr<char[]> input_room_;
  std::uint64_t consumed_ = 0;
  std::string damage_;
};

// Decodes into an output of a fixed size, for decoders whose result in front of damage depends on
// the room in the output. The extra copy costs little compared with decoding.
class SteadyUnpacker : public Unpacker {
 public:
  SteadyUnpacker(std::unique_ptr<ByteStream> packed, std::size_t output_bytes)
      : Unpacker(std::move(packed)),
        output_room_(std::make_unique_for_overwrite<char[]>(output_bytes)) {
    output_ = {output_room_.get(), output_bytes};
  }

 protected:
  // Decodes the next bytes into output_ and sets output_end_, which may stay 0. False at the end.
  virtual bool fill() = 0;

  std::span<char> output_;
  std::size_t output_end_ = 0;

 private:
  std::size_t decode(char* out, std::size_t size) final;

  std::unique_ptr<char[]> output_room_;
  std::size_t output_at_ = 0;
};

// Decodes files of one or more streams in a row. A file ends well only after a complete stream.
class StreamsUnpacker : public SteadyUnpacker {
 protected:
  struct Format {
    std::string_view decoder;  // as sentences name it
    std::string_view name;
    std::string_view magic;  // at the beginning of every stream
    // Zero bytes after a stream are padding. Whether another stream may follow them.
    bool goes_on_after_padding;
  };
  enum class Step { kMore, kEnd, kDamage };

  StreamsUnpacker(std::unique_ptr<ByteStream> packed, Format format);

  virtual void start() = 0;  // prepares the decoder for a new stream
  // Decodes the bytes of input_ from at_ on, possibly none, into output_; sets at_ and output_end_.
  virtual Step step() = 0;
  virtual std::string problem() const = 0;  // what is wrong, after Step::kDamage

 private:
  bool fill() final;
  bool begins_stream();

  Format format_;
  bool open_ = false;   // in a stream
  bool any_ = false;    // at least one stream was complete
  bool ended_ = false;  // no packed bytes follow those at hand
  bool padding_ = false;
  bool damaged_ = false;
};

}  // namespace benzer
