// Answers what depends only on the kind of features: how they are compared, and whether a document
// can be too short for them.
#include "benzer/config.h"

namespace benzer {

int ImageFeatures::hash_bits() const noexcept {
  switch (kind) {
    case Kind::kPdq:
      return 256;
    case Kind::kDhash:
    case Kind::kPhash:
      return 64;
    case Kind::kNear:
    case Kind::kSift:
    case Kind::kGrid16:
      break;
  }
  return 0;
}

Comparison ImageFeatures::comparison() const noexcept {
  switch (kind) {
    case Kind::kNear:
      return Comparison::kPictures;
    case Kind::kSift:
      return Comparison::kDetails;
    case Kind::kPdq:
    case Kind::kDhash:
    case Kind::kPhash:
      return Comparison::kHashes;
    case Kind::kGrid16:
      break;
  }
  return Comparison::kSets;
}

bool FeatureSpec::has_short() const noexcept {
  if (text()) {
    switch (text()->kind) {
      case TextFeatures::Kind::kWords:
      case TextFeatures::Kind::kDictionaryWords:
      case TextFeatures::Kind::kChars:
      case TextFeatures::Kind::kShingles:
      case TextFeatures::Kind::kOwn:
        return true;
      case TextFeatures::Kind::kTerms004:
      case TextFeatures::Kind::kTruthW1:
      case TextFeatures::Kind::kTruthW3:
      case TextFeatures::Kind::kTruthC5:
        return false;
    }
  }
  return comparison() == Comparison::kHashes || comparison() == Comparison::kDetails;
}

}  // namespace benzer
