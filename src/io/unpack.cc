#include "io/unpack.h"

#include <new>
#include <string>
#include <utility>

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "io/unpacker.h"

namespace benzer {
namespace {

constexpr int kLargestWindowLog = 31;

class GzipUnpacker final : public StreamsUnpacker {
 public:
  explicit GzipUnpacker(std::unique_ptr<ByteStream> packed)
      : StreamsUnpacker(std::move(packed), {"zlib", "gzip", "\x1f\x8b", false}) {
    if (inflateInit2(&state_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~GzipUnpacker() override { inflateEnd(&state_); }
  GzipUnpacker(const GzipUnpacker&) = delete;
  GzipUnpacker& operator=(const GzipUnpacker&) = delete;

 private:
  void start() override { inflateReset(&state_); }

  Step step() override {
    state_.next_in = reinterpret_cast<Bytef*>(input_.data() + at_);
    state_.avail_in = static_cast<uInt>(left());
    state_.next_out = reinterpret_cast<Bytef*>(output_.data());
    state_.avail_out = static_cast<uInt>(output_.size());
    const int result = inflate(&state_, Z_NO_FLUSH);
    at_ = input_.size() - state_.avail_in;
    output_end_ = output_.size() - state_.avail_out;
    if (result == Z_STREAM_END) return Step::kEnd;
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    return result == Z_OK || result == Z_BUF_ERROR ? Step::kMore : Step::kDamage;
  }

  std::string problem() const override { return state_.msg ? state_.msg : "damaged data"; }

  z_stream state_{};
};

// The output has a fixed size, since zstd decodes a small frame at once if the output has room for
// all of it, and then gives none of the bytes of a damaged frame.
class ZstdUnpacker final : public SteadyUnpacker {
 public:
  explicit ZstdUnpacker(std::unique_ptr<ByteStream> packed)
      : SteadyUnpacker(std::move(packed), ZSTD_DStreamOutSize()), state_(ZSTD_createDCtx()) {
    if (!state_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(state_, ZSTD_d_windowLogMax, kLargestWindowLog);
  }
  ~ZstdUnpacker() override { ZSTD_freeDCtx(state_); }
  ZstdUnpacker(const ZstdUnpacker&) = delete;
  ZstdUnpacker& operator=(const ZstdUnpacker&) = delete;

 private:
  bool fill() override {
    if (left() == 0 && !flushing_) {
      const bool more = refill();
      if (!more && frame_done_ && started_) return false;
      if (!more) damaged("zstd", "unexpected end of the file", 0);
    }
    if (!started_ && !begins_like_zstd({input_.data() + at_, left()})) wrong_magic("zstd");
    started_ = true;
    ZSTD_inBuffer in{input_.data(), input_.size(), at_};
    ZSTD_outBuffer decoded{output_.data(), output_.size(), 0};
    const std::size_t result = ZSTD_decompressStream(state_, &decoded, &in);
    at_ = in.pos;
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (ZSTD_isError(result)) damaged("zstd", ZSTD_getErrorName(result), 0);
    output_end_ = decoded.pos;
    frame_done_ = result == 0;
    flushing_ = !frame_done_ && decoded.pos == decoded.size;
    return true;
  }

  ZSTD_DCtx* state_;
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
