#include <new>
#include <utility>

#include <bzlib.h>

#include "io/unpack.h"
#include "io/unpacker.h"

namespace benzer {
namespace {

constexpr std::size_t kBzip2OutputBytes = 1 << 17;

class Bzip2Unpacker final : public SteadyUnpacker {
 public:
  explicit Bzip2Unpacker(std::unique_ptr<ByteStream> packed)
      : SteadyUnpacker(std::move(packed), kBzip2OutputBytes) {}
  ~Bzip2Unpacker() override { close(); }
  Bzip2Unpacker(const Bzip2Unpacker&) = delete;
  Bzip2Unpacker& operator=(const Bzip2Unpacker&) = delete;

 private:
  bool fill() override {
    if (result_ != BZ_OK) fail();
    if (left() == 0 && !ended_ && !refill()) ended_ = true;
    if (!open_) {
      if (ended_ && any_) return false;
      if (ended_) damaged("bzip2", "unexpected end of the file", 0);
      if (!start_stream()) return true;
    }
    state_.next_in = input_.data() + at_;
    state_.avail_in = static_cast<unsigned>(left());
    state_.next_out = output_.data();
    state_.avail_out = static_cast<unsigned>(output_.size());
    const int result = BZ2_bzDecompress(&state_);
    at_ = input_.size() - state_.avail_in;
    output_end_ = output_.size() - state_.avail_out;
    if (result == BZ_STREAM_END) {
      close();
      any_ = true;
    } else if (result == BZ_OK && ended_ && output_end_ == 0) {
      result_ = BZ_UNEXPECTED_EOF;
    } else {
      result_ = result;
    }
    return true;  // an error is for the next call, after what was decoded in front of it
  }

  // False if the input at hand is used up.
  bool start_stream() {
    if (!begins_stream("bzip2", "bzip2", "BZh", false)) return false;
    state_ = {};
    if (BZ2_bzDecompressInit(&state_, 0, 0) != BZ_OK) throw std::bad_alloc();
    open_ = true;
    return true;
  }

  void close() {
    if (open_) BZ2_bzDecompressEnd(&state_);
    open_ = false;
  }

  [[noreturn]] void fail() {
    if (result_ == BZ_MEM_ERROR) throw std::bad_alloc();
    damaged("bzip2", result_ == BZ_UNEXPECTED_EOF ? "unexpected end of the file" : "damaged data",
            0);
  }

  bz_stream state_{};
  int result_ = BZ_OK;
  bool open_ = false;
  bool any_ = false;    // a stream came to its end
  bool ended_ = false;  // no packed bytes follow those at hand
};

}  // namespace

std::unique_ptr<ByteStream> make_bzip2_unpacker(std::unique_ptr<ByteStream> packed) {
  return std::make_unique<Bzip2Unpacker>(std::move(packed));
}

}  // namespace benzer
