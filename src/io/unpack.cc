#include "io/unpack.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

namespace benzer {
namespace {

constexpr std::size_t kPackedBytes = 1 << 18;
constexpr int kLargestWindowLog = 31;

// What decoders have in common: packed bytes in full blocks, so that decoding does not depend on
// how the bytes arrive, and damage that is reported once all bytes in front of it were handed out.
class Unpacker : public ByteStream {
 public:
  explicit Unpacker(std::unique_ptr<ByteStream> packed) : packed_(std::move(packed)) {}

  std::size_t read(char* out, std::size_t size) final {
    if (!damage_.empty()) throw StreamDamage(damage_);
    std::size_t got = 0;
    try {
      got = decode(out, size);
    } catch (const StreamDamage& damage) {
      damage_ = damage.what();
      got = decoded_before_damage_;
      if (got == 0) throw;
    }
    return got;
  }

 protected:
  // As read(), but what was decoded before a throw is left in decoded_before_damage_.
  virtual std::size_t decode(char* out, std::size_t size) = 0;

  // False at the end of the packed bytes.
  bool refill() {
    consumed_ += input_.size();
    input_.resize(kPackedBytes);
    std::size_t got = 0;
    try {
      while (got < input_.size()) {
        const std::size_t n = packed_->read(input_.data() + got, input_.size() - got);
        if (n == 0) break;
        got += n;
      }
    } catch (const StreamDamage&) {
      if (got == 0) throw;  // otherwise the next refill meets it again
    }
    input_.resize(got);
    at_ = 0;
    return got > 0;
  }

  std::uint64_t position() const { return consumed_ + at_; }
  std::size_t left() const { return input_.size() - at_; }

  [[noreturn]] void damaged(std::string_view decoder, std::string_view what,
                            std::size_t decoded_before) {
    decoded_before_damage_ = decoded_before;
    throw StreamDamage(
        fmt::format("{} says at byte {} of the file: {}", decoder, position(), what));
  }

  // The sentence for a file whose name promises what its first bytes do not hold.
  [[noreturn]] void wrong_magic(std::string_view decoder) {
    std::string found;
    for (std::size_t i = at_; i < std::min(at_ + 4, input_.size()); ++i)
      fmt::format_to(std::back_inserter(found), " {:02x}", static_cast<unsigned char>(input_[i]));
    throw StreamDamage(fmt::format(
        "the content is not {} as the name promises, it begins with the bytes{}", decoder, found));
  }

  std::vector<char> input_;
  std::size_t at_ = 0;
  std::size_t decoded_before_damage_ = 0;

 private:
  std::unique_ptr<ByteStream> packed_;
  std::uint64_t consumed_ = 0;
  std::string damage_;
};

class GzipUnpacker final : public Unpacker {
 public:
  explicit GzipUnpacker(std::unique_ptr<ByteStream> packed) : Unpacker(std::move(packed)) {
    if (inflateInit2(&state_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~GzipUnpacker() override { inflateEnd(&state_); }
  GzipUnpacker(const GzipUnpacker&) = delete;
  GzipUnpacker& operator=(const GzipUnpacker&) = delete;

 private:
  std::size_t decode(char* out, std::size_t size) override {
    size = std::min<std::size_t>(size, 1u << 30);  // zlib counts in 32 bits
    std::size_t got = 0;
    decoded_before_damage_ = 0;
    while (got == 0) {
      if (left() == 0) {
        const bool more = refill();
        if (!more && between_members_ && members_ > 0) return 0;
        if (!more) damaged("zlib", "unexpected end of the file", 0);
      }
      if (between_members_ && !start_member()) continue;
      got = inflate_some(out, size);
    }
    return got;
  }

  // False if the input at hand is used up.
  bool start_member() {
    if (members_ > 0) {
      while (left() > 0 && input_[at_] == '\0') {
        ++at_;
        padding_ = true;
      }
      if (left() == 0) return false;
      if (padding_ || static_cast<unsigned char>(input_[at_]) != 0x1f)
        damaged("zlib", "bytes that are not gzip follow the packed data", 0);
    } else if (static_cast<unsigned char>(input_[at_]) != 0x1f ||
               (left() > 1 && static_cast<unsigned char>(input_[at_ + 1]) != 0x8b)) {
      wrong_magic("gzip");
    }
    inflateReset(&state_);
    between_members_ = false;
    return true;
  }

  std::size_t inflate_some(char* out, std::size_t size) {
    state_.next_in = reinterpret_cast<Bytef*>(input_.data() + at_);
    state_.avail_in = static_cast<uInt>(left());
    state_.next_out = reinterpret_cast<Bytef*>(out);
    state_.avail_out = static_cast<uInt>(size);
    const int result = inflate(&state_, Z_NO_FLUSH);
    at_ = input_.size() - state_.avail_in;
    const std::size_t got = size - state_.avail_out;
    if (result == Z_STREAM_END) {
      between_members_ = true;
      ++members_;
    } else if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      damaged("zlib", state_.msg ? state_.msg : "damaged data", got);
    }
    return got;
  }

  z_stream state_{};
  bool between_members_ = true;
  bool padding_ = false;
  std::uint64_t members_ = 0;
};

class ZstdUnpacker final : public Unpacker {
 public:
  explicit ZstdUnpacker(std::unique_ptr<ByteStream> packed)
      : Unpacker(std::move(packed)), state_(ZSTD_createDCtx()), output_(ZSTD_DStreamOutSize()) {
    if (!state_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(state_, ZSTD_d_windowLogMax, kLargestWindowLog);
  }
  ~ZstdUnpacker() override { ZSTD_freeDCtx(state_); }
  ZstdUnpacker(const ZstdUnpacker&) = delete;
  ZstdUnpacker& operator=(const ZstdUnpacker&) = delete;

 private:
  // zstd decodes a small frame at once if the output has room for all of it, and then hands out
  // nothing of a damaged one. Through an output of a fixed size the result does not depend on the
  // caller's; the copy is a small part of decoding.
  std::size_t decode(char* out, std::size_t size) override {
    decoded_before_damage_ = 0;
    while (output_at_ == output_end_) {
      if (left() == 0 && !flushing_) {
        const bool more = refill();
        if (!more && frame_done_ && started_) return 0;
        if (!more) damaged("zstd", "unexpected end of the file", 0);
      }
      if (!started_ && !looks_like_zstd()) wrong_magic("zstd");
      started_ = true;
      ZSTD_inBuffer in{input_.data(), input_.size(), at_};
      ZSTD_outBuffer decoded{output_.data(), output_.size(), 0};
      const std::size_t result = ZSTD_decompressStream(state_, &decoded, &in);
      at_ = in.pos;
      output_at_ = 0;
      output_end_ = decoded.pos;
      if (ZSTD_isError(result)) {
        output_end_ = 0;
        damaged("zstd", ZSTD_getErrorName(result), 0);
      }
      frame_done_ = result == 0;
      flushing_ = !frame_done_ && decoded.pos == decoded.size;
    }
    const std::size_t got = std::min(size, output_end_ - output_at_);
    std::memcpy(out, output_.data() + output_at_, got);
    output_at_ += got;
    return got;
  }

  bool looks_like_zstd() const {
    static constexpr unsigned char kFrame[] = {0x28, 0xb5, 0x2f, 0xfd};
    static constexpr unsigned char kSkippable[] = {0x50, 0x2a, 0x4d, 0x18};
    const std::size_t n = std::min<std::size_t>(left(), 4);
    if (std::memcmp(input_.data() + at_, kFrame, n) == 0) return true;
    const auto first = static_cast<unsigned char>(input_[at_]);
    return (first & 0xf0u) == kSkippable[0] &&
           std::memcmp(input_.data() + at_ + 1, kSkippable + 1, n - 1) == 0;
  }

  ZSTD_DCtx* state_;
  std::vector<char> output_;
  std::size_t output_at_ = 0;
  std::size_t output_end_ = 0;
  bool started_ = false;
  bool frame_done_ = true;
  bool flushing_ = false;  // the decoder holds output that did not fit
};

}  // namespace

std::unique_ptr<ByteStream> make_gzip_unpacker(std::unique_ptr<ByteStream> packed) {
  return std::make_unique<GzipUnpacker>(std::move(packed));
}

std::unique_ptr<ByteStream> make_zstd_unpacker(std::unique_ptr<ByteStream> packed) {
  return std::make_unique<ZstdUnpacker>(std::move(packed));
}

}  // namespace benzer
