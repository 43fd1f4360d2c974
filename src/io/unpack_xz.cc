#include <new>
#include <utility>

#include <fmt/format.h>
#include <lzma.h>

#include "io/unpack.h"
#include "io/unpacker.h"

namespace benzer {
namespace {

constexpr std::size_t kXzOutputBytes = 1 << 17;

class XzUnpacker final : public SteadyUnpacker {
 public:
  explicit XzUnpacker(std::unique_ptr<ByteStream> packed)
      : SteadyUnpacker(std::move(packed), kXzOutputBytes) {}
  ~XzUnpacker() override { lzma_end(&state_); }
  XzUnpacker(const XzUnpacker&) = delete;
  XzUnpacker& operator=(const XzUnpacker&) = delete;

 private:
  bool fill() override {
    if (result_ != LZMA_OK) fail();
    if (left() == 0 && !ended_ && !refill()) ended_ = true;
    if (!open_) {
      if (ended_ && any_) return false;
      if (ended_) damaged("xz", "unexpected end of the file", 0);
      if (!start_stream()) return true;
    }
    state_.next_in = reinterpret_cast<const std::uint8_t*>(input_.data() + at_);
    state_.avail_in = left();
    state_.next_out = reinterpret_cast<std::uint8_t*>(output_.data());
    state_.avail_out = output_.size();
    const lzma_ret result = lzma_code(&state_, LZMA_RUN);
    at_ = input_.size() - state_.avail_in;
    output_end_ = output_.size() - state_.avail_out;
    if (result == LZMA_STREAM_END) {
      open_ = false;
      any_ = true;
    } else if (result == LZMA_OK && ended_ && output_end_ == 0) {
      result_ = LZMA_BUF_ERROR;
    } else {
      result_ = result;
    }
    return true;  // an error is for the next call, after what was decoded in front of it
  }

  // False if the input at hand is used up.
  bool start_stream() {
    if (!begins_stream("xz", "xz",
                       {"\xFD"
                        "7zXZ\0",
                        6},
                       true))
      return false;
    if (lzma_stream_decoder(&state_, kMostXzMemory, LZMA_TELL_UNSUPPORTED_CHECK) != LZMA_OK)
      throw std::bad_alloc();
    return open_ = true;
  }

  [[noreturn]] void fail() {
    switch (result_) {
      case LZMA_MEM_ERROR:
        throw std::bad_alloc();
      case LZMA_MEMLIMIT_ERROR:
        damaged("xz",
                fmt::format("unpacking takes {} bytes of memory, at most {} are allowed; pack it "
                            "with a smaller dictionary, such as that of xz -9",
                            lzma_memusage(&state_), kMostXzMemory),
                0);
      case LZMA_UNSUPPORTED_CHECK:
        damaged("xz", "the check sum is of a kind that is not known, so damage would go unseen", 0);
      case LZMA_OPTIONS_ERROR:
        damaged("xz", "the file asks for a way of packing that is not known", 0);
      case LZMA_BUF_ERROR:
        damaged("xz", "unexpected end of the file", 0);
      default:
        damaged("xz", "damaged data", 0);
    }
  }

  lzma_stream state_ = LZMA_STREAM_INIT;
  lzma_ret result_ = LZMA_OK;
  bool open_ = false;
  bool any_ = false;    // a stream came to its end
  bool ended_ = false;  // no packed bytes follow those at hand
};

}  // namespace

std::unique_ptr<ByteStream> make_xz_unpacker(std::unique_ptr<ByteStream> packed) {
  return std::make_unique<XzUnpacker>(std::move(packed));
}

}  // namespace benzer
