#include "image/decoder.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/pool.h"
#include "image/child_process.h"
#include "image/child_program.h"

namespace benzer {
namespace {

// A child ends after so many images, and after a large one: what it has not given back is gone
// then, and so is whoever lives in it.
constexpr std::uint64_t kImagesOfAChild = 1000;
constexpr std::uint64_t kLarge = 16'000'000;

bool is_spent(const ImageChild& child, std::size_t bytes, const DecodedImage& image) {
  return child.images() >= kImagesOfAChild || bytes > kLarge ||
         std::uint64_t{image.width} * image.height > kLarge;
}

DecodedImage refused(std::string problem) {
  DecodedImage out;
  out.problem = std::move(problem);
  return out;
}

}  // namespace

struct ImageDecoder::Children {
  Pool<ImageChild> idle;
  std::mutex mutex;
  FileHandle program;

  std::unique_ptr<ImageChild> start(const ImageLimits& limits) {
    {
      const std::lock_guard lock(mutex);
      if (program.get() < 0) program = child_program();
    }
    return std::make_unique<ImageChild>(program, limits);
  }
};

ImageDecoder::ImageDecoder(const ImageLimits& limits)
    : limits_(limits), children_(std::make_unique<Children>()) {}
ImageDecoder::~ImageDecoder() = default;

DecodedImage ImageDecoder::decode(std::string_view bytes, const DecodeRequest& request) const {
  if (request.longest == 0)
    throw Error(ErrorCode::kInvalidArgument, "a picture whose longest side is 0 has no pixels");
  if (bytes.empty()) return refused("it is empty");
  if (bytes.size() > limits_.file_bytes)
    return refused(
        fmt::format("it has {} bytes; allowed are {}", bytes.size(), limits_.file_bytes));

  const double seconds = std::clamp(limits_.seconds, 0.0, 1e6);
  const auto deadline =
      ImageChild::Clock::now() + std::chrono::duration_cast<ImageChild::Clock::duration>(
                                     std::chrono::duration<double>(seconds));
  for (;;) {
    std::unique_ptr<ImageChild> child =
        children_->idle.take([&] { return children_->start(limits_); });
    const bool is_new = child->images() == 0;
    DecodedImage out;
    switch (child->decode(bytes, request, deadline, out)) {
      case ImageChild::Outcome::kAnswered:
        if (!is_spent(*child, bytes.size(), out)) children_->idle.give(std::move(child));
        return out;
      case ImageChild::Outcome::kLate:
        return refused(fmt::format("decoding takes more than {} seconds", limits_.seconds));
      case ImageChild::Outcome::kDied:
        // An earlier image may have damaged it, or somebody killed it: only a new child's death
        // is the image's doing.
        if (!is_new) continue;
        return refused(fmt::format("its decoder died ({})", child->cause_of_death()));
      case ImageChild::Outcome::kNonsense:
        if (!is_new) continue;
        return refused("its decoder answered nonsense");
    }
  }
}

}  // namespace benzer
