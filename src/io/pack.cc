#include "io/pack.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <vector>

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace benzer {
namespace {

constexpr std::size_t kBytesAtOnce = 256u << 10;
constexpr int kGzipLevel = 6;
constexpr int kZstdLevel = 3;
constexpr int kFastZstdLevel = -5;

class GzipPacker final : public Packer {
 public:
  GzipPacker() : packed_(kBytesAtOnce) {
    if (deflateInit2(&state_, kGzipLevel, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~GzipPacker() override { deflateEnd(&state_); }
  GzipPacker(const GzipPacker&) = delete;
  GzipPacker& operator=(const GzipPacker&) = delete;

  void pack(std::string_view bytes, const Emit& emit) override {
    constexpr std::size_t kMost = 1u << 30;  // zlib counts in 32 bits
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kMost)))
      run(bytes.substr(0, kMost), Z_NO_FLUSH, emit);
  }
  void finish(const Emit& emit) override { run({}, Z_FINISH, emit); }

 private:
  void run(std::string_view bytes, int flush, const Emit& emit) {
    state_.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(bytes.data()));
    state_.avail_in = static_cast<uInt>(bytes.size());
    do {
      state_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      state_.avail_out = static_cast<uInt>(packed_.size());
      deflate(&state_, flush);  // cannot fail with a valid state and room for output
      emit({packed_.data(), packed_.size() - state_.avail_out});
    } while (state_.avail_out == 0);
  }

  z_stream state_{};
  std::vector<char> packed_;
};

class ZstdPacker final : public Packer {
 public:
  // With 0 workers, packs in the caller's thread.
  ZstdPacker(int level, bool checksum, int workers)
      : state_(ZSTD_createCCtx()), packed_(kBytesAtOnce) {
    if (!state_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(state_, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(state_, ZSTD_c_checksumFlag, checksum ? 1 : 0);
    // Any number of workers from 1 on gives the same bytes; 0 gives others. A libzstd without
    // threads refuses this setting and packs without workers.
    if (workers > 0) ZSTD_CCtx_setParameter(state_, ZSTD_c_nbWorkers, workers);
    bytes_of_tables_ =
        workers > 0 ? (16u << 10) + (1u << 10) * static_cast<std::size_t>(workers) : 0;
  }
  ~ZstdPacker() override { ZSTD_freeCCtx(state_); }
  ZstdPacker(const ZstdPacker&) = delete;
  ZstdPacker& operator=(const ZstdPacker&) = delete;

  void pack(std::string_view bytes, const Emit& emit) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    while (in.pos < in.size) run(in, ZSTD_e_continue, emit);
  }
  void finish(const Emit& emit) override {
    ZSTD_inBuffer in{nullptr, 0, 0};
    while (run(in, ZSTD_e_end, emit) != 0) {
    }
  }

 private:
  std::size_t run(ZSTD_inBuffer& in, ZSTD_EndDirective end, const Emit& emit) {
    // The first call makes small tables for the workers, and libzstd (up to 1.5.6 at least) crashes
    // without room for that of their jobs. It gets what is given back here; what it lacks of more
    // than that, it says.
    if (bytes_of_tables_ > 0) ::operator delete(::operator new(bytes_of_tables_));
    bytes_of_tables_ = 0;
    ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
    const std::size_t left = ZSTD_compressStream2(state_, &out, &in, end);
    if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (ZSTD_isError(left)) throw std::runtime_error(ZSTD_getErrorName(left));
    if (out.pos > 0) emit({packed_.data(), out.pos});
    return left;
  }

  ZSTD_CCtx* state_;
  std::vector<char> packed_;
  std::size_t bytes_of_tables_ = 0;
};

}  // namespace

std::unique_ptr<Packer> make_packer(Compression how, int threads) {
  if (how == Compression::kGzip) return std::make_unique<GzipPacker>();
  if (how == Compression::kZstd) return std::make_unique<ZstdPacker>(kZstdLevel, true, threads);
  return nullptr;
}

std::unique_ptr<Packer> make_fast_packer() {
  return std::make_unique<ZstdPacker>(kFastZstdLevel, false, 0);
}

}  // namespace benzer
