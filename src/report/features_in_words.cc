#include <string>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "report/words.h"

namespace benzer::report {
namespace {

constexpr std::string_view kHtmlInWords =
    "; the texts are HTML, of which only what people read counts";

std::string hash_in_words(std::string_view name, const ImageFeatures& features) {
  return fmt::format(
      "Pictures are compared by their {} of {} bits{}; size, format, brightness and "
      "compression hardly change it",
      name, features.hash_bits(),
      features.turned ? ", also turned by 90, 180 and 270 degrees and mirrored" : "");
}

std::string picture_features_in_words(const ImageFeatures& features) {
  switch (features.kind) {
    case ImageFeatures::Kind::kNear:
      return "Pictures are laid over each other, small and grey: what was made smaller, brighter, "
             "cropped a little, framed, stamped or turned by some degrees is the same picture";
    case ImageFeatures::Kind::kSift:
      return "Pictures are compared by details that are in the same places, once one of them is "
             "moved, turned and scaled: parts, turned pictures, pictures with something on them "
             "and collages are found, too";
    case ImageFeatures::Kind::kPdq:
      return hash_in_words("PDQ hash", features);
    case ImageFeatures::Kind::kDhash:
      return hash_in_words("dHash", features);
    case ImageFeatures::Kind::kPhash:
      return hash_in_words("pHash", features);
    case ImageFeatures::Kind::kGrid16:
      break;
  }
  return "Pictures are compared by the greys of 16 x 16 cells, as a set of 256 values";
}

// Says how texts are compared, but not which words are left out.
std::string text_features_in_words(const TextFeatures& features) {
  std::string out =
      features.kind == TextFeatures::Kind::kChars
          ? fmt::format("Texts are compared by all runs of {} characters", features.shingle)
      : features.shingle == 1
          ? "Texts are compared by their words"
          : fmt::format("Texts are compared by all runs of {} words", features.shingle);
  if (features.kind == TextFeatures::Kind::kDictionaryWords)
    out += "; dictionaries find the words of Thai, Chinese, Japanese and similar texts";
  out += "; case, punctuation and the form of characters (NFKC) do not count";
  if (features.html) out += kHtmlInWords;
  return out;
}

class InWords {
 public:
  explicit InWords(const FeatureSpec& spec)
      : drops_common_(spec.drop_common != 0), weighs_(spec.tf_idf) {}

  std::string operator()(const ImageFeatures& features) const {
    return picture_features_in_words(features);
  }

  std::string operator()(const ValueFeatures& features) const {
    if (features.weights)
      return "Documents are compared by their values and the weights of these: the smaller weights "
             "over the larger ones";
    std::string out = "Documents are compared by their values";
    if (drops_common_) out += "; those that very many documents have in common are left out";
    if (weighs_) out += kWeighed;
    return out;
  }

  std::string operator()(const TextFeatures& features) const {
    using Kind = TextFeatures::Kind;
    std::string out;
    switch (features.kind) {
      case Kind::kWords:
      case Kind::kDictionaryWords:
      case Kind::kChars:
        out = text_features_in_words(features);
        break;
      case Kind::kShingles:
        out = fmt::format("Texts are compared by all runs of {} characters as they are{}",
                          features.shingle,
                          features.squeeze ? ", with one blank for any white space" : "");
        break;
      case Kind::kOwn:
        out = features.shingle == 1
                  ? fmt::format("Texts are compared by the pieces of the rule {}", features.rule)
                  : fmt::format("Texts are compared by all runs of {} pieces of the rule {}",
                                features.shingle, features.rule);
        if (features.html) out += kHtmlInWords;
        break;
      case Kind::kTerms004:
        out = "Texts are compared by the terms of the course report";
        break;
      case Kind::kTruthW1:
      case Kind::kTruthW3:
      case Kind::kTruthC5:
        return "Texts are compared byte by byte, by the rules of the ground truth";
    }
    if (drops_common_) out += "; what very many documents have in common (boilerplate) is left out";
    if (weighs_) out += kWeighed;
    if (!features.stop.empty()) out += "; stop words are left out";
    if (!features.stem.empty()) out += "; words with the same stem count as one";
    return out;
  }

 private:
  static constexpr std::string_view kWeighed =
      "; each counts as often as it occurs, and more the fewer documents have it (tf-idf): the "
      "score is the sum of the smaller weights over that of the larger ones";

  bool drops_common_;
  bool weighs_;
};

}  // namespace

std::string features_in_words(const FeatureSpec& spec) {
  return std::visit(InWords(spec), spec.kind);
}

}  // namespace benzer::report
