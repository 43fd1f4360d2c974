// The blog on C#: word numbers become signatures, bands give candidates, and the candidates are
// compared again.
#include <cstdint>
#include <iostream>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <benzer/research/classics/blog.h>

namespace blog = benzer::classics::blog;

int main() {
  std::mt19937 random(1);
  std::vector<std::vector<std::int32_t>> documents(4, std::vector<std::int32_t>(100));
  for (auto& document : documents)
    for (std::int32_t& word : document) word = static_cast<std::int32_t>(random() % 2000);
  documents[1] = documents[0];
  documents[1][50] = 1;  // another word

  const blog::MinHash min_hash(2000, 100, blog::OddFactors::kAsMeant);
  blog::MinHashes signatures{documents.size(), 100, {}};
  for (const auto& document : documents) {
    const auto values = min_hash.get_min_hash(document);
    signatures.values.insert(signatures.values.end(), values.begin(), values.end());
  }
  blog::LSH lsh(std::move(signatures), 20);
  lsh.calc();
  std::cout << lsh.get_nearest(0).size() << " candidates of document 0\n";
  for (const std::size_t other : lsh.get_nearest_by_sets(0, documents, 0.9)) {
    std::cout << "document 0 is similar to document " << other << ", J = "
              << blog::Jaccard::calc(std::span<const std::int32_t>(documents[0]), documents[other])
              << '\n';
  }
}
