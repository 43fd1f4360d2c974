#include "dedup/train_words.h"

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "benzer/dedup.h"
#include "benzer/error.h"
#include "benzer/runtime.h"

#include "base/parallel.h"
#include "image/decoder.h"
#include "image/sift_features.h"
#include "image/word_examples.h"

namespace benzer {
namespace {

class PointsVisitor : public DocumentVisitor {
 public:
  PointsVisitor(const TrainWordsOptions& options, WordExamples& examples, TrainedWords& counts)
      : options_(options), examples_(examples), counts_(counts) {}

  std::unique_ptr<Block> start_block() override {
    throw_if_stopped(options_.stop);
    return std::make_unique<PointsBlock>(decoder_);
  }

  void finish_block(std::unique_ptr<Block> finished) override {
    for (const OfPicture& picture : static_cast<PointsBlock&>(*finished).pictures) {
      if (!picture.problem.empty()) {
        ++counts_.undecodable;
        if (options_.problem) options_.problem(documents_, picture.problem);
      }
      if (!picture.points.empty()) ++counts_.pictures;
      examples_.add(picture.points);
      ++documents_;
    }
    if (options_.progress) options_.progress({"read", documents_, 0});
  }

 private:
  struct OfPicture {
    std::vector<KeyPoint> points;
    std::string problem;
  };
  struct PointsBlock : Block {
    explicit PointsBlock(const ImageDecoder& d) : decoder(d) {}

    void add(const DocumentView& document) override {
      DecodedImage image =
          decoder.decode(document.text, {.colour = false, .longest = kLongestWithPoints});
      OfPicture& picture = pictures.emplace_back();
      picture.problem = std::move(image.problem);
      if (picture.problem.empty())
        picture.points = key_points(image.picture, WordExamples::kPointsOfPicture);
    }

    const ImageDecoder& decoder;
    std::vector<OfPicture> pictures;
  };

  const TrainWordsOptions& options_;
  WordExamples& examples_;
  TrainedWords& counts_;
  ImageDecoder decoder_;
  std::uint32_t documents_ = 0;
};

}  // namespace

void learn_words(const WordExamples& examples, const TrainWordsOptions& options,
                 TrainedWords& out) {
  const std::span<const Descriptor> descriptors = examples.descriptors();
  out.key_points = descriptors.size();
  const auto progress = [&](int done, int all) {
    throw_if_stopped(options.stop);
    if (options.progress)
      options.progress(
          {"train", static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(all)});
  };
  out.file = VisualWords::train(descriptors, resolve_threads(options.threads), progress).write();
}

TrainedWords train_words(Corpus& corpus, const TrainWordsOptions& options) {
  TrainedWords out;
  WordExamples examples;
  PointsVisitor visitor(options, examples, out);
  corpus.scan(visitor, resolve_threads(options.threads));
  learn_words(examples, options, out);
  return out;
}

}  // namespace benzer
