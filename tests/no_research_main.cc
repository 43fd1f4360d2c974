// labels: features sketch research
// Tests a program that is linked with benzer::benzer alone: features and sketches of
// benzer::research are refused with a sentence that names the library, and are not listed as
// allowed. Prints each failure.
#include <cstdio>
#include <string>
#include <string_view>

#include "benzer/config.h"
#include "benzer/error.h"
#include "benzer/sketch.h"

namespace {

int passed = 0, failed = 0;

template <class Use>
void expect_refused(const char* what, const std::string& wanted, Use use) {
  std::string said = "nothing";
  try {
    use();
  } catch (const benzer::Error& error) {
    if (error.code() == benzer::ErrorCode::kInvalidArgument) said = error.what();
  }
  const bool good = said.find(wanted) != said.npos;
  ++(good ? passed : failed);
  if (!good) std::printf("%s: says '%s', and not '%s'\n", what, said.c_str(), wanted.c_str());
}

void expect_refused(const char* config, const std::string& wanted) {
  expect_refused(config, wanted, [&] { benzer::Config::parse(config); });
}

}  // namespace

int main() {
  const std::string where =
      " belongs to the library benzer::research: link it, and call "
      "register_research()";
  expect_refused("linear:128", "the sketch \"linear:128\"" + where);
  expect_refused("bottomk:64+seed:1", "the sketch \"bottomk:64+seed:1\"" + where);
  expect_refused("text:shingle3+djb2a", "features \"text:shingle3+djb2a\"" + where);
  expect_refused("text:terms004 | fss:128", "features \"text:terms004\"" + where);
  expect_refused("sketches:9", "text:charN, values, image:near");
  expect_refused("sketches:9", "a sketch (fss:SLOTS and kperm:SLOTS)");
  expect_refused("text:sentence1", "text:charN (N from 1 to 64), values, image:near");
  // Also a specification that was filled in by hand, and not parsed.
  expect_refused("a sketch", "the sketch single:16" + where, [] {
    benzer::SketchSpec sketch;
    sketch.scheme = benzer::SketchSpec::Scheme::kSingle;
    sketch.slots = 16;
    benzer::MinHasher(sketch, benzer::FeatureSpec{});
  });
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}
