// Replaces the stemmer in a build without libstemmer: it knows no language, and says why.
#include "features/config_text.h"
#include "features/stemmer.h"

namespace benzer::internal {

bool has_stemming() noexcept { return false; }

void check_stem_language(std::string_view, std::string_view whole) {
  fail(
      "features {} need stemming, which this build does not have: leave out +stem, or build Benzer "
      "where libstemmer is installed (libstemmer-dev on Debian)",
      in_quotes(whole));
}

std::string stem_mark(std::string_view) { return {}; }

Stemmer::Stemmer(std::string_view language) : stemmer_(nullptr) {
  check_stem_language(language, "+stem:" + std::string(language));
}
Stemmer::~Stemmer() = default;
std::string_view Stemmer::stem(std::string_view word) { return word; }

}  // namespace benzer::internal
