// What features are, by their kind.
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

}  // namespace benzer
