// The blog on Scala: shingles, signatures, the bands for a threshold, and clusters.
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <benzer/research/classics/scala.h>

namespace scala = benzer::classics::scala;

int main() {
  const std::vector<std::string> documents = {
      "the quick brown fox jumps over the lazy dog near the old river bank",
      "the quick brown fox jumps over the lazy dog near the old river bend",
      "a cat sleeps on the warm stones of the harbour wall all afternoon"};
  const scala::MinHash hasher(1337, 5, 100);
  std::vector<std::vector<std::int32_t>> signatures;
  for (const std::string& document : documents) signatures.push_back(hasher.hash(document));

  const int bands = scala::pick_bands(0.8, 100);
  std::cout << bands << " bands; the first two are "
            << (scala::is_pair_candidate_match(scala::get_buckets(signatures[0], bands),
                                               scala::get_buckets(signatures[1], bands))
                    ? "candidates"
                    : "no candidates")
            << ", J = "
            << scala::similarity(hasher.get_shingles(documents[0]),
                                 hasher.get_shingles(documents[1]))
            << ", estimated " << scala::estimate_similarity_min_hash(signatures[0], signatures[1])
            << '\n';
  for (const auto& cluster : scala::clusters(signatures, bands, 0.8)) {
    std::cout << "a cluster:";
    for (const std::size_t document : cluster) std::cout << ' ' << document;
    std::cout << '\n';
  }
}
