#include "io/byte_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <poll.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "io/unpack.h"

namespace benzer {
namespace {

struct PackedName {
  std::string_view ending;
  Compression how;
  std::string_view name;
};
constexpr PackedName kPackedNames[] = {{".gz", Compression::kGzip, "gzip"},
                                       {".zst", Compression::kZstd, "zstd"},
                                       {".xz", Compression::kXz, "xz"},
                                       {".bz2", Compression::kBzip2, "bzip2"}};

const PackedName* packed_name(std::string_view path) noexcept {
  for (const PackedName& name : kPackedNames)
    if (has_ending(path, name.ending)) return &name;
  return nullptr;
}

StreamDamage read_failed(std::uint64_t offset, int error) {
  return StreamDamage(
      fmt::format("reading failed at byte {} of the file: {}", offset, system_message(error)));
}

class FileStream final : public ByteStream {
 public:
  FileStream(int fd, const std::atomic<bool>* stop) : fd_(fd), stop_(stop) {}
  std::size_t read(char* out, std::size_t size) override {
    throw_if_stopped(stop_);
    std::size_t got = 0;
    const int error = pread_fully(fd_, out, size, offset_, &got);
    // Bytes that were read before the error are returned; the next call meets the error again.
    if (error && got == 0) throw read_failed(offset_, error);
    offset_ += got;
    return got;
  }

 private:
  int fd_;
  const std::atomic<bool>* stop_;
  std::uint64_t offset_ = 0;
};

class PipeStream final : public ByteStream {
 public:
  PipeStream(int fd, const std::atomic<bool>* stop) : fd_(fd), stop_(stop) {}
  std::size_t read(char* out, std::size_t size) override {
    wait();
    std::size_t got = 0;
    if (const int error = read_some(fd_, out, size, &got)) throw read_failed(offset_, error);
    offset_ += got;
    return got;
  }

 private:
  // Waits in short steps, since a pipe can be silent for ever, and a signal that asks to stop may
  // come just before poll() begins.
  void wait() const {
    constexpr int kLookAroundMs = 200;
    while (true) {
      throw_if_stopped(stop_);
      struct pollfd ready = {fd_, POLLIN, 0};
      if (::poll(&ready, 1, kLookAroundMs) > 0) return;
    }
  }

  int fd_;
  const std::atomic<bool>* stop_;
  std::uint64_t offset_ = 0;
};

class StoppableStream final : public ByteStream {
 public:
  StoppableStream(std::unique_ptr<ByteStream> bytes, const std::atomic<bool>* stop)
      : bytes_(std::move(bytes)), stop_(stop) {}
  std::size_t read(char* out, std::size_t size) override {
    throw_if_stopped(stop_);
    return bytes_->read(out, size);
  }

 private:
  std::unique_ptr<ByteStream> bytes_;
  const std::atomic<bool>* stop_;
};

class MemoryStream final : public ByteStream {
 public:
  explicit MemoryStream(std::string_view bytes) : rest_(bytes) {}
  std::size_t read(char* out, std::size_t size) override {
    const std::size_t got = std::min(size, rest_.size());
    std::memcpy(out, rest_.data(), got);
    rest_.remove_prefix(got);
    return got;
  }

 private:
  std::string_view rest_;
};

// Hands out bytes that look_ahead() has read, then the rest of the stream.
class PrefixedStream final : public ByteStream {
 public:
  PrefixedStream(std::string prefix, std::unique_ptr<ByteStream> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}
  std::size_t read(char* out, std::size_t size) override {
    if (at_ == prefix_.size()) return rest_->read(out, size);
    const std::size_t got = std::min(size, prefix_.size() - at_);
    std::memcpy(out, prefix_.data() + at_, got);
    at_ += got;
    return got;
  }

 private:
  std::string prefix_;
  std::size_t at_ = 0;
  std::unique_ptr<ByteStream> rest_;
};

// Throws the damage that look_ahead() met.
class DamagedStream final : public ByteStream {
 public:
  explicit DamagedStream(StreamDamage damage) : damage_(std::move(damage)) {}
  std::size_t read(char*, std::size_t) override { throw damage_; }

 private:
  StreamDamage damage_;
};

}  // namespace

bool has_ending(std::string_view path, std::string_view ending) noexcept {
  if (path.size() < ending.size()) return false;
  path.remove_prefix(path.size() - ending.size());
  return std::equal(path.begin(), path.end(), ending.begin(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
  });
}

std::string_view compression_name(Compression how) noexcept {
  for (const PackedName& packed : kPackedNames)
    if (packed.how == how) return packed.name;
  return {};
}

Compression compression_by_name(std::string_view path) noexcept {
  const PackedName* name = packed_name(path);
  return name ? name->how : Compression::kNone;
}

std::string_view without_compression(std::string_view path) noexcept {
  if (const PackedName* name = packed_name(path)) path.remove_suffix(name->ending.size());
  return path;
}

bool begins_like_zstd(std::string_view bytes) noexcept {
  constexpr std::string_view kFrame = "\x28\xb5\x2f\xfd";
  constexpr std::string_view kSkippable = "\x50\x2a\x4d\x18";  // or 0x51 to 0x5f in front
  bytes = bytes.substr(0, kFrame.size());
  if (bytes.empty()) return false;
  if (kFrame.starts_with(bytes)) return true;
  return (static_cast<unsigned char>(bytes[0]) & 0xf0u) == 0x50u &&
         kSkippable.substr(1).starts_with(bytes.substr(1));
}

Compression compression_by_magic(std::string_view first_bytes) noexcept {
  using namespace std::string_view_literals;
  if (first_bytes.starts_with("\x1f\x8b"sv)) return Compression::kGzip;
  if (first_bytes.size() >= 4 && begins_like_zstd(first_bytes)) return Compression::kZstd;
  if (first_bytes.starts_with("\xfd"
                              "7zXZ\0"sv))
    return Compression::kXz;
  // A text may begin with "BZh9". In a bzip2 file a block follows, or the end of the stream.
  if (first_bytes.size() >= kMagicBytes && first_bytes.starts_with("BZh") &&
      first_bytes[3] >= '1' && first_bytes[3] <= '9') {
    const std::string_view next = first_bytes.substr(4, 6);
    if (next == "\x31\x41\x59\x26\x53\x59"sv || next == "\x17\x72\x45\x38\x50\x90"sv)
      return Compression::kBzip2;
  }
  return Compression::kNone;
}

std::unique_ptr<ByteStream> stream_file(int fd, const std::atomic<bool>* stop) {
  return std::make_unique<FileStream>(fd, stop);
}
std::unique_ptr<ByteStream> stream_pipe(int fd, const std::atomic<bool>* stop) {
  return std::make_unique<PipeStream>(fd, stop);
}
std::unique_ptr<ByteStream> stream_stoppable(std::unique_ptr<ByteStream> bytes,
                                             const std::atomic<bool>* stop) {
  return std::make_unique<StoppableStream>(std::move(bytes), stop);
}
std::unique_ptr<ByteStream> stream_memory(std::string_view bytes) {
  return std::make_unique<MemoryStream>(bytes);
}

std::unique_ptr<ByteStream> stream_unpacked(std::unique_ptr<ByteStream> packed, Compression how) {
  switch (how) {
    case Compression::kGzip:
      return make_gzip_unpacker(std::move(packed));
    case Compression::kZstd:
      return make_zstd_unpacker(std::move(packed));
    case Compression::kXz:
      return make_xz_unpacker(std::move(packed));
    case Compression::kBzip2:
      return make_bzip2_unpacker(std::move(packed));
    case Compression::kNone:
      break;
  }
  return packed;
}

LookedAt look_ahead(std::unique_ptr<ByteStream> bytes, std::size_t size) {
  LookedAt out;
  out.first.resize(size);
  std::size_t got = 0;
  try {
    while (got < size) {
      const std::size_t n = bytes->read(out.first.data() + got, size - got);
      if (n == 0) break;
      got += n;
    }
  } catch (const StreamDamage& damage) {
    bytes = std::make_unique<DamagedStream>(damage);
  }
  out.first.resize(got);
  out.stream = std::make_unique<PrefixedStream>(out.first, std::move(bytes));
  return out;
}

std::unique_ptr<ByteStream> stream_sniffed(std::unique_ptr<ByteStream> bytes, std::string_view name,
                                           Compression* how) {
  LookedAt looked = look_ahead(std::move(bytes), kMagicBytes);
  Compression found = compression_by_magic(looked.first);
  if (found == Compression::kNone) found = compression_by_name(name);
  if (how) *how = found;
  return stream_unpacked(std::move(looked.stream), found);
}

std::size_t read_fully(ByteStream& stream, char* out, std::size_t size) {
  std::size_t got = 0;
  while (got < size) {
    const std::size_t n = stream.read(out + got, size - got);
    if (n == 0) break;
    got += n;
  }
  return got;
}

}  // namespace benzer
