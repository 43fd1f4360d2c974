#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <lzma.h>

#include "io/unpack.h"
#include "io/unpacker.h"

namespace benzer {
namespace {

constexpr std::string_view kXzMagic(
    "\xFD"
    "7zXZ\0",
    6);

class XzUnpacker final : public StreamsUnpacker {
 public:
  explicit XzUnpacker(std::unique_ptr<ByteStream> packed)
      : StreamsUnpacker(std::move(packed), {"xz", "xz", kXzMagic, true}) {}
  ~XzUnpacker() override { lzma_end(&state_); }
  XzUnpacker(const XzUnpacker&) = delete;
  XzUnpacker& operator=(const XzUnpacker&) = delete;

 private:
  void start() override {
    if (lzma_stream_decoder(&state_, kMostXzMemory, LZMA_TELL_UNSUPPORTED_CHECK) != LZMA_OK)
      throw std::bad_alloc();
  }

  Step step() override {
    state_.next_in = reinterpret_cast<const std::uint8_t*>(input_.data() + at_);
    state_.avail_in = left();
    state_.next_out = reinterpret_cast<std::uint8_t*>(output_.data());
    state_.avail_out = output_.size();
    result_ = lzma_code(&state_, LZMA_RUN);
    at_ = input_.size() - state_.avail_in;
    output_end_ = output_.size() - state_.avail_out;
    if (result_ == LZMA_STREAM_END) return Step::kEnd;
    if (result_ == LZMA_MEM_ERROR) throw std::bad_alloc();
    return result_ == LZMA_OK || result_ == LZMA_BUF_ERROR ? Step::kMore : Step::kDamage;
  }

  std::string problem() const override {
    switch (result_) {
      case LZMA_MEMLIMIT_ERROR:
        return fmt::format(
            "decompressing takes {} bytes of memory, at most {} are allowed; compress it with a "
            "smaller dictionary, such as that of xz -9",
            lzma_memusage(&state_), kMostXzMemory);
      case LZMA_UNSUPPORTED_CHECK:
        return "the type of its checksum is unknown, so damage would not be noticed";
      case LZMA_OPTIONS_ERROR:
        return "the file uses an unknown compression method";
      default:
        return "damaged data";
    }
  }

  lzma_stream state_ = LZMA_STREAM_INIT;
  lzma_ret result_ = LZMA_OK;
};

}  // namespace

std::unique_ptr<ByteStream> make_xz_unpacker(std::unique_ptr<ByteStream> packed) {
  return std::make_unique<XzUnpacker>(std::move(packed));
}

}  // namespace benzer
