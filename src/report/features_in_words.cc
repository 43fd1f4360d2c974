#include <string_view>

#include <fmt/format.h>

#include "report/words.h"

namespace benzer::report {
namespace {

std::string picture_features_in_words(const FeatureSpec& spec) {
  if (spec.kind == FeatureSpec::Kind::kNear)
    return "Pictures are laid over each other, small and grey: what was made smaller, brighter, "
           "cropped a little, framed, stamped or turned by some degrees is the same picture";
  if (spec.kind == FeatureSpec::Kind::kSift)
    return "Pictures are compared by details that are in the same places, once one of them is "
           "moved, turned and scaled: parts, turned pictures, pictures with something on them and "
           "collages are found, too";
  if (!spec.is_hash())
    return "Pictures are compared by the greys of 16 x 16 cells, as a set of 256 values";
  const std::string_view name = spec.kind == FeatureSpec::Kind::kPdq     ? "PDQ hash"
                                : spec.kind == FeatureSpec::Kind::kDhash ? "dHash"
                                                                         : "pHash";
  return fmt::format(
      "Pictures are compared by their {} of {} bits{}; size, format, brightness and "
      "compression hardly change it",
      name, spec.hash_bits(),
      spec.turned ? ", also turned by 90, 180 and 270 degrees and mirrored" : "");
}

}  // namespace

std::string features_in_words(const FeatureSpec& spec) {
  using Kind = FeatureSpec::Kind;
  std::string out;
  switch (spec.kind) {
    case Kind::kWords:
      out = spec.shingle == 1
                ? "Texts are compared by their words"
                : fmt::format("Texts are compared by all runs of {} words", spec.shingle);
      break;
    case Kind::kChars:
      out = fmt::format("Texts are compared by all runs of {} characters", spec.shingle);
      break;
    case Kind::kValues:
      out = "Documents are compared by their values";
      if (spec.drop_common != 0)
        out += "; those that very many documents have in common are left out";
      return out;
    case Kind::kNear:
    case Kind::kSift:
    case Kind::kPdq:
    case Kind::kDhash:
    case Kind::kPhash:
    case Kind::kGrid16:
      return picture_features_in_words(spec);
    default:
      return "Texts are compared byte by byte, by the rules of the ground truth";
  }
  out += "; case, punctuation and the form of characters (NFKC) do not count";
  if (spec.html) out += "; the texts are HTML, of which only what people read counts";
  if (spec.drop_common != 0)
    out += "; what very many documents have in common (boilerplate) is left out";
  if (!spec.stop.empty()) out += "; stop words are left out";
  return out;
}

}  // namespace benzer::report
