// Uses the library benzer::research: compares a sketch of the blog on Scala with the default, on
// the same features, and runs the blog's own class.
#include <iostream>

#include <benzer/features.h>
#include <benzer/research/classics/scala.h>
#include <benzer/research/register.h>
#include <benzer/sketch.h>

namespace {

const char* const kFox = "The quick brown fox jumps over the lazy dog near the old river bank.";
const char* const kCopy = "The quick brown fox jumps over the lazy dog near the old river bend.";

double estimate(const char* sketch) {
  const auto features = benzer::FeatureSpec::parse("text:shingle3+djb2a");
  const benzer::FeatureExtractor extractor(features);
  const benzer::MinHasher hasher(benzer::SketchSpec::parse(sketch), features);
  benzer::FeatureBuffer buffer;
  extractor.extract(kFox, buffer);
  const benzer::Signature fox = hasher.sketch(buffer.features());
  extractor.extract(kCopy, buffer);
  return estimate_jaccard(fox, hasher.sketch(buffer.features()));
}

}  // namespace

int main() {
  benzer::register_research();  // before the first configuration is read
  for (const char* sketch : {"fss:128", "java-random:128"})
    std::cout << sketch << ": J is about " << estimate(sketch) << '\n';

  namespace scala = benzer::classics::scala;
  const scala::MinHash blog(1337, 3, 128);
  std::cout << "the blog's own: "
            << scala::estimate_similarity_min_hash(blog.hash(kFox), blog.hash(kCopy)) << '\n';
}
