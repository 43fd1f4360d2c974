#include "image/decoder.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/pool.h"
#include "image/child/protocol.h"
#include "image/child_process.h"
#include "image/child_program.h"

namespace benzer {
namespace {

// A child is replaced after this many images, and after a large one. That returns memory which it
// did not free, and removes code that may have taken it over.
constexpr std::uint64_t kImagesOfAChild = 1000;
constexpr std::uint64_t kLarge = 16'000'000;

bool is_spent(const ImageChild& child, std::size_t bytes, const DecodedImage& image) {
  return child.images() >= kImagesOfAChild || bytes > kLarge ||
         std::uint64_t{image.width} * image.height > kLarge;
}

ImageChild::Clock::time_point deadline_of(const ImageLimits& limits) {
  const double seconds = std::clamp(limits.seconds, 0.0, 1e6);
  return ImageChild::Clock::now() + std::chrono::duration_cast<ImageChild::Clock::duration>(
                                        std::chrono::duration<double>(seconds));
}

DecodedImage refused(std::string problem) {
  DecodedImage out;
  out.problem = std::move(problem);
  return out;
}

}  // namespace

struct ImageDecoder::Children {
  using Outcome = ImageChild::Outcome;
  struct Asked {
    Outcome outcome;
    std::unique_ptr<ImageChild> child;
  };

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

  // Gives a request to a child, and returns that child. If the request may not be the cause of a
  // failure, another child gets it: an earlier image may have damaged a child that is not new, or
  // somebody killed it. A new child that was late or killed may have been stopped together with
  // this process, or the system was short of memory; so there is one more, with as much time.
  template <class Request>
  Asked ask(const ImageLimits& limits, Request&& request) {
    bool needs_new = false;
    bool had_another = false;
    for (;;) {
      Asked out{Outcome::kDied,
                needs_new ? start(limits) : idle.take([&] { return start(limits); })};
      const bool is_new = out.child->images() == 0;
      out.outcome = request(*out.child, deadline_of(limits));
      const bool ended = out.outcome == Outcome::kDied || out.outcome == Outcome::kNonsense;
      const bool was_disturbed = out.outcome == Outcome::kLate ||
                                 (out.outcome == Outcome::kDied && out.child->was_killed());
      if (ended && !is_new) {
        needs_new = true;
      } else if (was_disturbed && !had_another) {
        needs_new = had_another = true;
      } else {
        return out;
      }
    }
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
        fmt::format("it has more than {} bytes, which is what is allowed", limits_.file_bytes));

  DecodedImage out;
  auto [outcome, child] =
      children_->ask(limits_, [&](ImageChild& asked, ImageChild::Clock::time_point deadline) {
        return asked.decode(bytes, request, deadline, out);
      });
  switch (outcome) {
    case ImageChild::Outcome::kAnswered:
      if (!is_spent(*child, bytes.size(), out)) children_->idle.give(std::move(child));
      return out;
    case ImageChild::Outcome::kUsedUp:
      return refused(
          fmt::format("decoding takes more than {} seconds of a core", limits_.cpu_seconds));
    case ImageChild::Outcome::kLate:
      return refused(
          fmt::format("two decoders gave no answer within {} seconds each", limits_.seconds));
    case ImageChild::Outcome::kDied:
      return refused(fmt::format("its decoder died ({})", child->cause_of_death()));
    case ImageChild::Outcome::kNonsense:
      break;
  }
  return refused("its decoder gave an invalid answer");
}

std::string ImageDecoder::encode_jpeg(const Picture& picture) const {
  if (!image_child::can_be_encoded(picture.width, picture.height, picture.channels,
                                   picture.pixels.size()))
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("a picture of {} x {} pixels, {} channels and {} bytes cannot be made a "
                    "JPEG file: allowed are 1 to {} pixels a side, and 1 or 3 channels",
                    picture.width, picture.height, picture.channels, picture.pixels.size(),
                    image_child::kLongestEncoded));
  std::string file, problem;
  auto [outcome, child] =
      children_->ask(limits_, [&](ImageChild& asked, ImageChild::Clock::time_point deadline) {
        file.clear();
        problem.clear();
        return asked.encode(picture, deadline, file, problem);
      });
  switch (outcome) {
    case ImageChild::Outcome::kAnswered:
      if (child->images() < kImagesOfAChild) children_->idle.give(std::move(child));
      if (problem.empty()) return file;
      break;
    case ImageChild::Outcome::kUsedUp:
      problem = fmt::format("it takes more than {} seconds of a core", limits_.cpu_seconds);
      break;
    case ImageChild::Outcome::kLate:
      problem = fmt::format("it was not done within {} seconds, twice", limits_.seconds);
      break;
    case ImageChild::Outcome::kDied:
      problem = fmt::format("the decoder process died ({})", child->cause_of_death());
      break;
    case ImageChild::Outcome::kNonsense:
      problem = "the decoder process gave an invalid answer";
      break;
  }
  throw Error(ErrorCode::kUnavailable,
              fmt::format("a picture cannot be made a small JPEG file: {}", problem));
}

}  // namespace benzer
