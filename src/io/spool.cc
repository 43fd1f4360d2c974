#include "io/spool.h"

#include <utility>

#include "io/pack.h"

namespace benzer {
namespace {

class SpooledStream final : public ByteStream {
 public:
  SpooledStream(std::unique_ptr<ByteStream> bytes, ScratchFile& spool,
                std::unique_ptr<Packer> packer)
      : bytes_(std::move(bytes)), spool_(spool), packer_(std::move(packer)) {}

  std::size_t read(char* out, std::size_t size) override {
    try {
      const std::size_t got = bytes_->read(out, size);
      if (got == 0) {
        finish();
      } else if (packer_) {
        packer_->pack({out, got}, emit_);
      } else {
        spool_.append(out, got);
      }
      return got;
    } catch (const StreamDamage&) {
      finish();
      throw;
    }
  }

 private:
  // Appends what the packer still holds, since those bytes were passed on.
  void finish() {
    if (packer_) packer_->finish(emit_);
    packer_.reset();
  }

  std::unique_ptr<ByteStream> bytes_;
  ScratchFile& spool_;
  std::unique_ptr<Packer> packer_;  // null: the copy is not packed, or is complete
  const Packer::Emit emit_ = [this](std::string_view packed) {
    spool_.append(packed.data(), packed.size());
  };
};

}  // namespace

std::unique_ptr<ByteStream> stream_spooled(std::unique_ptr<ByteStream> bytes, ScratchFile& spool,
                                           bool packed) {
  return std::make_unique<SpooledStream>(std::move(bytes), spool,
                                         packed ? make_fast_packer() : nullptr);
}

}  // namespace benzer
