#include <new>
#include <string>
#include <utility>

#include <bzlib.h>

#include "io/unpack.h"
#include "io/unpacker.h"

namespace benzer {
namespace {

class Bzip2Unpacker final : public StreamsUnpacker {
 public:
  explicit Bzip2Unpacker(std::unique_ptr<ByteStream> packed)
      : StreamsUnpacker(std::move(packed), {"bzip2", "bzip2", "BZh", false}) {}
  ~Bzip2Unpacker() override { BZ2_bzDecompressEnd(&state_); }
  Bzip2Unpacker(const Bzip2Unpacker&) = delete;
  Bzip2Unpacker& operator=(const Bzip2Unpacker&) = delete;

 private:
  void start() override {
    BZ2_bzDecompressEnd(&state_);  // of the previous stream, if there was one
    state_ = {};
    if (BZ2_bzDecompressInit(&state_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  Step step() override {
    state_.next_in = input_.data() + at_;
    state_.avail_in = static_cast<unsigned>(left());
    state_.next_out = output_.data();
    state_.avail_out = static_cast<unsigned>(output_.size());
    const int result = BZ2_bzDecompress(&state_);
    at_ = input_.size() - state_.avail_in;
    output_end_ = output_.size() - state_.avail_out;
    if (result == BZ_STREAM_END) return Step::kEnd;
    if (result == BZ_MEM_ERROR) throw std::bad_alloc();
    return result == BZ_OK ? Step::kMore : Step::kDamage;
  }

  std::string problem() const override { return "damaged data"; }

  bz_stream state_{};
};

}  // namespace

std::unique_ptr<ByteStream> make_bzip2_unpacker(std::unique_ptr<ByteStream> packed) {
  return std::make_unique<Bzip2Unpacker>(std::move(packed));
}

}  // namespace benzer
