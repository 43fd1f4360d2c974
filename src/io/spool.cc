#include "io/spool.h"

#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"

namespace benzer {
namespace {

class SpooledStream final : public ByteStream {
 public:
  SpooledStream(std::unique_ptr<ByteStream> bytes, Spool& spool)
      : bytes_(std::move(bytes)), spool_(spool) {}
  std::size_t read(char* out, std::size_t size) override {
    const std::size_t got = bytes_->read(out, size);
    spool_.append({out, got});
    return got;
  }

 private:
  std::unique_ptr<ByteStream> bytes_;
  Spool& spool_;
};

}  // namespace

void Spool::append(std::string_view bytes) {
  if (bytes.empty()) return;
  if (const int error = write_fully(file_.get(), bytes.data(), bytes.size())) {
    throw Error(ErrorCode::kStorageFailed,
                fmt::format("{}: a temporary file of {} bytes cannot grow: {}; free space there or "
                            "name another folder in TMPDIR",
                            shown_path(temporary_folder()), size_, system_message(error)));
  }
  size_ += bytes.size();
}

std::unique_ptr<ByteStream> stream_spooled(std::unique_ptr<ByteStream> bytes, Spool& spool) {
  return std::make_unique<SpooledStream>(std::move(bytes), spool);
}

}  // namespace benzer
