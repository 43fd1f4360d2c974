#include "io/content.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include <xxhash.h>

#include "benzer/runtime.h"

#include "base/file.h"
#include "io/input_list.h"

namespace benzer {
namespace {

// Small enough to stay in the caches between reading and hashing.
constexpr std::size_t kContentPiece = std::size_t{256} << 10;

class SummedStream final : public ByteStream {
 public:
  SummedStream(std::unique_ptr<ByteStream> bytes, ContentSum& sum)
      : bytes_(std::move(bytes)), sum_(sum) {}
  std::size_t read(char* out, std::size_t size) override {
    const std::size_t got = bytes_->read(out, size);
    sum_.add({out, got});
    return got;
  }

 private:
  std::unique_ptr<ByteStream> bytes_;
  ContentSum& sum_;
};

}  // namespace

struct ContentSum::State {
  State() : hash(XXH3_createState()) {
    if (hash == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(hash);
  }
  ~State() { XXH3_freeState(hash); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  XXH3_state_t* hash;
  std::uint64_t bytes = 0;
};

ContentSum::ContentSum() : state_(std::make_unique<State>()) {}
ContentSum::~ContentSum() = default;

void ContentSum::add(std::string_view bytes) noexcept {
  XXH3_128bits_update(state_->hash, bytes.data(), bytes.size());
  state_->bytes += bytes.size();
}

Content ContentSum::content() const noexcept {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->hash);
  return {state_->bytes, hash.low64, hash.high64};
}

std::unique_ptr<ByteStream> stream_summed(std::unique_ptr<ByteStream> bytes, ContentSum& sum) {
  return std::make_unique<SummedStream>(std::move(bytes), sum);
}

int read_content(int fd, std::uint64_t bytes, const std::atomic<bool>* stop, Content& out) {
  ContentSum sum;
  std::vector<char> piece(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kContentPiece)));
  std::size_t got = 1;
  for (std::uint64_t at = 0; at < bytes && got > 0; at += got) {
    throw_if_stopped(stop);
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), bytes - at));
    if (const int error = pread_fully(fd, piece.data(), wanted, at, &got)) return error;
    sum.add({piece.data(), got});
  }
  out = sum.content();
  return 0;
}

}  // namespace benzer
